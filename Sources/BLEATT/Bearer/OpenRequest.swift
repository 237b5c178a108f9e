import BLECore

/// A request whose response comes later, because a behaviour, a human or the control API takes its time.
public struct OpenRequest: Hashable, Sendable {
  /// When it came: the client gives up 30 s later (Core 5.4 Vol 3 Part F 3.3.3).
  public let arrival: Instant
  /// Whether somebody was warned that the time is running out.
  public internal(set) var isWarned = false

  /// How long before the client gives up somebody is warned.
  public static let warning = Duration.seconds(5)

  /// When the client gives up.
  public var end: Instant { arrival + ATTBearer.transactionTimeout }

  /// The next of the warning and the end.
  var nextDeadline: Instant { isWarned ? end : end - Self.warning }
}

extension ATTBearer {
  /// How many requests are kept that came too early.
  public static let earlyRequestLimit = 16

  /// What has become of a request that waits for its response.
  public enum RequestTiming: Hashable, Sendable {
    /// Nothing is due.
    case inTime
    /// The time is running out.
    case warning
    /// The client has given up, and the bearer has timed out.
    case over
  }

  /// Notes that the response to a request that came at that time comes later.
  public mutating func openRequest(arrivedAt arrival: Instant) { openRequest = OpenRequest(arrival: arrival) }

  /// The response to the open request is there, and the next one may come.
  public mutating func closeRequest() { openRequest = nil }

  /// Keeps a request that came before the one ahead of it was answered; false when there are too many.
  public mutating func keepEarly(_ request: [UInt8]) -> Bool {
    guard earlyRequests.count < Self.earlyRequestLimit else { return false }
    earlyRequests.append(request)
    return true
  }

  /// The next request that came too early, once nothing is ahead of it.
  public mutating func nextEarlyRequest() -> [UInt8]? {
    openRequest != nil || earlyRequests.isEmpty ? nil : earlyRequests.removeFirst()
  }

  /// Finds out whether the open request has waited too long, and times the bearer out if so.
  public mutating func checkRequest(at now: Instant) -> RequestTiming {
    guard let request = openRequest, request.nextDeadline <= now else { return .inTime }
    guard request.end <= now else {
      openRequest?.isWarned = true
      return .warning
    }
    timeOut()
    return .over
  }
}
