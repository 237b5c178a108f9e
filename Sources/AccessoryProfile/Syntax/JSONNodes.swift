extension SyntaxNode {
  /// Creates the node of a JSON value, so that JSON is loaded and checked in the same way as profiles. Messages contain the path of the
  /// field: `services[0].uuid`.
  init(_ value: ProfileValue, field: String = "") {
    let content: Content =
      switch value {
      case .null: .scalar("null", isQuoted: false)
      case .bool(let value): .scalar("\(value)", isQuoted: false)
      case .int(let value): .scalar("\(value)", isQuoted: false)
      case .unsigned(let value): .scalar("\(value)", isQuoted: false)
      case .double(let value): .scalar("\(value)", isQuoted: false)
      case .string(let text): Self.content(of: text)
      case .array(let elements):
        .sequence(elements.enumerated().map { SyntaxNode($0.element, field: "\(field)[\($0.offset)]") })
      case .object(let fields):
        .mapping(
          fields.sorted { $0.key < $1.key }.map { name, value in
            SyntaxPair(
              key: SyntaxNode(.scalar(name, isQuoted: false), field: field),
              value: SyntaxNode(value, field: field.isEmpty ? name : "\(field).\(name)"))
          })
      }
    self.init(content, field: field)
  }

  /// Creates the node of a JSON string.
  init(text: String, field: String) { self.init(Self.content(of: text), field: field) }

  /// Returns the content of a JSON string. Strings in JSON are always quoted, even where a profile needs no quotes. So a string is an
  /// unquoted scalar, which can be octets or a number with a prefix, unless it would then be a plain number or a keyword.
  private static func content(of text: String) -> Content { .scalar(text, isQuoted: isOtherThanText(text)) }

  private static func isOtherThanText(_ text: String) -> Bool {
    ["", "~", "null", "true", "false"].contains(text) || (!text.hasPrefix("0x") && Numbers.decimal(text) != nil)
  }

  /// Creates the node of a field.
  init(_ content: Content, field: String) {
    self.init(source: SourceFile(name: field, text: ""), line: 1, column: 1, content: content)
  }
}

/// The syntax of profiles. The order of keys is kept, because it has a meaning, for example for the fields of a struct.
extension SyntaxNode: JSONNode {
  static var keepsField: Bool { true }

  static func object(_ pairs: [(name: String, value: SyntaxNode)], field: String) -> SyntaxNode {
    SyntaxNode(
      .mapping(
        pairs.map { name, value in
          SyntaxPair(key: SyntaxNode(.scalar(name, isQuoted: false), field: field), value: value)
        }), field: field)
  }

  static func array(_ elements: [SyntaxNode], field: String) -> SyntaxNode {
    SyntaxNode(.sequence(elements), field: field)
  }

  static func string(_ text: String, field: String) -> SyntaxNode { SyntaxNode(text: text, field: field) }

  static func word(_ text: String, field: String) -> SyntaxNode {
    SyntaxNode(.scalar(text, isQuoted: false), field: field)
  }
}

extension ProfileValue: JSONNode {
  /// Parses JSON (RFC 8259).
  package init(json: [UInt8]) throws(ProfileValueError) { self = try JSONReader<ProfileValue>.read(json) }

  static var keepsField: Bool { false }

  static func object(_ pairs: [(name: String, value: ProfileValue)], field: String) -> ProfileValue {
    .object(Dictionary(pairs.map { ($0.name, $0.value) }) { _, last in last })
  }

  static func array(_ elements: [ProfileValue], field: String) -> ProfileValue { .array(elements) }

  static func string(_ text: String, field: String) -> ProfileValue { .string(text) }

  static func word(_ text: String, field: String) -> ProfileValue {
    switch text {
    case "null": .null
    case "true": .bool(true)
    case "false": .bool(false)
    default: Int64(text).map { .int($0) } ?? UInt64(text).map { .whole($0) } ?? .double(Double(text) ?? .nan)
    }
  }
}

extension ProfileLoader {
  /// The errors with the paths of their fields; nil if there are none.
  var fieldError: ProfileValueError? {
    let errors = sortedDiagnostics.filter { $0.severity == .error }
    guard !errors.isEmpty else { return nil }
    return ProfileValueError(
      errors.map { $0.file.isEmpty ? $0.message : "\($0.file): \($0.message)" }.joined(separator: "; "))
  }
}
