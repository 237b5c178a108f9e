import BLECore

/// A request whose response follows later, because a behavior, a person or the control API takes time.
public struct OpenRequest: Hashable, Sendable {
  /// The arrival. The client's timeout expires 30 s later (Core 5.4 Vol 3 Part F 3.3.3).
  public let arrival: Instant
  /// Whether the warning before the timeout has been issued.
  public internal(set) var isWarned = false

  /// The time between the warning and the client's timeout.
  public static let warning = Duration.seconds(5)

  /// The client's timeout.
  public var end: Instant { arrival + ATTBearer.transactionTimeout }

  /// The time of the warning or the timeout, whichever is next.
  var nextDeadline: Instant { isWarned ? end : end - Self.warning }
}

extension ATTBearer {
  /// The maximum number of early requests that are kept.
  public static let earlyRequestLimit = 16

  /// The state of a request that waits for its response.
  public enum RequestTiming: Hashable, Sendable {
    /// Nothing is due.
    case inTime
    /// The timeout is near.
    case warning
    /// The client's timeout has expired, and the bearer has timed out.
    case over
  }

  /// Notes that the response to a request with this arrival time follows later.
  public mutating func openRequest(arrivedAt arrival: Instant) { openRequest = OpenRequest(arrival: arrival) }

  /// Closes the open request after its response. The next request may follow.
  public mutating func closeRequest() { openRequest = nil }

  /// Keeps a request that arrived before the previous one was answered; false if there are too many.
  public mutating func keepEarly(_ request: [UInt8]) -> Bool {
    guard earlyRequests.count < Self.earlyRequestLimit else { return false }
    earlyRequests.append(request)
    return true
  }

  /// Removes and returns the next early request, once no request is open.
  public mutating func nextEarlyRequest() -> [UInt8]? {
    openRequest != nil || earlyRequests.isEmpty ? nil : earlyRequests.removeFirst()
  }

  /// Checks whether the open request has waited too long, and if so times the bearer out.
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
