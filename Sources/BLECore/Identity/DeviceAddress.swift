/// A Bluetooth device address: 48 bits (Core 5.4 Vol 6 Part B 1.3). Whether it is public or random is told apart beside it.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address as a number; only the low 48 bits are used.
  public var bits: UInt64

  /// The address with these 48 bits.
  @inlinable
  public init(bits: UInt64) { self.bits = bits & 0xFFFF_FFFF_FFFF }

  /// The all-zero address, which no device has.
  public static let zero = DeviceAddress(bits: 0)

  /// The address from six octets, least significant first, as they are on the wire; missing octets count as zero.
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

  /// The address from text such as `C4:12:34:56:78:9A`, most significant octet first; hyphens do as well.
  public init?(_ text: some StringProtocol) {
    let separators = [UInt8(ascii: ":"), UInt8(ascii: "-")]
    guard text.utf8.count == 17, let octets = [UInt8](hexadecimal: text), octets.count == 6,
      text.utf8.enumerated().allSatisfy({ separators.contains($1) == ($0 % 3 == 2) })
    else { return nil }
    self.init(littleEndianOctets: octets.reversed())
  }

  /// Six octets in hexadecimal, most significant first, between colons.
  public var description: String {
    littleEndianOctets.reversed().map { [$0].uppercaseHexadecimal }.joined(separator: ":")
  }

  /// Whether the two most significant bits mark a random static address (Core 5.4 Vol 6 Part B 1.3.2.1), and the random
  /// part is neither all zeros nor all ones.
  public var isValidRandomStatic: Bool {
    let random = bits & 0x3FFF_FFFF_FFFF
    return bits >> 46 == 0b11 && random != 0 && random != 0x3FFF_FFFF_FFFF
  }

  /// Whether the two most significant bits of a random address mark a resolvable private one, whose owner those find out
  /// who have its key (Core 5.4 Vol 6 Part B 1.3.2.2). Of a public address they say nothing.
  public var isResolvablePrivate: Bool { bits >> 46 == 0b01 }

  /// Whether the two most significant bits of a random address mark a non-resolvable private one (Core 5.4 Vol 6 Part B
  /// 1.3.2.2). Of a public address they say nothing.
  public var isNonResolvablePrivate: Bool { bits >> 46 == 0b00 }

  /// A random static address whose random part comes from `random` (Core 5.4 Vol 6 Part B 1.3.2.1).
  public static func randomStatic(from random: UInt64) -> DeviceAddress {
    var part = random & 0x3FFF_FFFF_FFFF
    if part == 0 || part == 0x3FFF_FFFF_FFFF { part = 0x2BAD_C0FF_EE01 }
    return DeviceAddress(bits: 0b11 << 46 | part)
  }
}

/// The kind of a device address, as HCI commands and events carry it (Core 5.4 Vol 4 Part E 7.7.65.1).
public struct AddressType: OpenCode {
  /// The octet of HCI commands and events.
  public var rawValue: UInt8
  /// The kind with this octet.
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

  /// Public or random, for identity addresses too, as commands and lists of devices name them; any other kind as it is.
  public var deviceType: AddressType { rawValue <= 0x03 ? AddressType(rawValue: rawValue & 1) : self }

  /// The kind of an identity address behind a resolved private one; any other kind as it is.
  public var identityType: AddressType { rawValue <= 0x03 ? AddressType(rawValue: rawValue | 2) : self }
}
