import BLEATT
import BLECore

/// The definition of a service, before it has handles (Core 5.4 Vol 3 Part G 3.1).
public struct ServiceDefinition: Hashable, Sendable {
  /// Its name in the profile and the control API.
  public var id: String
  /// The service UUID.
  public var uuid: BluetoothUUID
  /// Whether it is a primary service, which discovery finds. Secondary services are found only through includes.
  public var isPrimary: Bool
  /// The `id`s of services that this one includes (Core 5.4 Vol 3 Part G 3.2).
  public var includes: [String]
  /// Its characteristics, in the order of their handles.
  public var characteristics: [CharacteristicDefinition]
  /// The fixed handle of its declaration; nil for any.
  public var handle: UInt16?
  /// The transports over which clients find it.
  public var transports: Set<LinkTransport>

  /// Creates a service with these characteristics.
  public init(
    id: String, uuid: BluetoothUUID, isPrimary: Bool = true, includes: [String] = [],
    characteristics: [CharacteristicDefinition] = [], handle: UInt16? = nil,
    transports: Set<LinkTransport> = LinkTransport.all
  ) {
    self.id = id
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
    self.handle = handle
    self.transports = transports
  }
}

extension ServiceDefinition {
  /// Whether the discovery of primary services finds it over this transport.
  public func isDiscoverable(over transport: LinkTransport) -> Bool { isPrimary && transports.contains(transport) }
}

/// The definition of a characteristic, before it has handles (Core 5.4 Vol 3 Part G 3.3).
public struct CharacteristicDefinition: Hashable, Sendable {
  /// Its name in the profile and the control API, unique in the database.
  public var id: String
  /// The characteristic UUID.
  public var uuid: BluetoothUUID
  /// The declared properties.
  public var properties: CharacteristicProperties
  /// The access permissions.
  public var permissions: AttributePermissions
  /// The source of its value.
  public var value: AttributeValueSource
  /// The maximum length of its value, in octets; at most 512 (Core 5.4 Vol 3 Part F 3.2.9).
  public var maximumLength: Int
  /// Whether only values of exactly `maximumLength` octets may be written.
  public var hasFixedLength: Bool
  /// Whether every subscriber gets a notification whenever a controller buffer is free.
  public var notifiesContinuously: Bool
  /// Its descriptors, without the automatic ones: the Client Characteristic Configuration for notify and indicate, the Server
  /// Characteristic Configuration for broadcast, the Extended Properties for the property of that name.
  public var descriptors: [DescriptorDefinition]
  /// The access permissions of its Client and Server Characteristic Configuration.
  public var configurationPermissions: AttributePermissions
  /// The value of its Extended Properties descriptor, if any.
  public var extendedProperties: ExtendedProperties
  /// The fixed handle of its value, one after its declaration; nil for any.
  public var handle: UInt16?

  /// Creates a characteristic. By default its permissions follow from its properties, without security. Extended properties set the
  /// property of that name.
  public init(
    id: String, uuid: BluetoothUUID, properties: CharacteristicProperties,
    permissions: AttributePermissions? = nil, value: AttributeValueSource,
    maximumLength: Int = 512, hasFixedLength: Bool = false, notifiesContinuously: Bool = false,
    descriptors: [DescriptorDefinition] = [], configurationPermissions: AttributePermissions = .readableAndWritable,
    extendedProperties: ExtendedProperties = [], handle: UInt16? = nil
  ) {
    self.id = id
    self.uuid = uuid
    self.properties = extendedProperties.isEmpty ? properties : properties.union(.extendedProperties)
    self.permissions = permissions ?? properties.openPermissions
    self.value = value
    self.maximumLength = maximumLength
    self.hasFixedLength = hasFixedLength
    self.notifiesContinuously = notifiesContinuously
    self.descriptors = descriptors
    self.configurationPermissions = configurationPermissions
    self.extendedProperties = extendedProperties
    self.handle = handle
  }

  /// The names of its properties and extended properties.
  public var propertyNames: [String] { properties.presentNames + extendedProperties.presentNames }
}

/// The source of a characteristic's value.
public enum AttributeValueSource: Hashable, Sendable {
  /// The database stores it. Reads return it, accepted writes replace it.
  case stored([UInt8])
  /// The application provides it at every read.
  case asked
  /// The Client Supported Features that the requesting client has written (Core 5.4 Vol 3 Part G 7.2).
  case supportedFeatures
}

/// Characteristic Properties (Core 5.4 Vol 3 Part G 3.3.1.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
  /// The bits, as in the characteristic declaration.
  public var rawValue: UInt8
  /// Creates the properties with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value may be broadcast in advertising data.
  public static let broadcast = CharacteristicProperties(rawValue: 0x01)
  /// Clients may read it.
  public static let read = CharacteristicProperties(rawValue: 0x02)
  /// Clients may write it by Write Command.
  public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
  /// Clients may write it by Write Request.
  public static let write = CharacteristicProperties(rawValue: 0x08)
  /// Clients may subscribe to notifications.
  public static let notify = CharacteristicProperties(rawValue: 0x10)
  /// Clients may subscribe to indications.
  public static let indicate = CharacteristicProperties(rawValue: 0x20)
  /// Clients may write it by Signed Write Command.
  public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
  /// A descriptor has more properties.
  public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)

  /// The names in the order of the bits, as in profiles.
  public static let names: [(property: CharacteristicProperties, name: String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"), (.write, "write"),
    (.notify, "notify"), (.indicate, "indicate"), (.authenticatedSignedWrites, "signed-write"),
    (.extendedProperties, "extended"),
  ]

  /// The names of the properties that are set.
  public var presentNames: [String] { Self.names.filter { contains($0.property) }.map(\.name) }

  /// The ways to write a value.
  public static let anyWrite: CharacteristicProperties = [.write, .writeWithoutResponse, .authenticatedSignedWrites]

  /// The permissions that allow everything in the properties to all clients. A value with only signed writes accepts no others.
  public var openPermissions: AttributePermissions {
    AttributePermissions(
      read: contains(.read) ? AccessRequirement.open : nil,
      write: isDisjoint(with: [.write, .writeWithoutResponse]) ? nil : .open)
  }
}
