import AccessoryProfile

/// Applies safe changes to the text of a profile. Everything that they do not concern, comments too, stays as it is.
package struct ProfileFixer: Sendable {
  private let linter: Linter

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
    let (changed, made) = try TextChanging.changing(text, file) { text throws(ProfileError) in
      try linter.lint(text: text, file: file).findings.compactMap { finding in finding.fix.map { (finding, $0.edits) } }
    }
    return Result(
      text: changed,
      changes: made.map { .init(line: $0.line, rule: $0.rule.id, summary: $0.fix?.summary ?? "") })
  }
}
