import BLEATT
import BLECore

/// What the server remembers of one client: its bearer, its subscriptions and its security. Nothing in here is shared between
/// connections.
public struct GATTClientState: Sendable {
  /// The connection handle, by which the application tells clients apart.
  public let connection: UInt16
  /// The unenhanced bearer.
  public var bearer = ATTBearer()
  /// How well the link is protected.
  public var security = LinkSecurity.open
  /// The Client Characteristic Configurations that are not zero.
  public private(set) var subscriptions: [Subscription] = []

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
}

/// Client Characteristic Configuration (Core 5.4 Vol 3 Part G 3.3.3.3).
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let notification = ClientConfiguration(rawValue: 0x0001)
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// The descriptor's value.
  var octets: [UInt8] { [UInt8(rawValue & 0xFF), UInt8(rawValue >> 8)] }
}

/// What a PDU from a client has led to, besides the answer.
public struct ServerEffects: Sendable {
  /// What an observer learns, in order.
  public var events: [ServerEvent] = []
  /// What the application wants done after the answer.
  public var actions: [ApplicationAction] = []
  /// The next indication, when a confirmation made room for it.
  public var nextIndication: HandleValueIndication?
  /// Whether single reads and writes are reported as events.
  public var reportsAccess: Bool

  /// No effects yet.
  public init(reportsAccess: Bool) { self.reportsAccess = reportsAccess }
}

/// What an observer learns of a server.
public enum ServerEvent: Hashable, Sendable {
  /// The MTU was exchanged: what the client can receive, and what holds from now on, in octets.
  case mtuExchanged(client: Int, effective: Int)
  /// A client has changed its configuration of a characteristic.
  case subscriptionChanged(CharacteristicIndex, ClientConfiguration)
  /// A client has read a characteristic's value.
  case read(CharacteristicIndex)
  /// A client has written a characteristic's value.
  case written(CharacteristicIndex, [UInt8])
  /// A client has confirmed an indication of the attribute with that handle.
  case confirmed(UInt16)
  /// A request was refused.
  case refused(ATTOpcode, handle: UInt16, ATTErrorCode)
}
