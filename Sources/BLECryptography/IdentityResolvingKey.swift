import BLECore

/// The key with which a device generates resolvable private addresses and its peers resolve them (Core 5.4 Vol 6 Part B 1.3.2.2, 1.3.2.3).
public struct IdentityResolvingKey: Hashable, Sendable {
  /// 16 octets, most significant first, as the address hash needs them.
  private let key: [UInt8]

  /// 16 octets, least significant first.
  public var octets: [UInt8] { key.reversed() }

  /// Creates the key from 16 octets, least significant first; nil for another length, and for all zeros, which mean no key.
  public init?(_ octets: [UInt8]) {
    guard octets.count == 16, octets.contains(where: { $0 != 0 }) else { return nil }
    key = octets.reversed()
  }

  /// Creates a new key.
  public init(random: inout some RandomNumberGenerator) {
    var octets = random.octets(16)
    // All zeros mean no key.
    if !octets.contains(where: { $0 != 0 }) { octets[0] = 1 }
    key = octets.reversed()
  }

  /// Returns the random address hash ah of `prand`, both of 24 bits (Core 5.4 Vol 3 Part H 2.2.2).
  package func addressHash(of prand: UInt32) -> UInt32 {
    var plaintext = [UInt8](repeating: 0, count: 16)
    for place in 0..<3 { plaintext[15 - place] = UInt8(truncatingIfNeeded: prand >> (8 * UInt32(place))) }
    return AESBlock.encrypt(key: key, plaintext).suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns whether `address` was generated with this key.
  public func resolves(_ address: DeviceAddress) -> Bool {
    guard address.isResolvablePrivate else { return false }
    return UInt64(addressHash(of: UInt32(address.bits >> 24))) == address.bits & 0xFF_FFFF
  }

  /// Returns a new address generated with this key.
  public func makeAddress(random: inout some RandomNumberGenerator) -> DeviceAddress {
    // The random part of prand must not be all zeros or all ones.
    let prand = UInt32(0b01 << 22) | UInt32.random(in: 1...0x3F_FFFE, using: &random)
    return DeviceAddress(bits: UInt64(prand) << 24 | UInt64(addressHash(of: prand)))
  }
}
