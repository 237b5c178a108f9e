import BLECore

/// The definition of a characteristic descriptor (Core 5.4 Vol 3 Part G 3.3.3).
public struct DescriptorDefinition: Hashable, Sendable {
  /// The descriptor UUID.
  public var uuid: BluetoothUUID
  /// The access permissions.
  public var permissions: AttributePermissions
  /// Its initial value.
  public var value: [UInt8]
  /// The maximum length of a written value, in octets.
  public var maximumLength: Int
  /// The `id`s of the characteristics whose Presentation Format handles an Aggregate Format lists. Its value is built from them.
  public var aggregates: [String]
  /// The fixed handle; nil for any.
  public var handle: UInt16?

  /// Creates a descriptor. By default anyone may read it and nobody may write it.
  public init(
    uuid: BluetoothUUID, permissions: AttributePermissions = .readable, value: [UInt8], maximumLength: Int? = nil,
    aggregates: [String] = [], handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.permissions = permissions
    self.value = value
    self.maximumLength = maximumLength ?? value.count
    self.aggregates = aggregates
    self.handle = handle
  }
}

extension DescriptorDefinition {
  /// Returns a Characteristic User Description (Core 5.4 Vol 3 Part G 3.3.3.2). With `maximumLength` clients may write it, as the extended
  /// property Writable Auxiliaries indicates.
  public static func userDescription(_ text: String, maximumLength: Int? = nil) -> DescriptorDefinition {
    DescriptorDefinition(
      uuid: .userDescription, permissions: maximumLength == nil ? .readable : .readableAndWritable,
      value: Array(text.utf8), maximumLength: maximumLength)
  }

  /// Returns a Characteristic Presentation Format (Core 5.4 Vol 3 Part G 3.3.3.5).
  public static func presentationFormat(_ format: CharacteristicPresentationFormat) -> DescriptorDefinition {
    DescriptorDefinition(uuid: .presentationFormat, value: format.encoded)
  }

  /// Returns a Characteristic Aggregate Format (Core 5.4 Vol 3 Part G 3.3.3.6): the handles of the Presentation Formats of these
  /// characteristics, in this order.
  public static func aggregateFormat(of characteristics: [String]) -> DescriptorDefinition {
    DescriptorDefinition(uuid: .aggregateFormat, value: [], aggregates: characteristics)
  }

  /// Returns a Valid Range (Assigned Numbers 3.7): the lowest and the highest value, each in the format of the characteristic.
  public static func validRange(_ lowest: [UInt8], _ highest: [UInt8]) -> DescriptorDefinition {
    DescriptorDefinition(uuid: .validRange, value: lowest + highest)
  }

  /// Returns a Report Reference (HID over GATT), which identifies the characteristic's report in the report map.
  public static func reportReference(id: UInt8, type: UInt8) -> DescriptorDefinition {
    DescriptorDefinition(uuid: .reportReference, value: [id, type])
  }

  /// Returns an External Report Reference (HID over GATT): the characteristic of another service that is part of a report map.
  public static func externalReportReference(_ characteristic: BluetoothUUID) -> DescriptorDefinition {
    DescriptorDefinition(uuid: .externalReportReference, value: characteristic.littleEndianOctets)
  }
}

/// The value of a Characteristic Extended Properties descriptor (Core 5.4 Vol 3 Part G 3.3.3.1).
public struct ExtendedProperties: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt16
  /// Creates the properties with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The value can be written in prepared parts.
  public static let reliableWrite = ExtendedProperties(rawValue: 0x0001)
  /// The User Description can be written.
  public static let writableAuxiliaries = ExtendedProperties(rawValue: 0x0002)

  /// The names in the order of the bits, as in profiles.
  public static let names: [(property: ExtendedProperties, name: String)] = [
    (.reliableWrite, "reliable-write"), (.writableAuxiliaries, "writable-auxiliaries"),
  ]

  /// The names of the properties that are set.
  public var presentNames: [String] { Self.names.filter { contains($0.property) }.map(\.name) }

  /// The descriptor's value.
  var octets: [UInt8] { rawValue.littleEndianOctets }
}

/// The value of a Characteristic Presentation Format descriptor (Core 5.4 Vol 3 Part G 3.3.3.5).
public struct CharacteristicPresentationFormat: OctetLayout, Hashable {
  /// The type of the value (Assigned Numbers 2.4.1).
  public var format: UInt8 = 0
  /// The power of ten that scales the value.
  public var exponent: Int8 = 0
  /// The unit (Assigned Numbers 3.5).
  public var unit: UInt16 = 0x2700
  /// The organization that assigns the description: 0x01 is the Bluetooth SIG.
  public var namespace: UInt8 = 1
  /// The description of what the value measures, such as left or right.
  public var description: UInt16 = 0

  /// Creates a format with zero in every field, except the default unit and namespace.
  public init() {}

  /// Creates a format with these fields.
  public init(format: UInt8, exponent: Int8 = 0, unit: UInt16 = 0x2700, namespace: UInt8 = 1, description: UInt16 = 0) {
    self.format = format
    self.exponent = exponent
    self.unit = unit
    self.namespace = namespace
    self.description = description
  }

  /// Visits the fields in order.
  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Format", &format)
    try fields.integer("Exponent", &exponent)
    try fields.integer("Unit", &unit)
    try fields.integer("Namespace", &namespace)
    try fields.integer("Description", &description)
  }
}
