/// JSON whose keys keep their order, for the schema.
indirect enum JSONText {
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case array([JSONText])
  case object([(String, JSONText)])

  /// Returns the text, indented by two spaces. Arrays and single-key objects that fit are on one line.
  func rendered(indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .string(let text): return Self.quoted(text)
    case .integer(let number): return "\(number)"
    case .boolean(let flag): return "\(flag)"
    case .array(let elements):
      if let line { return line }
      return "[\n" + elements.map { inner + $0.rendered(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let pairs):
      if let line { return line }
      let lines = pairs.map { "\(inner)\(Self.quoted($0.0)): \($0.1.rendered(indent: inner))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    }
  }

  /// The text on one line; nil if it is too long, or if an object has several keys.
  private var line: String? {
    let parts: [String?]
    let brackets: (String, String)
    switch self {
    case .array(let elements):
      parts = elements.map(\.line)
      brackets = ("[", "]")
    case .object(let pairs):
      guard pairs.count <= 1 else { return nil }
      parts = pairs.map { key, value in value.line.map { "\(Self.quoted(key)): \($0)" } }
      brackets = pairs.isEmpty ? ("{", "}") : ("{ ", " }")
    default: return rendered()
    }
    let known = parts.compactMap(\.self)
    let text = brackets.0 + known.joined(separator: ", ") + brackets.1
    return known.count == parts.count && text.count <= 100 ? text : nil
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for character in text {
      switch character {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
    return result + "\""
  }
}
