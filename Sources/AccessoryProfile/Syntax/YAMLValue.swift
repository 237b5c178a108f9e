import BLECore

extension ProfileValue {
  /// Parses a value in YAML as typed by a user: a number, `true`, text, octets such as `hex:0102`, a list or a mapping.
  ///
  /// - Throws: The first error, with its column.
  package init(yaml text: String) throws(ProfileValueError) {
    let (root, faults) = YAMLReader.read(text, source: SourceFile(name: "value", text: text))
    if let fault = faults.first(where: { $0.severity == .error }) {
      throw ProfileValueError("column \(fault.column): \(fault.message)")
    }
    self = root.map { ProfileValue($0) } ?? .null
  }

  private init(_ node: SyntaxNode) {
    switch node.content {
    case .sequence(let elements): self = .array(elements.map { ProfileValue($0) })
    case .mapping(let pairs):
      self = .object(Dictionary(pairs.map { ($0.name, ProfileValue($0.value)) }, uniquingKeysWith: { $1 }))
    case .scalar(let text, isQuoted: true): self = .string(text)
    case .scalar(let text, isQuoted: false): self = Self.plain(text, node)
    }
  }

  private static func plain(_ text: String, _ node: SyntaxNode) -> ProfileValue {
    if node.isNull { return .null }
    if text == "true" || text == "false" { return .bool(text == "true") }
    if text.hasPrefix("hex:"), let octets = [UInt8](hexadecimal: String(text.dropFirst(4))) { return .octets(octets) }
    // `0x80` remains text: the control API accepts error codes in this form.
    guard !text.hasPrefix("0x"), let number = Numbers.whole(text) ?? Numbers.decimal(text).map({ .double($0) }) else {
      return .string(text)
    }
    return number
  }
}
