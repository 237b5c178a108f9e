import BLECore

/// One ATT bearer: its MTU, and at most one transaction in each direction (Core 5.4 Vol 3 Part F 3.2.8, 3.3.2). A client has the
/// bearer of the fixed channel and, with enhanced bearers, others beside it.
public struct ATTBearer: Sendable {
  /// The smallest MTU, which every bearer begins with.
  public static let defaultMTU = 23
  /// The smallest MTU of an enhanced bearer (Core 5.4 Vol 3 Part G 5.3.1).
  public static let minimumEnhancedMTU = 64
  /// How long a transaction may take (Core 5.4 Vol 3 Part F 3.3.3).
  public static let transactionTimeout = Duration.seconds(30)

  /// The longest PDU both sides can take, in octets.
  public private(set) var mtu = ATTBearer.defaultMTU
  /// Whether it is an enhanced bearer: its MTU is that of its channel, and nothing is signed over it (Core 5.4 Vol 3 Part G 4.2).
  public let isEnhanced: Bool
  /// Whether a transaction was not completed in time. Nothing more is sent over such a bearer, and what comes over it is
  /// ignored; only a new one can take its place (Core 5.4 Vol 3 Part F 3.3.3).
  public private(set) var hasTimedOut = false
  /// The request whose response is still to come; nil when the next request may be answered.
  public internal(set) var openRequest: OpenRequest?
  /// Requests that came before the one ahead of them was answered, which no client should send (Core 5.4 Vol 3 Part F 3.3.2).
  var earlyRequests: [[UInt8]] = []
  /// The attribute whose indication waits for its confirmation, or did when the bearer timed out.
  public private(set) var indicated: UInt16?
  /// When the unconfirmed indication times out.
  public private(set) var indicationDeadline: Instant?

  /// The bearer of the fixed channel, at the default MTU.
  public init() { isEnhanced = false }

  /// An enhanced bearer on a channel with these MTUs, in octets.
  public init(receiveMTU: Int, sendMTU: Int) {
    isEnhanced = true
    setChannelMTU(receive: receiveMTU, send: sendMTU)
  }

  /// Sets the MTU of an enhanced bearer from those of its channel, in octets: the smaller (Core 5.4 Vol 3 Part G 5.3.1).
  public mutating func setChannelMTU(receive: Int, send: Int) {
    mtu = max(Self.minimumEnhancedMTU, min(receive, send))
  }

  /// When `checkRequest` or `checkIndication` has something to do next.
  public var deadline: Instant? { Instant.earliest(indicationDeadline, openRequest?.nextDeadline) }

  /// Sets the MTU from what both sides can receive, in octets: the smaller, but never below the default
  /// (Core 5.4 Vol 3 Part F 3.4.2.2).
  public mutating func setMTU(client: Int, server: Int) {
    mtu = max(Self.defaultMTU, min(client, server))
  }

  /// A transaction of either side was not completed in time: all that are open have failed.
  public mutating func timeOut() {
    hasTimedOut = true
    openRequest = nil
    earlyRequests = []
    indicationDeadline = nil
  }

  // MARK: Indications

  /// Whether an indication may be sent: one at a time is unconfirmed (Core 5.4 Vol 3 Part F 3.3.2).
  public var canIndicate: Bool { indicated == nil && !hasTimedOut }

  /// Notes that an indication of an attribute is sent now, and waits for its confirmation.
  public mutating func beginIndication(of handle: UInt16, at now: Instant) {
    guard canIndicate else { return }
    indicated = handle
    indicationDeadline = now + Self.transactionTimeout
  }

  /// Takes a confirmation. Returns the attribute that it confirms; nil when none was awaited, and it is ignored.
  public mutating func confirm() -> UInt16? {
    guard !hasTimedOut else { return nil }
    defer {
      indicated = nil
      indicationDeadline = nil
    }
    return indicated
  }

  /// Times the bearer out when its indication is overdue; true when it was.
  public mutating func checkIndication(at now: Instant) -> Bool {
    guard let indicationDeadline, indicationDeadline <= now else { return false }
    timeOut()
    return true
  }
}
