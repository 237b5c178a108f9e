import BLECore

/// Octets as written in profiles, with the format that the notation implies.
struct OctetLiteral: Hashable {
  var octets: [UInt8]
  /// The format that the notation implies: an integer's width, text, or UUID; nil for plain octets.
  var format: ValueFormat?

  /// The notations of literals, for messages.
  static let forms = "hex:0102, 0x01, u8: to u64: or i8: to i64: with a number, uuid:, or \"text\""

  /// Parses an unquoted text. Returns nil if it is not a literal.
  init?(plain text: String) {
    if let digits = text.dropping(prefix: "hex:") {
      guard let octets = [UInt8](hexadecimal: digits) else { return nil }
      self.octets = octets
    } else if let digits = text.dropping(prefix: "0x") {
      guard !digits.isEmpty, let octets = [UInt8](hexadecimal: digits) else { return nil }
      self.octets = octets
    } else if let word = text.dropping(prefix: "uuid:") {
      guard let uuid = BluetoothUUID(word.trimmed) ?? AssignedName.uuid(named: String(word.trimmed)) else { return nil }
      octets = uuid.littleEndianOctets
      format = .uuid
    } else if let number = Self.number(text) {
      self = number
    } else {
      return nil
    }
  }

  /// Returns whether an unquoted text would be read as octets, or as a number with a prefix.
  static func isSuggested(by text: String) -> Bool { OctetLiteral(plain: text) != nil }

  /// Creates the UTF-8 octets of a quoted text.
  init(text: String) {
    octets = Array(text.utf8)
    format = .text
  }

  private static func number(_ text: String) -> OctetLiteral? {
    guard let colon = text.firstIndex(of: ":"), IntegerFormat.names.contains(String(text[..<colon])),
      let format = IntegerFormat(named: String(text[..<colon]))
    else {
      return nil
    }
    guard let value = Numbers.whole(text[text.index(after: colon)...].trimmed) else { return nil }
    guard let octets = try? ValueFormat.integer(format).encode(value) else { return nil }
    return OctetLiteral(octets: octets, format: .integer(format))
  }

  init(octets: [UInt8], format: ValueFormat? = nil) {
    self.octets = octets
    self.format = format
  }
}

extension StringProtocol {
  /// Returns the text after a prefix; nil if the text does not begin with it.
  func dropping(prefix: String) -> SubSequence? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }

  /// The text without spaces at either end.
  var trimmed: SubSequence {
    var rest = self[...]
    while rest.first == " " { rest = rest.dropFirst() }
    while rest.last == " " { rest = rest.dropLast() }
    return rest
  }
}

extension ProfileValue {
  /// Returns the octets of a literal such as `hex:0102` or `u16:500`; nil if the text is none.
  package static func octets(ofLiteral text: String) -> [UInt8]? { OctetLiteral(plain: text)?.octets }
}
