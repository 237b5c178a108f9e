import BLECore

/// One attribute of the database (Core 5.4 Vol 3 Part F 3.2).
public struct Attribute: Sendable {
  /// Its handle, 0x0001...0xFFFF.
  public let handle: UInt16
  /// Its type.
  public let type: BluetoothUUID
  /// Who may access it.
  public var permissions: AttributePermissions
  /// What it is in the hierarchy of GATT.
  public let role: Role
  /// Its value, where the database keeps it.
  public var value: [UInt8]
  /// The longest value it takes, in octets.
  public let maximumLength: Int
  /// Whether only values of exactly that length are taken.
  public let hasFixedLength: Bool

  /// The characteristic that it belongs to; nil for declarations of services and includes.
  public var characteristic: CharacteristicIndex? {
    switch role {
    case .service, .include: nil
    case .characteristicDeclaration(let index), .storedValue(let index), .askedValue(let index),
      .supportedFeatures(let index), .clientConfiguration(let index), .serverConfiguration(let index),
      .descriptor(let index):
      index
    }
  }

  /// What an attribute is in the hierarchy of GATT (Core 5.4 Vol 3 Part G 3).
  public enum Role: Hashable, Sendable {
    /// A primary or secondary service declaration.
    case service
    /// An include declaration.
    case include
    /// A characteristic declaration.
    case characteristicDeclaration(CharacteristicIndex)
    /// A characteristic value that the database keeps.
    case storedValue(CharacteristicIndex)
    /// A characteristic value that the application is asked for.
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
  /// What kind of service it is.
  public let uuid: BluetoothUUID
  /// Whether it is a primary service.
  public let isPrimary: Bool
  /// From its declaration to its last attribute.
  public internal(set) var handles: ClosedRange<UInt16>
}

/// A characteristic in the database.
public struct CharacteristicRecord: Sendable {
  /// How the application counts it.
  public let index: CharacteristicIndex
  /// As it was declared.
  public let definition: CharacteristicDefinition
  /// What the server needs of a link to send its value by itself.
  let sending: SendingRequirement
  /// The handle of its declaration.
  public let declaration: UInt16
  /// The handle of its value.
  public let value: UInt16
  /// The handle of its Client Characteristic Configuration, where it has one.
  public internal(set) var configuration: UInt16?
  /// The handle of its Server Characteristic Configuration, where it has one.
  public internal(set) var serverConfiguration: UInt16?
  /// Whether the application stands behind it, and not the host itself.
  public let belongsToApplication: Bool
  /// Whether it is in the database: one that was removed keeps its index for a while, so that nothing else is taken for it.
  public internal(set) var isPresent = true
}
