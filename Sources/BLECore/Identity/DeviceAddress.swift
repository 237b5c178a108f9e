/// A Bluetooth device address: 48 bits (Core 5.4 Vol 6 Part B 1.3). Its type, public or random, is stored separately.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address as a number; only the low 48 bits are used.
  public var bits: UInt64

  /// Creates the address with these 48 bits.
  @inlinable
  public init(bits: UInt64) { self.bits = bits & 0xFFFF_FFFF_FFFF }

  /// The all-zero address, which no device has.
  public static let zero = DeviceAddress(bits: 0)

  /// Creates the address from six octets, least significant first, as on the wire. Missing octets are zero.
  @inlinable
  public init(littleEndianOctets octets: [UInt8]) {
    var bits: UInt64 = 0
    for octet in octets.prefix(6).reversed() { bits = bits << 8 | UInt64(octet) }
    self.init(bits: bits)
  }

  /// Six octets, least significant first.
  @inlinable
  public var littleEndianOctets: [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
  }

  /// Creates the address from text such as `C4:12:34:56:78:9A`, most significant octet first. Hyphens are also accepted.
  public init?(_ text: some StringProtocol) {
    let separators = [UInt8(ascii: ":"), UInt8(ascii: "-")]
    guard text.utf8.count == 17, let octets = [UInt8](hexadecimal: text), octets.count == 6,
      text.utf8.enumerated().allSatisfy({ separators.contains($1) == ($0 % 3 == 2) })
    else { return nil }
    self.init(littleEndianOctets: octets.reversed())
  }

  /// Six octets in hexadecimal, most significant first, separated by colons.
  public var description: String { String { $0.append(self) } }

  /// Whether the two most significant bits identify a random static address (Core 5.4 Vol 6 Part B 1.3.2.1) and the random part is neither
  /// all zeros nor all ones.
  public var isValidRandomStatic: Bool {
    let random = bits & 0x3FFF_FFFF_FFFF
    return bits >> 46 == 0b11 && random != 0 && random != 0x3FFF_FFFF_FFFF
  }

  /// Whether the two most significant bits of a random address identify a resolvable private address, which devices with its owner's key
  /// can resolve (Core 5.4 Vol 6 Part B 1.3.2.2). Meaningless for a public address.
  public var isResolvablePrivate: Bool { bits >> 46 == 0b01 }

  /// Whether the two most significant bits of a random address identify a non-resolvable private address (Core 5.4 Vol 6 Part B 1.3.2.2).
  /// Meaningless for a public address.
  public var isNonResolvablePrivate: Bool { bits >> 46 == 0b00 }

  /// Returns a random static address whose random part is derived from `random` (Core 5.4 Vol 6 Part B 1.3.2.1).
  public static func randomStatic(from random: UInt64) -> DeviceAddress {
    var part = random & 0x3FFF_FFFF_FFFF
    if part == 0 || part == 0x3FFF_FFFF_FFFF { part = 0x2BAD_C0FF_EE01 }
    return DeviceAddress(bits: 0b11 << 46 | part)
  }
}

/// The type of a device address in HCI commands and events (Core 5.4 Vol 4 Part E 7.7.65.1).
public struct AddressType: OpenCode {
  /// The octet in HCI commands and events.
  public var rawValue: UInt8
  /// Creates the type with this octet.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Public Device Address.
  public static let publicDevice = AddressType(rawValue: 0x00)
  /// Random Device Address.
  public static let random = AddressType(rawValue: 0x01)
  /// Public Identity Address (the peer uses a resolved private address).
  public static let publicIdentity = AddressType(rawValue: 0x02)
  /// Random static Identity Address (the peer uses a resolved private address).
  public static let randomIdentity = AddressType(rawValue: 0x03)
  /// A resolvable private address that the controller could not resolve, in reports of directed advertising.
  public static let unresolved = AddressType(rawValue: 0xFE)
  /// No address: an anonymous advertisement.
  public static let anonymous = AddressType(rawValue: 0xFF)

  /// Public or random, also for identity addresses, as used in commands and device lists. Any other type is unchanged.
  @inlinable
  public var deviceType: AddressType { rawValue <= 0x03 ? AddressType(rawValue: rawValue & 1) : self }

  /// The type of the identity address behind a resolved private address. Any other type is unchanged.
  public var identityType: AddressType { rawValue <= 0x03 ? AddressType(rawValue: rawValue | 2) : self }
}
