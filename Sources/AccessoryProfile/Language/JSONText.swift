/// JSON whose keys keep their order, for the schema.
indirect enum JSONText {
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case array([JSONText])
  case object([(String, JSONText)])

  /// The text, indented by two spaces; arrays of scalars stand in one line where they fit.
  func rendered(indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .string(let text): return Self.quoted(text)
    case .integer(let number): return "\(number)"
    case .boolean(let flag): return "\(flag)"
    case .array(let elements):
      let line = "[\(elements.map { $0.rendered() }.joined(separator: ", "))]"
      if elements.allSatisfy(\.isScalar), line.count <= 100 { return line }
      return "[\n" + elements.map { inner + $0.rendered(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let pairs):
      if pairs.isEmpty { return "{}" }
      let lines = pairs.map { "\(inner)\(Self.quoted($0.0)): \($0.1.rendered(indent: inner))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    }
  }

  private var isScalar: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
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
