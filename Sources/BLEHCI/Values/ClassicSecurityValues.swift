import BLECore

/// How the key of a connection was made (Core 5.4 Vol 4 Part E 7.7.24).
package struct LinkKeyType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let combination = LinkKeyType(rawValue: 0x00)
  package static let debugCombination = LinkKeyType(rawValue: 0x03)
  package static let unauthenticatedP192 = LinkKeyType(rawValue: 0x04)
  package static let authenticatedP192 = LinkKeyType(rawValue: 0x05)
  /// Made anew on a connection. Its protection is that of the key before.
  package static let changedCombination = LinkKeyType(rawValue: 0x06)
  package static let unauthenticatedP256 = LinkKeyType(rawValue: 0x07)
  package static let authenticatedP256 = LinkKeyType(rawValue: 0x08)

  private static let names: [UInt8: String] = [
    0: "Combination Key", 3: "Debug Combination Key", 4: "Unauthenticated Combination Key from P-192",
    5: "Authenticated Combination Key from P-192", 6: "Changed Combination Key",
    7: "Unauthenticated Combination Key from P-256", 8: "Authenticated Combination Key from P-256",
  ]

  package var meaning: String? { meaning(in: Self.names) }

  /// Whether the key protects against an attacker in the middle.
  package var isAuthenticated: Bool { self == .authenticatedP192 || self == .authenticatedP256 }
  /// Whether the key was made by Secure Connections.
  package var isSecureConnections: Bool { self == .unauthenticatedP256 || self == .authenticatedP256 }
}

/// What the user of a device can see and enter in Secure Simple Pairing (Core 5.4 Vol 4 Part E 7.1.29).
package struct SimplePairingIOCapability: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let displayOnly = SimplePairingIOCapability(rawValue: 0x00)
  package static let displayYesNo = SimplePairingIOCapability(rawValue: 0x01)
  package static let keyboardOnly = SimplePairingIOCapability(rawValue: 0x02)
  package static let noInputNoOutput = SimplePairingIOCapability(rawValue: 0x03)

  private static let names: [UInt8: String] = [
    0: "DisplayOnly", 1: "DisplayYesNo", 2: "KeyboardOnly", 3: "NoInputNoOutput",
  ]

  package var meaning: String? { meaning(in: Self.names) }
}

/// The protection and the bonding that a device aims at in Secure Simple Pairing (Core 5.4 Vol 4 Part E 7.1.29).
package struct AuthenticationRequirements: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let noBonding = AuthenticationRequirements(rawValue: 0x00)
  package static let noBondingMITM = AuthenticationRequirements(rawValue: 0x01)
  package static let dedicatedBonding = AuthenticationRequirements(rawValue: 0x02)
  package static let dedicatedBondingMITM = AuthenticationRequirements(rawValue: 0x03)
  package static let generalBonding = AuthenticationRequirements(rawValue: 0x04)
  package static let generalBondingMITM = AuthenticationRequirements(rawValue: 0x05)

  private static let names: [UInt8: String] = [
    0: "MITM Not Required, No Bonding", 1: "MITM Required, No Bonding", 2: "MITM Not Required, Dedicated Bonding",
    3: "MITM Required, Dedicated Bonding", 4: "MITM Not Required, General Bonding", 5: "MITM Required, General Bonding",
  ]

  package var meaning: String? { meaning(in: Self.names) }

  /// Whether protection against an attacker in the middle is required.
  package var requiresMITM: Bool { rawValue & 1 != 0 }
  /// Whether the key is to be stored.
  package var bonds: Bool { (0x02...0x05).contains(rawValue) }
}

/// The out of band data that a device has of its peer (Core 5.4 Vol 4 Part E 7.1.29).
package struct OOBDataPresence: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let none = OOBDataPresence(rawValue: 0x00)
  package static let p192 = OOBDataPresence(rawValue: 0x01)
  package static let p256 = OOBDataPresence(rawValue: 0x02)
  package static let both = OOBDataPresence(rawValue: 0x03)

  private static let names: [UInt8: String] = [0: "None", 1: "P-192", 2: "P-256", 3: "P-192 and P-256"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// What a user does while entering a passkey (Core 5.4 Vol 4 Part E 7.7.49).
package struct KeypressNotification: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let started = KeypressNotification(rawValue: 0x00)
  package static let entered = KeypressNotification(rawValue: 0x01)
  package static let erased = KeypressNotification(rawValue: 0x02)
  package static let cleared = KeypressNotification(rawValue: 0x03)
  package static let completed = KeypressNotification(rawValue: 0x04)

  private static let names: [UInt8: String] = [
    0: "Passkey Entry Started", 1: "Passkey Digit Entered", 2: "Passkey Digit Erased", 3: "Passkey Cleared",
    4: "Passkey Entry Completed",
  ]

  package var meaning: String? { meaning(in: Self.names) }
}

/// A number of six decimal digits, to compare or to enter (Core 5.4 Vol 4 Part E 7.7.42).
package struct NumericValue: OpenCode {
  package var rawValue: UInt32
  @inlinable
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The six digits; nil if there are more.
  package var meaning: String? {
    guard rawValue <= 999_999 else { return nil }
    let digits = String(rawValue)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}

/// A peer and its key, in Write_Stored_Link_Key and Return_Link_Keys. The fields of a peer follow each other, as controllers send them.
package struct StoredLinkKey: OctetLayout, Hashable {
  package var address = DeviceAddress.zero
  /// The key, least significant octet first.
  package var key = [UInt8](repeating: 0, count: 16)

  package init() {}

  /// Creates the entry of a peer.
  package init(_ address: DeviceAddress, key: [UInt8]) {
    self.address = address
    self.key = key
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.octets("Link_Key", &key, count: 16)
  }
}
