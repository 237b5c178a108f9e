import BLEATT
import BLECore

/// A service as it is declared, before handles exist (Core 5.4 Vol 3 Part G 3.1).
public struct ServiceDefinition: Hashable, Sendable {
  /// The name by which the profile and the control API speak of it.
  public var id: String
  /// What kind of service it is.
  public var uuid: BluetoothUUID
  /// Primary services are found by discovery; secondary ones only through an include.
  public var isPrimary: Bool
  /// The `id`s of services that this one includes (Core 5.4 Vol 3 Part G 3.2).
  public var includes: [String]
  /// Its characteristics, in the order of their handles.
  public var characteristics: [CharacteristicDefinition]
  /// The handle that its declaration must have; nil when any will do.
  public var handle: UInt16?

  /// A service with these characteristics.
  public init(
    id: String, uuid: BluetoothUUID, isPrimary: Bool = true, includes: [String] = [],
    characteristics: [CharacteristicDefinition] = [], handle: UInt16? = nil
  ) {
    self.id = id
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
    self.handle = handle
  }
}

/// A characteristic as it is declared, before handles exist (Core 5.4 Vol 3 Part G 3.3).
public struct CharacteristicDefinition: Hashable, Sendable {
  /// The name by which the profile and the control API speak of it; unique in the database.
  public var id: String
  /// What kind of value it holds.
  public var uuid: BluetoothUUID
  /// What a client may do with it, as declared to the client.
  public var properties: CharacteristicProperties
  /// What a client must be to do it.
  public var permissions: AttributePermissions
  /// Where its value comes from.
  public var value: AttributeValueSource
  /// The longest value, in octets; at most 512 (Core 5.4 Vol 3 Part F 3.2.9).
  public var maximumLength: Int
  /// Whether only values of exactly `maximumLength` octets may be written.
  public var hasFixedLength: Bool
  /// Whether a notification is sent to every subscriber whenever a controller buffer is free.
  public var notifiesContinuously: Bool
  /// Its descriptors besides those that come by themselves: the Client Characteristic Configuration with notify and indicate,
  /// the Server Characteristic Configuration with broadcast, the Extended Properties with the property of that name.
  public var descriptors: [DescriptorDefinition]
  /// Who may access its Client and Server Characteristic Configuration.
  public var configurationPermissions: AttributePermissions
  /// What its Extended Properties descriptor says, where it has one.
  public var extendedProperties: ExtendedProperties
  /// The handle that its value must have, one behind its declaration; nil when any will do.
  public var handle: UInt16?

  /// A characteristic; by default with permissions that follow from its properties, without security. With extended
  /// properties it has the property of that name, too.
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

  /// The names of its properties and of its extended properties.
  public var propertyNames: [String] { properties.presentNames + extendedProperties.presentNames }
}

/// Where the value of a characteristic comes from.
public enum AttributeValueSource: Hashable, Sendable {
  /// The database keeps it; reads return it, accepted writes replace it.
  case stored([UInt8])
  /// The application is asked at every read.
  case asked
  /// What the client that asks has written as Client Supported Features (Core 5.4 Vol 3 Part G 7.2).
  case supportedFeatures
}

/// Characteristic Properties (Core 5.4 Vol 3 Part G 3.3.1.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
  /// The bits, as in the characteristic declaration.
  public var rawValue: UInt8
  /// The properties with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value may be broadcast in advertising data.
  public static let broadcast = CharacteristicProperties(rawValue: 0x01)
  /// Clients may read it.
  public static let read = CharacteristicProperties(rawValue: 0x02)
  /// Clients may write it by Write Command.
  public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
  /// Clients may write it by Write Request.
  public static let write = CharacteristicProperties(rawValue: 0x08)
  /// Clients may have it notified.
  public static let notify = CharacteristicProperties(rawValue: 0x10)
  /// Clients may have it indicated.
  public static let indicate = CharacteristicProperties(rawValue: 0x20)
  /// Clients may write it by Signed Write Command.
  public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
  /// A descriptor has further properties.
  public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)

  /// Names in the order of the bits, as profiles spell them.
  public static let names: [(property: CharacteristicProperties, name: String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"), (.write, "write"),
    (.notify, "notify"), (.indicate, "indicate"), (.authenticatedSignedWrites, "signed-write"),
    (.extendedProperties, "extended"),
  ]

  /// The names of the properties that are set.
  public var presentNames: [String] { Self.names.filter { contains($0.property) }.map(\.name) }

  /// The ways to write a value.
  public static let anyWrite: CharacteristicProperties = [.write, .writeWithoutResponse, .authenticatedSignedWrites]

  /// The permissions that let everybody do what the properties say. A value that takes only signed writes takes no others.
  public var openPermissions: AttributePermissions {
    AttributePermissions(
      read: contains(.read) ? AccessRequirement.open : nil,
      write: isDisjoint(with: [.write, .writeWithoutResponse]) ? nil : .open)
  }
}
