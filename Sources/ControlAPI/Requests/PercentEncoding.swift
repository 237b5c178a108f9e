import BLECore

/// Percent-encoding (RFC 3986 2.1).
enum PercentEncoding {
  /// Decodes a segment; nil if a `%` is not followed by two digits, or the octets are not UTF-8.
  static func decode(_ segment: Substring) -> String? {
    var octets: [UInt8] = []
    var rest = Substring(segment).utf8
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        octets.append(octet)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      octets.append(high << 4 | low)
    }
    return String(validating: octets, as: UTF8.self)
  }

  /// Decodes the names and values of a query in the format of forms, with `+` for a space (URL Standard 5.1); nil if decoding fails.
  static func decode(query: Substring) -> [(name: String, value: String)]? {
    var fields: [(name: String, value: String)] = []
    for field in query.split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { decode(Substring($0.map { $0 == "+" ? " " : $0 })) }
      guard let name = parts[0], let value = parts.count == 2 ? parts[1] : "" else { return nil }
      fields.append((name, value))
    }
    return fields
  }

  /// Encodes a text as a segment. Letters, digits and `-._~` are unchanged (RFC 3986 2.3).
  static func encode(_ text: String) -> String {
    text.utf8.map { octet in
      let scalar = UnicodeScalar(octet)
      return octet < 0x80 && (scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar))
        ? String(scalar) : "%\([octet].hexadecimal)"
    }.joined()
  }

  private static func digit(_ octet: UInt8) -> UInt8? {
    Character(UnicodeScalar(octet)).hexDigitValue.map { UInt8($0) }
  }
}
