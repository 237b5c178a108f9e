import BLECore

/// Core 5.4 Vol 3 Part H 3.6.2 Encryption Information
public struct EncryptionInformation: SMPPacket, Hashable {
  public static let code = SMPCode.encryptionInformation
  /// 16 octets.
  public var key: [UInt8] = []

  public init() {}

  /// A Long Term Key.
  public init(_ key: [UInt8]) { self.key = key }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Long Term Key", &key, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.3 Central Identification
public struct CentralIdentification: SMPPacket, Hashable {
  public static let code = SMPCode.centralIdentification
  /// EDIV.
  public var diversifier: UInt16 = 0
  /// Rand.
  public var random: UInt64 = 0

  public init() {}

  /// What names a Long Term Key.
  public init(diversifier: UInt16, random: UInt64) {
    self.diversifier = diversifier
    self.random = random
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("EDIV", &diversifier)
    try fields.integer("Rand", &random)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.4 Identity Information
public struct IdentityInformation: SMPPacket, Hashable {
  public static let code = SMPCode.identityInformation
  /// 16 octets; all zeros for a device that has none.
  public var key: [UInt8] = []

  public init() {}

  /// An Identity Resolving Key.
  public init(_ key: [UInt8]) { self.key = key }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Identity Resolving Key", &key, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.5 Identity Address Information
public struct IdentityAddressInformation: SMPPacket, Hashable {
  public static let code = SMPCode.identityAddressInformation
  /// Public or static random.
  public var addressType = AddressType.publicDevice
  /// The identity address.
  public var address = DeviceAddress.zero

  public init() {}

  /// An identity.
  public init(_ identity: PeerIdentity) {
    addressType = identity.isRandom ? .random : .publicDevice
    address = identity.address
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("AddrType", &addressType)
    try fields.address("BD_ADDR", &address)
  }

  /// The identity; nil when the type is reserved, or the address is random and not static.
  var identity: PeerIdentity? {
    switch addressType {
    case .publicDevice: PeerIdentity(address: address, isRandom: false)
    case .random where address.isValidRandomStatic: PeerIdentity(address: address, isRandom: true)
    default: nil
    }
  }
}

/// Core 5.4 Vol 3 Part H 3.6.6 Signing Information
public struct SigningInformation: SMPPacket, Hashable {
  public static let code = SMPCode.signingInformation
  /// 16 octets.
  public var key: [UInt8] = []

  public init() {}

  /// A Connection Signature Resolving Key.
  public init(_ key: [UInt8]) { self.key = key }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Signature Key", &key, count: 16)
  }
}
