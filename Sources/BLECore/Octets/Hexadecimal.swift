/// The hexadecimal digits.
enum Hexadecimal {
  static let lower: StaticString = "0123456789abcdef"
  static let upper: StaticString = "0123456789ABCDEF"
}

extension Sequence<UInt8> {
  /// The octets as lower-case hexadecimal digits, without separators.
  public var hexadecimal: String { digits(Hexadecimal.lower) }

  /// The octets as upper-case hexadecimal digits, without separators.
  public var uppercaseHexadecimal: String { digits(Hexadecimal.upper) }

  private func digits(_ digits: StaticString) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(underestimatedCount * 2)
    for octet in self {
      text.append(digits.utf8Start[Int(octet >> 4)])
      text.append(digits.utf8Start[Int(octet & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Creates octets from hexadecimal digits. Spaces, colons, hyphens and underscores between octets are ignored. Nil if there is any other
  /// character, or an odd number of digits.
  public init?(hexadecimal text: some StringProtocol) {
    var octets: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      let digit: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
      case UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        guard high == nil else { return nil }
        continue
      default: return nil
      }
      if let first = high {
        octets.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { return nil }
    self = octets
  }
}

extension UInt16 {
  /// The number in the notation of handles: `0x0003`.
  package var hexadecimalText: String { "0x" + [UInt8(self >> 8), UInt8(self & 0xFF)].uppercaseHexadecimal }
}
