import BLECore

extension ServiceDefinition {
  /// Whether it is Generic Access or Generic Attribute, which the host adds itself.
  public var belongsToHost: Bool { uuid == BluetoothUUID(0x1800) || uuid == BluetoothUUID(0x1801) }

  /// Returns the Generic Access service (Core 5.4 Vol 3 Part C 12): name, appearance, and the preferred connection parameters if the
  /// accessory has any. The name is truncated to 248 octets, after a whole character. A private host declares that it resolves addresses
  /// (12.4), which a central that is not private can do as well, and that it uses only resolvable addresses after bonding (12.5).
  public static func genericAccess(
    name: String, appearance: UInt16, preferredParameters: PreferredConnectionParameters?, isPrivate: Bool = false,
    resolvesAddresses: Bool = false
  ) -> ServiceDefinition {
    var name = Substring(name)
    while name.utf8.count > 248 { name.removeLast() }
    var characteristics = [
      CharacteristicDefinition(
        id: "device-name", uuid: BluetoothUUID(0x2A00), properties: .read, value: .stored(Array(name.utf8)),
        maximumLength: 248),
      CharacteristicDefinition(
        id: "appearance", uuid: BluetoothUUID(0x2A01), properties: .read,
        value: .stored([UInt8(appearance & 0xFF), UInt8(appearance >> 8)]), maximumLength: 2),
    ]
    if let preferredParameters {
      characteristics.append(
        CharacteristicDefinition(
          id: "peripheral-preferred-connection-parameters", uuid: BluetoothUUID(0x2A04), properties: .read,
          value: .stored(preferredParameters.encoded), maximumLength: 8))
    }
    if isPrivate || resolvesAddresses {
      characteristics.append(
        CharacteristicDefinition(
          id: "central-address-resolution", uuid: .centralAddressResolution, properties: .read, value: .stored([1]),
          maximumLength: 1))
    }
    if isPrivate {
      characteristics.append(
        CharacteristicDefinition(
          id: "resolvable-private-address-only", uuid: BluetoothUUID(0x2AC9), properties: .read, value: .stored([0]),
          maximumLength: 1))
    }
    return ServiceDefinition(id: "generic-access", uuid: BluetoothUUID(0x1800), characteristics: characteristics)
  }

  /// The Generic Attribute service. It is empty if the database cannot change and clients cannot bond: without Service Changed, clients may
  /// cache the whole database (Core 5.4 Vol 3 Part G 2.5.2, 7).
  public static let genericAttribute = genericAttribute(hasServiceChanged: false, hasRobustCaching: false)

  /// Returns the Generic Attribute service. Besides Service Changed, it may have the characteristics for robust caching (Client Supported
  /// Features, Database Hash and Server Supported Features) and for enhanced bearers (both Supported Features) (Core 5.4 Vol 3 Part G 7.2,
  /// 7.4).
  public static func genericAttribute(
    hasServiceChanged: Bool, hasRobustCaching: Bool, hasEnhancedBearers: Bool = false
  ) -> ServiceDefinition {
    var characteristics: [CharacteristicDefinition] = []
    if hasServiceChanged {
      characteristics.append(
        CharacteristicDefinition(
          id: "service-changed", uuid: .serviceChanged, properties: .indicate, value: .stored([0, 0, 0, 0]),
          maximumLength: 4))
    }
    if hasRobustCaching || hasEnhancedBearers {
      characteristics.append(
        CharacteristicDefinition(
          id: "client-supported-features", uuid: .clientSupportedFeatures, properties: [.read, .write],
          value: .supportedFeatures))
    }
    if hasRobustCaching {
      characteristics.append(
        CharacteristicDefinition(
          id: "database-hash", uuid: .databaseHash, properties: .read, value: .stored([]), maximumLength: 16))
    }
    if hasRobustCaching || hasEnhancedBearers {
      characteristics.append(
        CharacteristicDefinition(
          id: "server-supported-features", uuid: .serverSupportedFeatures, properties: .read,
          value: .stored([hasEnhancedBearers ? 0x01 : 0x00]), maximumLength: 1))
    }
    return ServiceDefinition(
      id: "generic-attribute", uuid: BluetoothUUID(0x1801), characteristics: characteristics)
  }
}

/// The value of Peripheral Preferred Connection Parameters (Core 5.4 Vol 3 Part C 12.3).
public struct PreferredConnectionParameters: OctetLayout, Hashable {
  /// The shortest connection interval, in 1.25 ms; 0xFFFF for no preference.
  public var minimumInterval: UInt16 = 0xFFFF
  /// The longest connection interval, in 1.25 ms; 0xFFFF for no preference.
  public var maximumInterval: UInt16 = 0xFFFF
  /// The number of connection events that the peripheral may skip.
  public var latency: UInt16 = 0
  /// The supervision timeout, in 10 ms; 0xFFFF for no preference.
  public var timeout: UInt16 = 0xFFFF

  /// Creates parameters without preferences, and a latency of 0.
  public init() {}

  /// Visits the fields in order.
  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Minimum Connection Interval", &minimumInterval)
    try fields.integer("Maximum Connection Interval", &maximumInterval)
    try fields.integer("Peripheral Latency", &latency)
    try fields.integer("Connection Supervision Timeout Multiplier", &timeout)
  }
}
