import BLECore

/// One attribute of the database (Core 5.4 Vol 3 Part F 3.2).
public struct Attribute: Sendable {
  /// Its handle, 0x0001...0xFFFF.
  public let handle: UInt16
  /// Its type.
  public let type: BluetoothUUID
  /// The access permissions.
  public var permissions: AttributePermissions
  /// Its role in the GATT hierarchy.
  public let role: Role
  /// Its value, if the database stores it.
  public var value: [UInt8]
  /// The maximum length of its value, in octets.
  public let maximumLength: Int
  /// Whether only values of exactly that length are accepted.
  public let hasFixedLength: Bool

  /// Its characteristic; nil for declarations of services and includes.
  public var characteristic: CharacteristicIndex? {
    switch role {
    case .service, .include: nil
    case .characteristicDeclaration(let index), .storedValue(let index), .askedValue(let index),
      .supportedFeatures(let index), .clientConfiguration(let index), .serverConfiguration(let index),
      .descriptor(let index):
      index
    }
  }

  /// The role of an attribute in the GATT hierarchy (Core 5.4 Vol 3 Part G 3).
  public enum Role: Hashable, Sendable {
    /// A primary or secondary service declaration.
    case service
    /// An include declaration.
    case include
    /// A characteristic declaration.
    case characteristicDeclaration(CharacteristicIndex)
    /// A characteristic value that the database stores.
    case storedValue(CharacteristicIndex)
    /// A characteristic value that the application provides.
    case askedValue(CharacteristicIndex)
    /// The value of Client Supported Features, which is per client.
    case supportedFeatures(CharacteristicIndex)
    /// A Client Characteristic Configuration, whose value is per client.
    case clientConfiguration(CharacteristicIndex)
    /// A Server Characteristic Configuration, whose value is the same for all clients.
    case serverConfiguration(CharacteristicIndex)
    /// Any other descriptor.
    case descriptor(CharacteristicIndex)
  }
}

/// A service in the database.
public struct ServiceRecord: Sendable {
  /// Its name in the profile.
  public let id: String
  /// The service UUID.
  public let uuid: BluetoothUUID
  /// Whether it is a primary service.
  public let isPrimary: Bool
  /// The handles from its declaration to its last attribute.
  public internal(set) var handles: ClosedRange<UInt16>
  /// The transports over which clients find it.
  public let transports: Set<LinkTransport>
}

extension ServiceRecord {
  /// Whether the discovery of primary services finds it over this transport.
  public func isDiscoverable(over transport: LinkTransport) -> Bool { isPrimary && transports.contains(transport) }
}

/// A service that one transport lacks.
struct RestrictedService: Sendable {
  /// The positions of its attributes.
  let positions: Range<Int>
  let transports: Set<LinkTransport>
}

/// A characteristic in the database.
public struct CharacteristicRecord: Sendable {
  /// Its index for the application.
  public let index: CharacteristicIndex
  /// Its definition.
  public let definition: CharacteristicDefinition
  /// The link security that the server requires to send its value.
  let sending: SendingRequirement
  /// The handle of its declaration.
  public let declaration: UInt16
  /// The handle of its value.
  public let value: UInt16
  /// The handle of its Client Characteristic Configuration, if any.
  public internal(set) var configuration: UInt16?
  /// The handle of its Server Characteristic Configuration, if any.
  public internal(set) var serverConfiguration: UInt16?
  /// Whether it belongs to the application and not to the host itself.
  public let belongsToApplication: Bool
  /// Whether it is in the database. A removed one keeps its index for a while, so that no other is mistaken for it.
  public internal(set) var isPresent = true
}
