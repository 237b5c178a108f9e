import BLEATT
import BLECore

/// The server's state of one peer's GATT client: its subscriptions, features, change-awareness, prepared writes, and security. Clients
/// share nothing of it. The state of a single bearer is in `ServerBearer`; a session has one or more bearers.
public struct GATTSession: Sendable {
  /// The client.
  public let client: ClientID
  /// The transport of its link.
  public let transport: LinkTransport
  /// The security of the link.
  public var security = LinkSecurity.open
  /// The Client Characteristic Configurations that are not zero.
  public private(set) var subscriptions: [Subscription] = []
  /// The characteristics whose configuration the client has written on this connection. Restoring a bond does not change them.
  private(set) var written: Set<CharacteristicIndex> = []
  /// The Client Supported Features that it has written.
  public internal(set) var features: ClientFeatures = [] { didSet { revision &+= 1 } }
  /// Whether the client knows the current database.
  public internal(set) var awareness = ChangeAwareness.aware {
    didSet {
      revision &+= 1
      if awareness == .unaware { changeNumber += 1 }
    }
  }
  /// The number of database changes that the client did not know of.
  private(set) var changeNumber = 0
  /// The number of the client's bearers. With several, only the Database Hash shows that it knows the database.
  public var bearerCount = 1
  /// The handles still to be indicated by Service Changed.
  public internal(set) var unreportedChange: ClosedRange<UInt16>? { didSet { revision &+= 1 } }
  /// The handles in the unconfirmed Service Changed indication.
  var reportedChange: ClosedRange<UInt16>?
  /// Incremented with every change of the stored bond state (`GATTServer.bondState`), so that the owner need not compare it.
  public private(set) var revision: UInt32 = 0
  /// Indications that wait, in order, until a bearer may send one. Each attribute has only its newest value.
  private(set) var waitingIndications: [HandleValueIndication] = []
  /// The parts that wait for an Execute Write Request.
  public internal(set) var preparedWrites = PreparedWriteQueue()
  /// The parts of Execute Write Requests that wait for the application, by bearer. They have left the queue with the request, so later
  /// cancels, executions and parts on other bearers do not affect them.
  var executing: [BearerID: PreparedWriteQueue] = [:]

  /// The configuration of one characteristic.
  public struct Subscription: Hashable, Sendable {
    /// The characteristic.
    public var characteristic: CharacteristicIndex
    /// The client's configuration; never empty.
    public var configuration: ClientConfiguration
  }

  /// Creates the state of a client that has just connected.
  public init(client: ClientID, over transport: LinkTransport = .le) {
    (self.client, self.transport) = (client, transport)
  }

  /// Returns the client's configuration of a characteristic.
  public func configuration(of characteristic: CharacteristicIndex) -> ClientConfiguration {
    for subscription in subscriptions where subscription.characteristic == characteristic {
      return subscription.configuration
    }
    return []
  }

  /// Sets the client's configuration of a characteristic; false if it is unchanged.
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

  /// Whether notifications and indications other than Service Changed must wait until the client is change-aware (Core 5.4 Vol 3 Part G
  /// 2.5.2.1).
  public var isOutOfSync: Bool { awareness != .aware && features.contains(.robustCaching) }

  // MARK: Indications that wait

  /// Appends an indication to those that wait. A newer value of an attribute replaces the older one.
  mutating func wait(_ indication: HandleValueIndication) {
    if let same = waitingIndications.firstIndex(where: { $0.handle == indication.handle }) {
      waitingIndications[same] = indication
    } else {
      waitingIndications.append(indication)
    }
  }

  /// Whether any indication waits for the confirmation of another.
  public var hasWaitingIndications: Bool { !waitingIndications.isEmpty }

  /// Removes and returns the next indication.
  mutating func nextIndication() -> HandleValueIndication? {
    waitingIndications.isEmpty ? nil : waitingIndications.removeFirst()
  }

  /// Removes the waiting indication of an attribute to which nobody is subscribed any longer. One already sent is confirmed as usual.
  mutating func withdrawIndication(of handle: UInt16) { waitingIndications.removeAll { $0.handle == handle } }
}

/// A client's knowledge of the database (Core 5.4 Vol 3 Part G 2.5.2.1).
public enum ChangeAwareness: Hashable, Sendable {
  /// It knows the current database.
  case aware
  /// The database has changed since.
  case unaware
  /// It has read the Database Hash or, with one bearer, received Database Out Of Sync. Its next request makes it aware.
  case informed
}

/// The value of Client Supported Features (Core 5.4 Vol 3 Part G 7.2).
public struct ClientFeatures: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt8
  /// Creates the features with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Robust caching: it wants an error response while it does not know the database.
  public static let robustCaching = ClientFeatures(rawValue: 0x01)
  /// It supports enhanced bearers.
  public static let enhancedBearer = ClientFeatures(rawValue: 0x02)
  /// It supports Multiple Handle Value Notifications.
  public static let multipleNotifications = ClientFeatures(rawValue: 0x04)

  /// All defined features. The other bits are reserved and read as 0.
  static let assigned: ClientFeatures = [.robustCaching, .enhancedBearer, .multipleNotifications]
}

/// The value of a Client Characteristic Configuration (Core 5.4 Vol 3 Part G 3.3.3.3).
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt16
  /// Creates the configuration with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Values are notified.
  public static let notification = ClientConfiguration(rawValue: 0x0001)
  /// Values are indicated.
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// The descriptor's value.
  var octets: [UInt8] { rawValue.littleEndianOctets }
}
