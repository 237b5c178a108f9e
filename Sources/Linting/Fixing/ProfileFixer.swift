import AccessoryProfile

/// Applies safe changes to the text of a profile. Everything that they do not concern, comments too, stays as it is.
package struct ProfileFixer: Sendable {
  private let linter: Linter
  /// A fixed text can have further findings; after this many rounds the rest is left.
  private static let rounds = 100

  /// Fixes what these rules find.
  package init(_ linter: Linter) { self.linter = linter }

  /// The result of fixing.
  package struct Result: Sendable {
    /// The new text.
    package var text: String
    /// The changes, each with its position in the text before it.
    package var changes: [Change] = []

    /// One change.
    package struct Change: Sendable {
      package let line: Int
      package let rule: String
      package let summary: String
    }
  }

  /// Returns the text with all safe changes. A change that would make the profile invalid is not made.
  ///
  /// - Throws: The errors of the profile as it is.
  package func fix(text: String, file: String) throws(ProfileError) -> Result {
    var result = Result(text: text)
    var refused: Set<[TextEdit]> = []
    for _ in 0..<Self.rounds {
      let findings = try linter.lint(text: result.text, file: file).findings
      guard let (finding, changed) = next(findings, in: result.text, file, &refused) else { break }
      result.changes.append(.init(line: finding.line, rule: finding.rule.id, summary: finding.fix?.summary ?? ""))
      result.text = changed
    }
    return result
  }

  /// Returns the first finding whose change can be made, and the changed text.
  private func next(
    _ findings: [LintFinding], in text: String, _ file: String, _ refused: inout Set<[TextEdit]>
  ) -> (LintFinding, String)? {
    for finding in findings {
      guard let fix = finding.fix, !refused.contains(fix.edits) else { continue }
      if let changed = Self.applying(fix.edits, to: text, file), (try? linter.lint(text: changed, file: file)) != nil {
        return (finding, changed)
      }
      refused.insert(fix.edits)
    }
    return nil
  }

  /// Returns the text with the edits; nil if an old text is not where it should be.
  static func applying(_ edits: [TextEdit], to text: String, _ file: String) -> String? {
    var lines = Self.lines(of: text)
    for edit in edits.sorted(by: { ($0.line, $0.column) > ($1.line, $1.column) }) {
      guard edit.file == file, lines.indices.contains(edit.line - 1) else { return nil }
      var scalars = Array(lines[edit.line - 1].unicodeScalars)
      let old = Array(edit.old.unicodeScalars)
      let start = edit.column - 1
      guard start >= 0, start + old.count <= scalars.count, Array(scalars[start..<start + old.count]) == old else {
        return nil
      }
      scalars.replaceSubrange(start..<start + old.count, with: edit.new.unicodeScalars)
      lines[edit.line - 1] = String(String.UnicodeScalarView(scalars))
    }
    return lines.joined()
  }

  /// Returns the lines with their ends.
  private static func lines(of text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for character in text {
      line.append(character)
      if character.isNewline {
        lines.append(line)
        line = ""
      }
    }
    return lines + [line]
  }
}
