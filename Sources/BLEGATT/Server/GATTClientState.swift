import BLEATT
import BLECore

/// What the server remembers of one client: its subscriptions, its features, what it knows of the database, and its security.
/// What belongs to a single bearer (MTU, transactions) is in `bearer`. Nothing in here is shared between clients.
public struct GATTClientState: Sendable {
  /// The connection handle, by which the application tells clients apart.
  public let connection: UInt16
  /// The unenhanced bearer.
  public var bearer = ATTBearer()
  /// How well the link is protected.
  public var security = LinkSecurity.open
  /// The Client Characteristic Configurations that are not zero.
  public private(set) var subscriptions: [Subscription] = []
  /// What it has written as Client Supported Features.
  public internal(set) var features: ClientFeatures = []
  /// Whether it knows the database as it is.
  public internal(set) var awareness = ChangeAwareness.aware
  /// The handles that it is to hear of by Service Changed.
  public internal(set) var unreportedChange: ClosedRange<UInt16>?
  /// The handles that a Service Changed indication on its way names.
  var reportedChange: ClosedRange<UInt16>?
  /// The parts that wait for an Execute Write Request.
  public internal(set) var preparedWrites = PreparedWriteQueue()
  /// What the application will answer later.
  var questions: [OpenQuestion] = []

  /// One characteristic's configuration.
  public struct Subscription: Hashable, Sendable {
    /// The characteristic.
    public var characteristic: CharacteristicIndex
    /// What the client wants of it; never empty.
    public var configuration: ClientConfiguration
  }

  /// The state of a client that has just connected.
  public init(connection: UInt16) { self.connection = connection }

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
    subscriptions.removeAll { $0.characteristic == characteristic }
    if !configuration.isEmpty {
      subscriptions.append(Subscription(characteristic: characteristic, configuration: configuration))
    }
    return true
  }

  /// Whether notifications and indications other than Service Changed must wait until it knows the database
  /// (Core 5.4 Vol 3 Part G 2.5.2.1).
  public var isOutOfSync: Bool { awareness != .aware && features.contains(.robustCaching) }

  /// The tickets of what the application will answer later.
  public var tickets: [AnswerTicket] { questions.map(\.ticket) }
}

/// What a client knows of the database (Core 5.4 Vol 3 Part G 2.5.2.1).
public enum ChangeAwareness: Hashable, Sendable {
  /// It knows the database as it is.
  case aware
  /// The database has changed since.
  case unaware
  /// It has got Database Out Of Sync, or read the Database Hash: its next request shows that it knows.
  case told
}

/// The value of Client Supported Features (Core 5.4 Vol 3 Part G 7.2).
public struct ClientFeatures: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8
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
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let notification = ClientConfiguration(rawValue: 0x0001)
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// The descriptor's value.
  var octets: [UInt8] { rawValue.littleEndianOctets }
}
