import AccessoryProfile

/// Applies safe changes to the text of a profile. Everything else, including comments, stays as it is.
package struct ProfileFixer: Sendable {
  private let linter: Linter

  /// Creates a fixer for the findings of a linter.
  package init(_ linter: Linter) { self.linter = linter }

  /// The result of fixing.
  package struct Result: Sendable {
    /// The new text.
    package var text: String
    /// The changes, in order.
    package var changes: [Change] = []

    /// One change.
    package struct Change: Sendable {
      /// Its line in the text before the change.
      package let line: Int
      /// The rule whose finding it mends.
      package let rule: String
      /// What it did.
      package let summary: String
    }
  }

  /// Returns the text after all safe changes. It leaves out a change that would make the profile invalid.
  ///
  /// - Throws: The errors of the original profile.
  package func fix(text: String, file: String) throws(ProfileError) -> Result {
    let (changed, made) = try TextChanging.changing(text, file) { text throws(ProfileError) in
      try linter.lint(text: text, file: file).findings.compactMap { finding in finding.fix.map { (finding, $0.edits) } }
    }
    return Result(
      text: changed,
      changes: made.map { .init(line: $0.line, rule: $0.rule.id, summary: $0.fix?.summary ?? "") })
  }
}
