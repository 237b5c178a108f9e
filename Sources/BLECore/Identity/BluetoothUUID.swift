/// A Bluetooth UUID: 128 bits, or 16 or 32 bits based on the Bluetooth Base UUID (Core 5.4 Vol 3 Part B 2.5.1).
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
  /// The upper 64 bits of the full UUID.
  public let high: UInt64
  /// The lower 64 bits of the full UUID.
  public let low: UInt64

  /// The part of the Bluetooth Base UUID `00000000-0000-1000-8000-00805F9B34FB` after its first 32 bits.
  @usableFromInline static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  @usableFromInline static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  /// Creates a full UUID from its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an assigned 16-bit UUID.
  @inlinable
  public init(_ short: UInt16) { self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow) }

  /// The 16-bit form, if any.
  @inlinable
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh, high >> 48 == 0 else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// The number of octets of the shortest form in a protocol with 16-bit and 128-bit UUIDs: 2 or 16.
  @inlinable
  public var octetCount: Int { short == nil ? 16 : 2 }

  /// The 2-octet form, or the 16-octet one if there is no 2-octet form, least significant octet first.
  public var littleEndianOctets: [UInt8] {
    if let short { return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)] }
    return fullLittleEndianOctets
  }

  /// All 16 octets, least significant first.
  public var fullLittleEndianOctets: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * UInt64($0))) }
      + (0..<8).map { UInt8(truncatingIfNeeded: high >> (8 * UInt64($0))) }
  }

  /// Creates a UUID from 2, 4 or 16 octets, least significant first; nil for any other number.
  public init?(littleEndianOctets octets: [UInt8]) {
    switch octets.count {
    case 2: self.init(UInt16(octets[0]) | UInt16(octets[1]) << 8)
    case 4:
      let word = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      self.init(high: word << 32 | Self.baseHigh, low: Self.baseLow)
    case 16:
      self.init(
        high: octets[8...].reversed().reduce(0) { $0 << 8 | UInt64($1) },
        low: octets[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  /// Creates a UUID from text: `180D`, `0x180D`, `0000180D`, or the 36-character form.
  public init?(_ text: some StringProtocol) {
    var digits = Substring(text)
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
    if digits.utf8.count == 36 {
      let groups = digits.split(separator: "-", omittingEmptySubsequences: false)
      guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
      digits = Substring(groups.joined())
    } else {
      guard digits.utf8.count == 4 || digits.utf8.count == 8 else { return nil }
    }
    // Digits only: hexadecimal text may contain separators, which yield fewer octets.
    guard let octets = [UInt8](hexadecimal: digits), octets.count * 2 == digits.utf8.count else { return nil }
    self.init(littleEndianOctets: octets.reversed())
  }

  /// `180D` for a short UUID, or the 36-character form in upper case for a full one.
  public var description: String {
    let digits = fullLittleEndianOctets.reversed().uppercaseHexadecimal
    if short != nil { return String(digits.dropFirst(4).prefix(4)) }
    let text = Array(digits)
    return [text[0..<8], text[8..<12], text[12..<16], text[16..<20], text[20...]]
      .map { String($0) }.joined(separator: "-")
  }
}
