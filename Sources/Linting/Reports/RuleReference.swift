/// The reference of the rules for people: `understudy lint --rules`, `--explain`, and docs/lint-rules.md.
package enum RuleReference {
  /// Returns one line for each rule.
  package static func list(_ rules: [LintRule]) -> String {
    let width = (rules.map(\.id.count).max() ?? 0) + 2
    return rules.map { rule in
      let name = rule.id + String(repeating: " ", count: width - rule.id.count)
      let severity = rule.severity.rawValue + String(repeating: " ", count: 9 - rule.severity.rawValue.count)
      return "\(name)\(severity)\(rule.title)"
    }.joined(separator: "\n")
  }

  /// Returns everything about a rule, with its examples.
  package static func explanation(of rule: LintRule) -> String {
    """
    \(rule.id): \(rule.severity.rawValue), \(rule.platforms.map(\.rawValue).joined(separator: ", "))
    \(rule.title)

    \(rule.why)
    Source: \(rule.source.description)

    Deviates:
    \(indented(rule.bad.lines))

    Follows:
    \(indented(rule.good.lines))
    """
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }.joined(separator: "\n")
  }

  /// The rules as Markdown, for docs/lint-rules.md.
  package static var markdown: String {
    let head = [
      "# Rules of `understudy lint`", "",
      "`understudy lint --markdown` writes this file from the table of rules; a test checks that it is up to date. [lint.md](lint.md) describes",
      "the command, and `understudy lint --explain RULE` prints a rule with examples.", "",
      "There are \(LintRule.all.count) rules.", "",
      "| rule | severity | concerns | what it requires, and why | source |", "|---|---|---|---|---|",
    ]
    let rows = LintRule.all.map { rule in
      "| `\(rule.id)` | \(rule.severity.rawValue) | \(rule.platforms.map(\.rawValue).joined(separator: ", ")) "
        + "| **\(escaped(rule.title))** \(escaped(rule.why)) | \(escaped(rule.source.description)) |"
    }
    return (head + rows).joined(separator: "\n") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
