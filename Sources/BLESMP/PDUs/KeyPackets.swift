import BLECore

/// Encryption Information (Core 5.4 Vol 3 Part H 3.6.2).
package struct EncryptionInformation: SMPPacket, Hashable {
  package static let code = SMPCode.encryptionInformation
  /// 16 octets.
  package var key: [UInt8] = []

  package init() {}

  /// Creates the packet with a Long Term Key.
  package init(_ key: [UInt8]) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Long Term Key", &key, count: 16)
  }
}

/// Central Identification (Core 5.4 Vol 3 Part H 3.6.3).
package struct CentralIdentification: SMPPacket, Hashable {
  package static let code = SMPCode.centralIdentification
  /// EDIV.
  package var diversifier: UInt16 = 0
  /// Rand.
  package var random: UInt64 = 0

  package init() {}

  /// Creates the packet with the identifiers of a Long Term Key.
  package init(diversifier: UInt16, random: UInt64) {
    self.diversifier = diversifier
    self.random = random
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("EDIV", &diversifier)
    try fields.integer("Rand", &random)
  }
}

/// Identity Information (Core 5.4 Vol 3 Part H 3.6.4).
package struct IdentityInformation: SMPPacket, Hashable {
  package static let code = SMPCode.identityInformation
  /// 16 octets; all zeros if the device has no key.
  package var key: [UInt8] = []

  package init() {}

  /// Creates the packet with an Identity Resolving Key.
  package init(_ key: [UInt8]) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Identity Resolving Key", &key, count: 16)
  }
}

/// Identity Address Information (Core 5.4 Vol 3 Part H 3.6.5).
package struct IdentityAddressInformation: SMPPacket, Hashable {
  package static let code = SMPCode.identityAddressInformation
  /// Public or static random.
  package var addressType = AddressType.publicDevice
  /// The identity address.
  package var address = DeviceAddress.zero

  package init() {}

  /// Creates the packet with an identity.
  package init(_ identity: TypedAddress) {
    addressType = identity.type
    address = identity.address
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("AddrType", &addressType)
    try fields.address("BD_ADDR", &address)
  }

  /// The identity; nil if the type is reserved, or the address is random but not static.
  var identity: TypedAddress? {
    switch addressType {
    case .publicDevice: TypedAddress(address: address, isRandom: false)
    case .random where address.isValidRandomStatic: TypedAddress(address: address, isRandom: true)
    default: nil
    }
  }
}

/// Signing Information (Core 5.4 Vol 3 Part H 3.6.6).
package struct SigningInformation: SMPPacket, Hashable {
  package static let code = SMPCode.signingInformation
  /// 16 octets.
  package var key: [UInt8] = []

  package init() {}

  /// Creates the packet with a Connection Signature Resolving Key.
  package init(_ key: [UInt8]) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Signature Key", &key, count: 16)
  }
}
