extension OpenCode {
  /// The name in this table and the number, for example `Basic (0x00)`; nil if the table has none.
  package func meaning(in names: [RawValue: String]) -> String? {
    names[rawValue].map { "\($0) (\(digits))" }
  }

  /// The names of the bits that are set, from the least significant on, and the number; nil if none of them has a name.
  package func meaning(ofBits names: [String?]) -> String? {
    let set = names.indices.prefix(RawValue.bitWidth).filter { rawValue >> RawValue($0) & 1 != 0 }
      .compactMap { names[$0] }
    return set.isEmpty ? nil : "\(set.joined(separator: ", ")) (\(digits))"
  }

  /// All digits of the number in hexadecimal.
  private var digits: String {
    "0x"
      + (0..<RawValue.bitWidth / 8).reversed()
      .map { [UInt8(truncatingIfNeeded: rawValue >> RawValue(8 * $0))].uppercaseHexadecimal }.joined()
  }
}

extension Sequence<UInt8> {
  /// The text before the first zero octet, in quotes.
  package var terminatedText: String {
    let octets = Array(prefix { $0 != 0 })
    return String { $0.append(quoted: String(decoding: octets, as: UTF8.self)) }
  }
}
