import AccessoryProfile

/// A safe change of a profile's text, which mends a finding.
package struct LintFix: Sendable {
  /// What the change did, such as "replaced '100 ms' by '152.5 ms'".
  package let summary: String
  /// The changes, which do not overlap.
  package let edits: [TextEdit]

  /// Replaces a scalar. Nil if the profile's file does not contain its exact text, for example because a setting gives it.
  static func replacing(_ node: SyntaxNode?, by text: String) -> LintFix? {
    replacing([(node, text)])
  }

  /// Replaces several scalars.
  static func replacing(_ changes: [(node: SyntaxNode?, text: String)]) -> LintFix? {
    var edits: [TextEdit] = []
    for (node, text) in changes {
      guard let node, let old = node.plainText else { return nil }
      edits.append(TextEdit(file: node.source.name, line: node.line, column: node.column, old: old, new: text))
    }
    let parts = edits.map { "'\($0.old)' by '\($0.new)'" }
    return LintFix(summary: "replaced \(parts.joined(separator: ", "))", edits: edits)
  }

  /// Inserts a key and its value at the beginning of a mapping.
  static func inserting(_ pair: String, into mapping: SyntaxNode?) -> LintFix? {
    guard let mapping, let first = mapping.pairs?.first?.key else { return nil }
    // A mapping in braces begins at its brace; any other begins at its first key.
    let isFlow = (mapping.line, mapping.column) != (first.line, first.column)
    let indent = String(repeating: " ", count: first.column - 1)
    let edit = TextEdit(
      file: first.source.name, line: first.line, column: first.column, old: first.text ?? "",
      new: "\(pair)\(isFlow ? ", " : "\n\(indent)")\(first.text ?? "")")
    return LintFix(summary: "inserted '\(pair)'", edits: [edit])
  }
}
