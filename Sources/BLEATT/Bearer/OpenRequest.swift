import BLECore

/// A request whose answer comes later, because a behaviour, a human or the control API takes its time.
public struct OpenRequest: Hashable, Sendable {
  /// The whole PDU, opcode included.
  public let pdu: [UInt8]
  /// When it came: the client gives up 30 s later (Core 5.4 Vol 3 Part F 3.3.3).
  public let arrival: Instant
  /// Whether somebody was warned that the time is running out.
  public internal(set) var isWarned = false

  /// How long before the client gives up somebody is warned.
  public static let warning = Duration.seconds(5)

  /// A request that came at that time.
  public init(pdu: [UInt8], arrival: Instant) {
    self.pdu = pdu
    self.arrival = arrival
  }

  /// When the client gives up.
  public var end: Instant { arrival + ATTBearer.transactionTimeout }

  /// The next of the warning and the end.
  var nextDeadline: Instant { isWarned ? end : end - Self.warning }
}

extension ATTBearer {
  /// How many requests are kept that came too early.
  public static let earlyRequestLimit = 16

  /// What has become of a request that waits for its answer.
  public enum RequestTiming: Hashable, Sendable {
    /// Nothing is due.
    case inTime
    /// The time is running out.
    case warning
    /// The client has given up, and the bearer is dead for it.
    case over
  }

  /// Keeps a request whose answer comes later.
  public mutating func open(_ request: OpenRequest) { openRequest = request }

  /// Takes a request out again, because its answer is there. It is forgotten, and the next one may come.
  public mutating func closeRequest() { openRequest = nil }

  /// Keeps a request that came before the one ahead of it was answered; false when there are too many.
  public mutating func queue(_ request: [UInt8]) -> Bool {
    guard earlyRequests.count < Self.earlyRequestLimit else { return false }
    earlyRequests.append(request)
    return true
  }

  /// The next request that came too early, once nothing is ahead of it.
  public mutating func nextEarlyRequest() -> [UInt8]? {
    openRequest != nil || earlyRequests.isEmpty ? nil : earlyRequests.removeFirst()
  }

  /// Looks at the clock. A request whose client has given up is forgotten, with all that came behind it.
  public mutating func checkRequest(at now: Instant) -> RequestTiming {
    guard let request = openRequest, request.nextDeadline <= now else { return .inTime }
    guard request.end <= now else {
      openRequest?.isWarned = true
      return .warning
    }
    openRequest = nil
    earlyRequests = []
    return .over
  }
}
