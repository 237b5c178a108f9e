import BLECore

/// What an ATT bearer remembers between PDUs (Core 5.4 Vol 3 Part F 3.2.11 and 3.3.2): its MTU, the request that waits for its
/// answer, and the indication that waits for its confirmation. A client has one bearer, or several.
public struct ATTBearer: Sendable {
  /// The smallest MTU, which every bearer begins with.
  public static let defaultMTU = 23
  /// How long a transaction may take before the bearer is dead (Core 5.4 Vol 3 Part F 3.3.3).
  public static let transactionTimeout = Duration.seconds(30)

  /// The longest PDU both sides can take, in octets.
  public private(set) var mtu = ATTBearer.defaultMTU
  /// The request whose answer is still to come; nil when the next request may be answered.
  public internal(set) var openRequest: OpenRequest?
  /// Requests that came before the one ahead of them was answered, which no client should send (Core 5.4 Vol 3 Part F 3.3.2).
  var earlyRequests: [[UInt8]] = []
  /// The attribute whose indication waits for a confirmation.
  public private(set) var indicated: UInt16?
  /// Indications that wait for their turn: one at a time may be unconfirmed.
  private var waitingIndications: [HandleValueIndication] = []
  /// When the unconfirmed indication kills the bearer.
  public private(set) var indicationDeadline: Instant?

  /// A bearer at the default MTU.
  public init() {}

  /// When something about it is due: an indication is not confirmed, or a request not answered in time.
  public var deadline: Instant? { Instant.earliest(indicationDeadline, openRequest?.nextDeadline) }

  /// Settles the MTU from what both sides can receive: the smaller, but never below the default
  /// (Core 5.4 Vol 3 Part F 3.4.2.2).
  public mutating func settleMTU(client: Int, server: Int) {
    mtu = max(Self.defaultMTU, min(client, server))
  }

  /// Takes an indication and returns it if it may be sent now; otherwise it waits until those before it are confirmed.
  /// A newer value of an attribute that already waits replaces the older one.
  public mutating func submit(_ indication: HandleValueIndication, at now: Instant) -> HandleValueIndication? {
    guard indicated != nil else {
      indicated = indication.handle
      indicationDeadline = now + Self.transactionTimeout
      return indication
    }
    if let same = waitingIndications.firstIndex(where: { $0.handle == indication.handle }) {
      waitingIndications[same] = indication
    } else {
      waitingIndications.append(indication)
    }
    return nil
  }

  /// Gives up on the unconfirmed indication and on those behind it: the bearer is dead
  /// (Core 5.4 Vol 3 Part F 3.3.3).
  public mutating func abandonTransaction() {
    indicated = nil
    indicationDeadline = nil
    waitingIndications = []
  }

  /// Forgets the indications of an attribute that wait for their turn, because nobody wants them any more. The one on its way
  /// is confirmed all the same.
  public mutating func withdrawIndications(of handle: UInt16) {
    waitingIndications.removeAll { $0.handle == handle }
  }

  /// Takes a confirmation. Returns the attribute that it confirms, nil when none was awaited (it is then ignored), and the
  /// next indication to send.
  public mutating func confirm(at now: Instant) -> (confirmed: UInt16?, next: HandleValueIndication?) {
    guard let confirmed = indicated else { return (nil, nil) }
    indicated = nil
    indicationDeadline = nil
    guard !waitingIndications.isEmpty else { return (confirmed, nil) }
    return (confirmed, submit(waitingIndications.removeFirst(), at: now))
  }
}
