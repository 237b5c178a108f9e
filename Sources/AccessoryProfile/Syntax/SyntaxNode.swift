/// The text of a profile, for messages.
package final class SourceFile: Sendable {
  /// The file, as the user named it.
  package let name: String
  /// The lines without their ends.
  package let lines: [String]

  init(name: String, text: String) {
    self.name = name
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0) }
  }

  /// Whether positions are lines of a file. For JSON, they are fields.
  var hasLines: Bool { lines.contains { !$0.isEmpty } }

  /// Returns a diagnostic. A position outside the file is moved into it, because a parser reports what is missing after the last line.
  package func diagnostic(line: Int, column: Int, _ severity: Diagnostic.Severity, _ message: String) -> Diagnostic {
    let line = min(max(line, 1), max(lines.count, 1))
    let text = line <= lines.count ? lines[line - 1] : ""
    let column = min(max(column, 1), text.unicodeScalars.count + 1)
    return Diagnostic(
      file: name, line: line, column: column, severity: severity, message: Diagnostic.bounded(message), sourceLine: text
    )
  }
}

/// A node of a profile's YAML, with its position.
package struct SyntaxNode: Sendable {
  package var source: SourceFile
  package var line: Int
  package var column: Int
  package var content: Content

  package indirect enum Content: Sendable {
    /// Text, and whether it was quoted, which prevents its interpretation as a number.
    case scalar(String, isQuoted: Bool)
    case sequence([SyntaxNode])
    case mapping([SyntaxPair])
  }

  /// The text of a scalar.
  package var text: String? {
    if case .scalar(let text, _) = content { return text }
    return nil
  }

  /// The text of a scalar without quotes.
  package var plainText: String? {
    if case .scalar(let text, false) = content { return text }
    return nil
  }

  /// The members of a sequence.
  package var elements: [SyntaxNode]? {
    if case .sequence(let elements) = content { return elements }
    return nil
  }

  /// The pairs of a mapping.
  package var pairs: [SyntaxPair]? {
    if case .mapping(let pairs) = content { return pairs }
    return nil
  }

  /// Returns the value of a key of a mapping.
  package func value(of key: String) -> SyntaxNode? { pairs?.first { $0.name == key }?.value }

  /// Returns the mapping as a profile embedded in another file, where the version of the language and the name are optional.
  func profile(named name: String) -> SyntaxNode {
    let given = pairs ?? []
    let missing = [("understudy", "1"), ("name", name)].filter { key, _ in !given.contains { $0.name == key } }
    return with(
      .mapping(
        missing.map { key, value in
          SyntaxPair(key: with(.scalar(key, isQuoted: false)), value: with(.scalar(value, isQuoted: false)))
        } + given))
  }

  /// Whether the scalar is empty or null.
  var isNull: Bool {
    guard let plainText else { return false }
    return plainText.isEmpty || plainText == "~" || plainText == "null"
  }

  /// A description of the node, for messages.
  var kindName: String {
    switch content {
    case .scalar(let text, let isQuoted): isNull ? "nothing" : isQuoted ? "the text \"\(text)\"" : "'\(text)'"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }

  /// Returns a node with other content at the same position.
  func with(_ content: Content) -> SyntaxNode {
    SyntaxNode(source: source, line: line, column: column, content: content)
  }
}

/// One key of a mapping with its value.
package struct SyntaxPair: Sendable {
  package var key: SyntaxNode
  package var value: SyntaxNode

  /// The text of the key.
  package var name: String { key.text ?? "" }
}
