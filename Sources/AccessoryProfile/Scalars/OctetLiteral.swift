import BLECore

/// Octets as profiles write them, with what the spelling says about their meaning.
struct OctetLiteral: Hashable {
  var octets: [UInt8]
  /// The format that the spelling implies: a number's width, text, a UUID; nil for plain octets.
  var format: ValueFormat?

  /// What a literal may look like, for messages.
  static let forms = "hex:0102, 0x01, u8: to u64: or i8: to i64: with a number, uuid:, or \"text\""

  /// The literal that a text without quotes is; nil if it is none.
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

  /// Whether a text reads as octets or a number with a prefix where it has no quotes.
  static func isSuggested(by text: String) -> Bool { OctetLiteral(plain: text) != nil }

  /// The UTF-8 octets of a text in quotes.
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
  /// What follows a prefix; nil where the text does not begin with it.
  func dropping(prefix: String) -> SubSequence? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }

  /// Without spaces at both ends.
  var trimmed: SubSequence {
    var rest = self[...]
    while rest.first == " " { rest = rest.dropFirst() }
    while rest.last == " " { rest = rest.dropLast() }
    return rest
  }
}
