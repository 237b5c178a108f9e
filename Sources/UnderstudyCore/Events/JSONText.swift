import AccessoryProfile
import BLECore

extension ProfileValue {
  /// The value as JSON (RFC 8259) on one line. Object fields are in the order of their names.
  public var jsonText: String { text(indent: nil) }

  /// The same for people, on several lines: each field on its own line.
  public var indentedJSONText: String { text(indent: 0) + "\n" }

  private func text(indent: Int?) -> String { String { write(to: &$0, indent: indent) } }

  /// Appends the value to `text`. `indent` is the indentation of the line on which the value begins; nil if everything is on one line.
  private func write(to text: inout OctetBuffer, indent: Int?) {
    switch self {
    case .null: text.append("null")
    case .bool(let value): text.append(value ? "true" : "false")
    case .int(let value): text.append(decimal: value)
    case .unsigned(let value): text.append(decimal: value)
    case .double(let value): text.append(value.isFinite ? String(value) : "null")
    case .string(let value): text.append(quoted: value)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &text, indent) { element, text, inner in
        element.write(to: &text, indent: inner)
      }
    case .object(let fields):
      Self.write(fields.sorted { $0.key < $1.key }, "{", "}", to: &text, indent) { field, text, inner in
        text.append(quoted: field.key)
        text.append(UInt8(ascii: ":"))
        if inner != nil { text.append(UInt8(ascii: " ")) }
        field.value.write(to: &text, indent: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, to text: inout OctetBuffer,
    _ indent: Int?,
    _ body: (Element, inout OctetBuffer, Int?) -> Void
  ) {
    func newLine(_ indent: Int?) {
      guard let indent else { return }
      text.append(UInt8(ascii: "\n"))
      for _ in 0..<indent { text.append(UInt8(ascii: " ")) }
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
}
