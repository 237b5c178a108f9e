import BLEATT
import BLECore

/// What the server remembers of one peer's GATT client: its subscriptions, its features, what it knows of the database, what it
/// has prepared to write, and its security. Nothing in here is shared between clients. What belongs to a single bearer is in
/// `ServerBearer`; a session has one bearer, or several.
public struct GATTSession: Sendable {
  /// Whose it is.
  public let client: ClientID
  /// How well the link is protected.
  public var security = LinkSecurity.open
  /// The Client Characteristic Configurations that are not zero.
  public private(set) var subscriptions: [Subscription] = []
  /// The characteristics whose configuration the client has written on this connection: a bond does not change them.
  private(set) var written: Set<CharacteristicIndex> = []
  /// What it has written as Client Supported Features.
  public internal(set) var features: ClientFeatures = [] { didSet { revision &+= 1 } }
  /// Whether it knows the database as it is.
  public internal(set) var awareness = ChangeAwareness.aware {
    didSet {
      revision &+= 1
      if awareness == .unaware { changeNumber += 1 }
    }
  }
  /// How often the database has changed behind the client's back.
  private(set) var changeNumber = 0
  /// How many bearers the client has: with several it shows only by the Database Hash that it knows the database.
  public var bearerCount = 1
  /// The handles that it is to hear of by Service Changed.
  public internal(set) var unreportedChange: ClosedRange<UInt16>? { didSet { revision &+= 1 } }
  /// The handles that the unconfirmed Service Changed indication names.
  var reportedChange: ClosedRange<UInt16>?
  /// Counts up with every change of what a bond keeps (`GATTServer.bondState`), so that whoever keeps it need not compare.
  public private(set) var revision: UInt32 = 0
  /// Indications that wait, in order, until a bearer may send one; of each attribute the newest value.
  private(set) var waitingIndications: [HandleValueIndication] = []
  /// The parts that wait for an Execute Write Request.
  public internal(set) var preparedWrites = PreparedWriteQueue()
  /// The parts of Execute Write Requests that wait for the application, by the bearers that these came over. They left the queue
  /// with the request: what other bearers cancel, execute or prepare since is none of them.
  var executing: [BearerID: PreparedWriteQueue] = [:]

  /// One characteristic's configuration.
  public struct Subscription: Hashable, Sendable {
    /// The characteristic.
    public var characteristic: CharacteristicIndex
    /// What the client wants of it; never empty.
    public var configuration: ClientConfiguration
  }

  /// The state of a client that has just connected.
  public init(client: ClientID) { self.client = client }

  /// The client's configuration of a characteristic.
  public func configuration(of characteristic: CharacteristicIndex) -> ClientConfiguration {
    for subscription in subscriptions where subscription.characteristic == characteristic {
      return subscription.configuration
    }
    return []
  }

  /// Sets the client's configuration of a characteristic; false when it was so already.
  mutating func configure(_ characteristic: CharacteristicIndex, _ configuration: ClientConfiguration) -> Bool {
    guard self.configuration(of: characteristic) != configuration else { return false }
    revision &+= 1
    subscriptions.removeAll { $0.characteristic == characteristic }
    if !configuration.isEmpty {
      subscriptions.append(Subscription(characteristic: characteristic, configuration: configuration))
    }
    return true
  }

  /// Notes that the client has written a configuration on this connection.
  mutating func noteWritten(_ characteristic: CharacteristicIndex) { written.insert(characteristic) }

  /// Whether notifications and indications other than Service Changed must wait until it knows the database
  /// (Core 5.4 Vol 3 Part G 2.5.2.1).
  public var isOutOfSync: Bool { awareness != .aware && features.contains(.robustCaching) }

  // MARK: Indications that wait

  /// Puts an indication behind those that wait. A newer value of an attribute takes the place of the older one.
  mutating func wait(_ indication: HandleValueIndication) {
    if let same = waitingIndications.firstIndex(where: { $0.handle == indication.handle }) {
      waitingIndications[same] = indication
    } else {
      waitingIndications.append(indication)
    }
  }

  /// Whether any indication waits until one ahead of it is confirmed.
  public var hasWaitingIndications: Bool { !waitingIndications.isEmpty }

  /// Takes the next indication out.
  mutating func nextIndication() -> HandleValueIndication? {
    waitingIndications.isEmpty ? nil : waitingIndications.removeFirst()
  }

  /// Forgets the indication of an attribute that waits, because nobody takes it any more. One on its way is confirmed all the same.
  mutating func withdrawIndication(of handle: UInt16) { waitingIndications.removeAll { $0.handle == handle } }
}

/// What a client knows of the database (Core 5.4 Vol 3 Part G 2.5.2.1).
public enum ChangeAwareness: Hashable, Sendable {
  /// It knows the database as it is.
  case aware
  /// The database has changed since.
  case unaware
  /// It has read the Database Hash or, with one bearer, got Database Out Of Sync: its next request shows that it knows.
  case informed
}

/// The value of Client Supported Features (Core 5.4 Vol 3 Part G 7.2).
public struct ClientFeatures: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt8
  /// The features with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It wants to be told when it does not know the database.
  public static let robustCaching = ClientFeatures(rawValue: 0x01)
  /// It can use enhanced bearers.
  public static let enhancedBearer = ClientFeatures(rawValue: 0x02)
  /// It takes Multiple Handle Value Notifications.
  public static let multipleNotifications = ClientFeatures(rawValue: 0x04)

  /// All that mean something; the other bits are kept for the future, and read as 0.
  static let assigned: ClientFeatures = [.robustCaching, .enhancedBearer, .multipleNotifications]
}

/// Client Characteristic Configuration (Core 5.4 Vol 3 Part G 3.3.3.3).
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt16
  /// The configuration with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Values are notified.
  public static let notification = ClientConfiguration(rawValue: 0x0001)
  /// Values are indicated.
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// The descriptor's value.
  var octets: [UInt8] { rawValue.littleEndianOctets }
}
