import BLECore

/// An ATT bearer: its MTU, and at most one transaction in each direction (Core 5.4 Vol 3 Part F 3.2.8, 3.3.2). A client has the bearer of
/// the fixed channel and may have enhanced bearers.
public struct ATTBearer: Sendable {
  /// The default MTU, which is the minimum on the fixed channel.
  public static let defaultMTU = 23
  /// The smallest MTU of an enhanced bearer (Core 5.4 Vol 3 Part G 5.3.1).
  public static let minimumEnhancedMTU = 64
  /// The smallest MTU of a bearer over BR/EDR (Core 5.4 Vol 3 Part G 5.4).
  public static let minimumClassicMTU = 48
  /// The maximum duration of a transaction (Core 5.4 Vol 3 Part F 3.3.3).
  public static let transactionTimeout = Duration.seconds(30)

  /// The longest PDU that both sides can receive, in octets.
  public private(set) var mtu = ATTBearer.defaultMTU
  /// Whether it is on a dynamic channel: an enhanced bearer, or one over BR/EDR. Its MTU is that of its channel, and it has no signed writes
  /// (Core 5.4 Vol 3 Part G 4.2, 4.3.1).
  public let isOnDynamicChannel: Bool
  private let minimumMTU: Int
  /// Whether a transaction was not completed in time. Nothing more is sent on such a bearer, and received PDUs are ignored. Only a new
  /// bearer can replace it (Core 5.4 Vol 3 Part F 3.3.3).
  public private(set) var hasTimedOut = false
  /// The request whose response is outstanding; nil if the next request may be answered.
  public internal(set) var openRequest: OpenRequest?
  /// Requests that arrived before the previous one was answered, which clients should not send (Core 5.4 Vol 3 Part F 3.3.2).
  var earlyRequests: [[UInt8]] = []
  /// The attribute whose indication is unconfirmed, or was when the bearer timed out.
  public private(set) var indicated: UInt16?
  /// When the unconfirmed indication times out.
  public private(set) var indicationDeadline: Instant?

  /// Creates the bearer of the fixed channel, with the default MTU.
  public init() {
    isOnDynamicChannel = false
    minimumMTU = Self.defaultMTU
  }

  /// Creates a bearer on a dynamic channel with these MTUs, in octets; by default an enhanced one.
  public init(receiveMTU: Int, sendMTU: Int, minimum: Int = minimumEnhancedMTU) {
    isOnDynamicChannel = true
    minimumMTU = minimum
    setChannelMTU(receive: receiveMTU, send: sendMTU)
  }

  /// Sets the MTU of a bearer on a dynamic channel to the smaller of the channel's MTUs, in octets (Core 5.4 Vol 3 Part G 5.3.1).
  public mutating func setChannelMTU(receive: Int, send: Int) {
    mtu = max(minimumMTU, min(receive, send))
  }

  /// When `checkRequest` or `checkIndication` must be called next.
  public var deadline: Instant? { Instant.earliest(indicationDeadline, openRequest?.nextDeadline) }

  /// Sets the MTU to the smaller of the lengths that both sides can receive, in octets, but at least the default (Core 5.4 Vol 3 Part F
  /// 3.4.2.2).
  public mutating func setMTU(client: Int, server: Int) {
    mtu = max(Self.defaultMTU, min(client, server))
  }

  /// Times the bearer out because a transaction of either side was not completed in time. All open transactions fail.
  public mutating func timeOut() {
    hasTimedOut = true
    openRequest = nil
    earlyRequests = []
    indicationDeadline = nil
  }

  // MARK: Indications

  /// Whether an indication may be sent. Only one may be unconfirmed (Core 5.4 Vol 3 Part F 3.3.2).
  public var canIndicate: Bool { indicated == nil && !hasTimedOut }

  /// Notes that an indication of an attribute is being sent and waits for its confirmation.
  public mutating func beginIndication(of handle: UInt16, at now: Instant) {
    guard canIndicate else { return }
    indicated = handle
    indicationDeadline = now + Self.transactionTimeout
  }

  /// Processes a confirmation. Returns the confirmed attribute; nil if none was awaited, and the confirmation is ignored.
  public mutating func confirm() -> UInt16? {
    guard !hasTimedOut else { return nil }
    defer {
      indicated = nil
      indicationDeadline = nil
    }
    return indicated
  }

  /// Times the bearer out if its indication is overdue. Returns whether it was.
  public mutating func checkIndication(at now: Instant) -> Bool {
    guard let indicationDeadline, indicationDeadline <= now else { return false }
    timeOut()
    return true
  }
}
