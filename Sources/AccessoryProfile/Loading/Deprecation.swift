/// Deprecated spellings: what is written, what to write instead, and the change of the text that does it.
extension ProfileLoader {
  /// Warns about a deprecated spelling. Without edits, the text has to be changed by hand.
  mutating func deprecate(_ node: SyntaxNode, _ old: String, _ new: String, _ reason: String, _ edits: [TextEdit]?) {
    let help = edits == nil ? "" : "; `understudy check --upgrade` does it"
    warn(node, "\(old) is deprecated, because \(reason): write \(new)\(help)")
    guard let edits else { return }
    upgrades.append(ProfileUpgrade(line: node.line, summary: "replaced \(old) by \(new)", edits: edits))
  }

  /// Replaces an unquoted scalar.
  func replacing(_ node: SyntaxNode, by text: String) -> [TextEdit]? {
    guard let old = node.plainText, node.source.hasLines else { return nil }
    return [TextEdit(file: node.source.name, line: node.line, column: node.column, old: old, new: text)]
  }

  // MARK: `when: any`

  /// Warns about the pattern `any`. A rule for all other writes has the key `otherwise`, and a rule with a condition needs no pattern.
  mutating func deprecateAny(_ keys: Keys, isLast: Bool) {
    guard let key = keys.key("when"), let value = keys["when"], value.plainText == "any" else { return }
    let (new, edits): (String, [TextEdit]?) =
      if keys["if"] != nil {
        ("'if' alone", removal(of: key, value, before: following(key, keys)))
      } else if let action = keys.key("do") {
        (
          "'otherwise' instead of 'do'",
          removal(of: key, value, before: following(key, keys)).flatMap { removal in
            replacing(action, by: "otherwise").map { removal + $0 }
          }
        )
      } else if let error = keys.key("error"), let code = keys["error"] {
        (
          "otherwise: { error: \(code.text ?? "…") }",
          removal(of: key, value, before: following(key, keys)).flatMap { removal in
            guard let start = replacing(error, by: "otherwise: { error"),
              let end = replacing(code, by: "\(code.text ?? "") }")
            else { return nil }
            return removal + start + end
          }
        )
      } else {
        (
          "otherwise: []",
          replacing(key, by: "otherwise").flatMap { start in replacing(value, by: "[]").map { start + $0 } }
        )
      }
    let isFinal = isLast || keys["if"] != nil
    deprecate(
      value, "'when: any'",
      isFinal ? new : "\(new), and remove the rules after it, which never apply",
      "'otherwise' is the rule for all other writes",
      isFinal ? edits : nil)
  }

  /// Returns the next key of the same mapping in the text.
  private func following(_ key: SyntaxNode, _ keys: Keys) -> SyntaxNode? {
    keys.all.map(\.key).filter { ($0.line, $0.column) > (key.line, key.column) }
      .min { ($0.line, $0.column) < ($1.line, $1.column) }
  }

  /// Removes a pair that stands before another one. A comment behind it stays.
  private func removal(of key: SyntaxNode, _ value: SyntaxNode, before next: SyntaxNode?) -> [TextEdit]? {
    guard let next, key.source.hasLines, key.source === next.source, let name = key.text, let text = value.plainText,
      let between = key.source.text(
        from: (value.line, value.column + text.unicodeScalars.count), to: (next.line, next.column)),
      let head = key.source.text(from: (key.line, key.column), to: (value.line, value.column)),
      head.dropFirst(name.count).allSatisfy({ $0 == ":" || $0 == " " })
    else { return nil }
    let comment = between.firstIndex(of: "#")
    let gap = comment.map { between[..<$0] } ?? between[...]
    guard gap.allSatisfy({ $0 == " " || $0 == "," || $0.isNewline }), comment == nil || !gap.contains(",") else {
      return nil
    }
    return [TextEdit(file: key.source.name, line: key.line, column: key.column, old: head + text + gap, new: "")]
  }
}

extension SourceFile {
  /// Returns the text between two positions; nil if they are not in the file in this order.
  func text(from start: (line: Int, column: Int), to end: (line: Int, column: Int)) -> String? {
    guard start <= end, lines.indices.contains(start.line - 1), lines.indices.contains(end.line - 1) else { return nil }
    var parts = (start.line...end.line).map { Array(lines[$0 - 1].unicodeScalars) }
    guard end.column - 1 <= parts[parts.count - 1].count, start.column - 1 <= parts[0].count else { return nil }
    parts[parts.count - 1].removeSubrange((end.column - 1)...)
    guard start.column - 1 <= parts[0].count else { return nil }
    parts[0].removeSubrange(..<(start.column - 1))
    return parts.map { String(String.UnicodeScalarView($0)) }.joined(separator: "\n")
  }
}
