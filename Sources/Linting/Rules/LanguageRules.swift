/// The rule for the warnings of the profile language, which `understudy check` prints.
extension LintRule {
  static let languageRules = [profileWarning]

  /// The findings of this rule are made by `LintReport`, because they are about what no other finding is about.
  static let profileWarning = LintRule(
    "profile-warning", .warning, [.core],
    title: "`understudy check` has no warnings beside these rules.",
    why: "A warning is about something that probably has another effect than it seems.",
    source: .other("Understudy, docs/profiles.md", 2026),
    bad: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6001 ms } }", at: (3, 61)),
    good: .init("connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s } }")
  ) { _ in [] }
}
