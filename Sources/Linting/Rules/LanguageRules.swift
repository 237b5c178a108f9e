/// The rule for the warnings of the profile language, which `understudy check` prints.
extension LintRule {
  static let languageRules = [profileWarning]

  /// `LintReport` makes the findings of this rule, because it knows which warnings other findings cover.
  static let profileWarning = LintRule(
    "profile-warning", .warning, [.core],
    title: "`understudy check` gives no other warnings.",
    why: "A warning points at something that probably does not do what it seems to do.",
    source: .other("Understudy, docs/profiles.md", 2026),
    bad: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6001 ms } }", at: (3, 61)),
    good: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s } }")
  ) { _ in [] }
}
