import BLECore

/// Core 5.4 Vol 3 Part H 3.6.2 Encryption Information
package struct EncryptionInformation: SMPPacket, Hashable {
  package static let code = SMPCode.encryptionInformation
  /// 16 octets.
  package var key: [UInt8] = []

  package init() {}

  /// A Long Term Key.
  package init(_ key: [UInt8]) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Long Term Key", &key, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.3 Central Identification
package struct CentralIdentification: SMPPacket, Hashable {
  package static let code = SMPCode.centralIdentification
  /// EDIV.
  package var diversifier: UInt16 = 0
  /// Rand.
  package var random: UInt64 = 0

  package init() {}

  /// What names a Long Term Key.
  package init(diversifier: UInt16, random: UInt64) {
    self.diversifier = diversifier
    self.random = random
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("EDIV", &diversifier)
    try fields.integer("Rand", &random)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.4 Identity Information
package struct IdentityInformation: SMPPacket, Hashable {
  package static let code = SMPCode.identityInformation
  /// 16 octets; all zeros for a device that has none.
  package var key: [UInt8] = []

  package init() {}

  /// An Identity Resolving Key.
  package init(_ key: [UInt8]) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Identity Resolving Key", &key, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.5 Identity Address Information
package struct IdentityAddressInformation: SMPPacket, Hashable {
  package static let code = SMPCode.identityAddressInformation
  /// Public or static random.
  package var addressType = AddressType.publicDevice
  /// The identity address.
  package var address = DeviceAddress.zero

  package init() {}

  /// An identity.
  package init(_ identity: PeerIdentity) {
    addressType = identity.isRandom ? .random : .publicDevice
    address = identity.address
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
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
package struct SigningInformation: SMPPacket, Hashable {
  package static let code = SMPCode.signingInformation
  /// 16 octets.
  package var key: [UInt8] = []

  package init() {}

  /// A Connection Signature Resolving Key.
  package init(_ key: [UInt8]) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Signature Key", &key, count: 16)
  }
}
