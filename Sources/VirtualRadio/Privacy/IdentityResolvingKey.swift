import BLECore

/// The key with which a device generates resolvable private addresses and its peers resolve them (Core 5.4 Vol 6 Part B 1.3.2.2, 1.3.2.3).
struct IdentityResolvingKey: Hashable, Sendable {
  /// 16 octets, most significant first.
  private let octets: [UInt8]

  /// Creates the key from an HCI command, least significant octet first; nil for all zeros, which mean no key.
  init?(littleEndian octets: [UInt8]) {
    guard octets.contains(where: { $0 != 0 }) else { return nil }
    self.octets = octets.reversed()
  }

  /// Returns the random address hash function ah, 24 bits (Core 5.4 Vol 3 Part H 2.2.2).
  func hash(of prand: UInt32) -> UInt32 {
    let padding = [UInt8](repeating: 0, count: 13)
    let block = AESBlock.encrypt(key: octets, padding + (0..<3).reversed().map { UInt8(prand >> (8 * $0) & 0xFF) })
    return block.suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns whether `address` was generated with this key.
  func resolves(_ address: DeviceAddress) -> Bool {
    guard address.isResolvablePrivate else { return false }
    return UInt64(hash(of: UInt32(address.bits >> 24))) == address.bits & 0xFF_FFFF
  }

  /// Returns a new address generated with this key.
  func makeAddress(random: inout SplitMix64) -> DeviceAddress {
    // The random part of prand must not be all zeros or all ones.
    let prand = UInt32(0b01 << 22 | 1 + random.upTo(0x3F_FFFD))
    return DeviceAddress(bits: UInt64(prand) << 24 | UInt64(hash(of: prand)))
  }
}
