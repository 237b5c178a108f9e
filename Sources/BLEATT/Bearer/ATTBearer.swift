import BLECore

/// What an ATT bearer remembers between PDUs (Core 5.4 Vol 3 Part F 3.2.11 and 3.3.2): its MTU, the parts of prepared writes,
/// and the indication that waits for its confirmation.
public struct ATTBearer: Sendable {
  /// The smallest MTU, which every bearer begins with.
  public static let defaultMTU = 23
  /// How long a transaction may take before the bearer is dead (Core 5.4 Vol 3 Part F 3.3.3).
  public static let transactionTimeout = Duration.seconds(30)

  /// The longest PDU both sides can take, in octets.
  public private(set) var mtu = ATTBearer.defaultMTU
  /// The parts that wait for an Execute Write Request.
  public var preparedWrites = PreparedWriteQueue()
  /// The attribute whose indication waits for a confirmation.
  public private(set) var indicated: UInt16?
  /// Indications that wait for their turn: one at a time may be unconfirmed.
  private var waitingIndications: [HandleValueIndication] = []
  /// When the unconfirmed indication kills the bearer.
  public private(set) var deadline: Instant?

  /// A bearer at the default MTU.
  public init() {}

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
      deadline = now + Self.transactionTimeout
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
    deadline = nil
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
    deadline = nil
    guard !waitingIndications.isEmpty else { return (confirmed, nil) }
    return (confirmed, submit(waitingIndications.removeFirst(), at: now))
  }
}

/// The parts of prepared writes of one bearer, in the order they came (Core 5.4 Vol 3 Part F 3.3.1, 3.4.6).
public struct PreparedWriteQueue: Sendable {
  /// How many parts it holds at the most. At the default MTU a value of 512 octets takes 29.
  public static let capacity = 64

  /// The parts in order.
  public private(set) var parts: [PrepareWriteRequest] = []

  /// An empty queue.
  public init() {}

  /// Adds a part; false when the queue is full.
  public mutating func append(_ part: PrepareWriteRequest) -> Bool {
    guard parts.count < Self.capacity else { return false }
    parts.append(part)
    return true
  }

  /// Takes all parts out.
  public mutating func removeAll() -> [PrepareWriteRequest] {
    defer { parts.removeAll() }
    return parts
  }
}
