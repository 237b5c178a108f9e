import AccessoryProfile

/// One rule for profiles: a row of `LintRule.all`.
package struct LintRule: Sendable {
  /// The name of the rule, for the key `lint.allow` and the options `--only` and `--explain`.
  package let id: String
  /// How bad a deviation is.
  package let severity: LintSeverity
  /// The rule in one sentence.
  package let title: String
  /// What happens if a profile deviates.
  package let why: String
  /// Where the rule comes from.
  package let source: LintSource
  /// The platforms that it concerns.
  package let platforms: [LintPlatform]
  /// Returns whether the rule applies to anything in a profile.
  package let applies: @Sendable (LintSubject) -> Bool
  /// A profile that deviates, and the position of the finding.
  package let bad: LintExample
  /// A profile that follows the rule.
  package let good: LintExample
  /// Returns the deviations of a profile.
  package let check: @Sendable (LintSubject) -> [LintIssue]

  init(
    _ id: String, _ severity: LintSeverity, _ platforms: [LintPlatform], title: String, why: String,
    source: LintSource, bad: LintExample, good: LintExample,
    applies: @escaping @Sendable (LintSubject) -> Bool = { _ in true },
    check: @escaping @Sendable (LintSubject) -> [LintIssue]
  ) {
    self.id = id
    self.severity = severity
    self.platforms = platforms
    self.title = title
    self.why = why
    self.source = source
    self.bad = bad
    self.good = good
    self.applies = applies
    self.check = check
  }
}

/// How bad a deviation is.
package enum LintSeverity: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Some centrals cannot find or use the accessory, or a specification is violated.
  case error
  /// The accessory works worse than it could, or not everywhere.
  case warning
  /// A trade-off that the author should know about.
  case note

  /// Returns whether the left severity is worse.
  package static func < (left: LintSeverity, right: LintSeverity) -> Bool {
    allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
  }
}

/// What a rule concerns: the specification, or a platform's own rules and limits.
package enum LintPlatform: String, Hashable, Sendable, CaseIterable { case core, apple, android, windows }

/// The document that states a rule.
package struct LintSource: Hashable, Sendable {
  /// Its publisher and title, with the section.
  package let text: String
  /// Its year.
  package let year: Int

  /// The source with its year.
  package var description: String { "\(text) (\(year))" }

  /// The Core Specification.
  static func core(_ section: String) -> LintSource { .init(text: "Core Specification 5.4 \(section)", year: 2023) }
  /// The Core Specification Supplement, which defines advertising data.
  static func supplement(_ section: String) -> LintSource {
    .init(text: "Core Specification Supplement 11 Part A \(section)", year: 2023)
  }
  /// Another specification of the Bluetooth SIG.
  static func sig(_ text: String, _ year: Int) -> LintSource { .init(text: "Bluetooth SIG, \(text)", year: year) }
  /// Apple's guidelines: by default the release of 2022.
  static func guidelines(_ section: String, _ year: Int = 2022) -> LintSource {
    .init(text: "Apple, Accessory Design Guidelines for Apple Devices, \(section)", year: year)
  }
  /// Apple's guidelines for Bluetooth accessories, release R7.
  static func guidelinesOf2013(_ section: String) -> LintSource {
    .init(text: "Apple, Bluetooth Accessory Design Guidelines for Apple Products R7, \(section)", year: 2013)
  }
  /// A session of WWDC, Apple's conference for developers.
  static func talk(_ year: Int, _ session: Int) -> LintSource {
    .init(text: "Apple, WWDC session \(session)", year: year)
  }
  /// Another document of Apple.
  static func apple(_ text: String, _ year: Int) -> LintSource { .init(text: "Apple, \(text)", year: year) }
  /// A document or the source of Android.
  static func android(_ text: String, _ year: Int) -> LintSource { .init(text: "Android, \(text)", year: year) }
  /// A document of Microsoft.
  static func microsoft(_ text: String, _ year: Int) -> LintSource { .init(text: "Microsoft, \(text)", year: year) }
  /// Another document.
  static func other(_ text: String, _ year: Int) -> LintSource { .init(text: text, year: year) }
}

/// A deviation that a rule has found.
package struct LintIssue: Sendable {
  /// The node in the text, usually a key.
  package var node: SyntaxNode
  /// What is wrong.
  package var message: String
  /// What to do about it.
  package var remedy: String
  /// The change of the text; nil if a person must decide.
  package var fix: LintFix?

  init(_ node: SyntaxNode, _ message: String, remedy: String, fix: LintFix? = nil) {
    self.node = node
    self.message = message
    self.remedy = remedy
    self.fix = fix
  }
}

/// A profile that shows a rule. `text` adds to its lines what a whole profile needs to follow all other rules.
package struct LintExample: Sendable {
  /// The lines that matter.
  package let lines: String
  /// The line of the finding in the whole text.
  package let line: Int
  /// The column of the finding in the whole text.
  package let column: Int

  init(_ lines: String, at place: (line: Int, column: Int) = (0, 0)) {
    self.lines = lines
    (line, column) = place
  }

  /// The whole profile.
  package var text: String {
    let head = lines.hasPrefix("name:") ? "understudy: 1\n" : "understudy: 1\nname: Lamp\n"
    let keys = lines.split(separator: "\n").filter { $0.first?.isLetter == true }
    let hasServices = keys.contains { $0.hasPrefix("services:") }
    var tail = ""
    if keys.last == "services:", !lines.contains("device-information") { tail = "  - include: device-information\n" }
    if !hasServices { tail = "services: [ { include: battery }, { include: device-information } ]\n" }
    if !keys.contains(where: { $0.hasPrefix("identity:") }) { tail += "identity: { appearance: light-source }\n" }
    return head + lines + "\n" + tail
  }
}
