import AccessoryProfile

extension ProfileValue {
  /// The value as JSON (RFC 8259) on one line. Object fields are in the order of their names.
  public var jsonText: String { text(indent: nil) }

  /// The same for people, on several lines: each field on its own line.
  public var indentedJSONText: String { text(indent: 0) + "\n" }

  private func text(indent: Int?) -> String {
    // An array of octets, because appending to a string takes many times as long.
    var text: [UInt8] = []
    text.reserveCapacity(256)
    write(to: &text, indent: indent)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the value to `text`. `indent` is the indentation of the line on which the value begins; nil if everything is on one line.
  private func write(to text: inout [UInt8], indent: Int?) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let value): text += (value ? "true" : "false").utf8
    case .int(let value): text += String(value).utf8
    case .unsigned(let value): text += String(value).utf8
    case .double(let value): text += (value.isFinite ? String(value) : "null").utf8
    case .string(let value): Self.quote(value, to: &text)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &text, indent) { element, text, inner in
        element.write(to: &text, indent: inner)
      }
    case .object(let fields):
      Self.write(fields.sorted { $0.key < $1.key }, "{", "}", to: &text, indent) { field, text, inner in
        Self.quote(field.key, to: &text)
        text.append(UInt8(ascii: ":"))
        if inner != nil { text.append(UInt8(ascii: " ")) }
        field.value.write(to: &text, indent: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, to text: inout [UInt8], _ indent: Int?,
    _ body: (Element, inout [UInt8], Int?) -> Void
  ) {
    func newLine(_ indent: Int?) {
      guard let indent else { return }
      text.append(UInt8(ascii: "\n"))
      text += repeatElement(UInt8(ascii: " "), count: indent)
    }
    text.append(UInt8(ascii: opening))
    let inner = indent.map { $0 + 2 }
    for (index, element) in elements.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      newLine(inner)
      body(element, &text, inner)
    }
    if !elements.isEmpty { newLine(indent) }
    text.append(UInt8(ascii: closing))
  }

  private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func quote(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    defer { text.append(UInt8(ascii: "\"")) }
    // Most text needs no escaping. Going through it by characters would take ten times as long, and without the buffer twice.
    guard string.utf8.withContiguousStorageIfAvailable({ $0.allSatisfy(isPlain) }) != true else {
      text += string.utf8
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\"".utf8
      case "\\": text += "\\\\".utf8
      case "\n": text += "\\n".utf8
      case "\r": text += "\\r".utf8
      case "\t": text += "\\t".utf8
      // Control characters up to 0x1F must be escaped. The other control characters and those that change the
      // writing direction are escaped too, because this text is shown in terminals.
      case let control where Self.isActive(control):
        let digits = String(control.value, radix: 16)
        text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
      default: text += String(scalar).utf8
      }
    }
  }

  /// Returns whether an octet of UTF-8 is a character that needs no escaping.
  private static func isPlain(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): false
    case 0x20...0x7E: true
    default: false
    }
  }
}
