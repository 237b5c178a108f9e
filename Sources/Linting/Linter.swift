import AccessoryProfile

/// Applies rules to profiles.
package struct Linter: Sendable {
  /// The rules that it applies, in the order of the table.
  package let rules: [LintRule]

  /// Creates a linter that applies these rules.
  package init(rules: [LintRule] = LintRule.all) { self.rules = rules }

  /// Creates a linter that applies the rules with these names which concern one of these platforms. An empty list selects all.
  ///
  /// - Throws: `UnknownRule` if there is no rule of a name.
  package init(only names: [String], platforms: [LintPlatform]) throws(UnknownRule) {
    for name in names where LintRule.named(name) == nil { throw UnknownRule(name: name) }
    rules = LintRule.all.filter { rule in
      (names.isEmpty || names.contains(rule.id))
        && (platforms.isEmpty || platforms.contains { rule.platforms.contains($0) })
    }
  }

  /// The error for a name that no rule has.
  package struct UnknownRule: Error, CustomStringConvertible {
    /// The name.
    package let name: String

    /// Creates the error.
    package init(name: String) { self.name = name }

    /// What is wrong, with the nearest name that exists.
    package var description: String {
      "there is no rule '\(name)'\(Spelling.nearest(to: name, among: LintRule.names).map { ", did you mean '\($0)'?" } ?? "; --rules lists all")"
    }
  }

  /// Applies the rules to the text of a profile.
  ///
  /// - Throws: The errors of `check`, and those in its reasons for deviations.
  package func lint(
    text: String, file: String, settings: [ProfileSetting] = []
  ) throws(ProfileError) -> LintReport {
    let examined = try ExaminedProfile.load(text: text, file: file, settings: settings)
    let allowed = try Self.reasons(in: examined.root)
    let subject = LintSubject(examined)
    var report = LintReport(file: file, profile: examined.profile)
    report.costs = LintedCosts(subject)
    for rule in rules {
      guard rule.applies(subject) else {
        report.inapplicable.append(rule)
        continue
      }
      let findings = rule.check(subject).map { LintFinding($0, of: rule) }
      if findings.isEmpty {
        report.passed.append(rule)
      } else if let reason = allowed[rule.id] {
        report.allowed.append(.init(rule: rule, reason: reason, findings: findings))
      } else {
        report.findings += findings
      }
    }
    report.addWarnings(of: examined.profile, allowed["profile-warning"], rules)
    report.findings = report.findings.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
    return report
  }

  /// Returns a profile's reasons for deviations, by rule. An unknown rule and an empty reason are errors.
  private static func reasons(in root: SyntaxNode) throws(ProfileError) -> [String: String] {
    var reasons: [String: String] = [:]
    var errors: [Diagnostic] = []
    for pair in root.value(of: "lint")?.value(of: "allow")?.pairs ?? [] {
      func refuse(_ node: SyntaxNode, _ message: String) {
        errors.append(node.source.diagnostic(line: node.line, column: node.column, .error, message))
      }
      let reason = pair.value.text ?? ""
      if LintRule.named(pair.name) == nil {
        refuse(pair.key, UnknownRule(name: pair.name).description)
      } else if reason.allSatisfy(\.isWhitespace) {
        refuse(pair.value, "the reason is missing: say why the profile deviates from '\(pair.name)'")
      }
      reasons[pair.name] = reason
    }
    guard errors.isEmpty else { throw ProfileError(diagnostics: errors) }
    return reasons
  }
}

/// The results of applying rules to a profile.
package struct LintReport: Sendable {
  /// The file.
  package let file: String
  /// The accessory's name.
  package let name: String
  /// The accessory's description.
  package let about: String
  /// How a person uses the accessory.
  package let instructions: String
  /// The accessory's buttons.
  package let buttons: [String]
  /// The deviations without a reason, in the order of their positions.
  package var findings: [LintFinding] = []
  /// The deviations for which the profile gives a reason.
  package var allowed: [Allowed] = []
  /// The rules that the profile follows.
  package var passed: [LintRule] = []
  /// The rules that do not apply to the profile.
  package var inapplicable: [LintRule] = []
  /// The costs of discovery and of the radio.
  package var costs = LintedCosts()

  init(file: String, profile: Profile) {
    self.file = file
    name = profile.name
    about = profile.about
    instructions = profile.instructions
    var names: [String] = []
    for case .button(let name) in profile.rules.map(\.trigger) where !names.contains(name) { names.append(name) }
    buttons = names
  }

  /// The deviations from one rule, and the reason for them.
  package struct Allowed: Sendable {
    /// The rule.
    package let rule: LintRule
    /// The profile's reason.
    package let reason: String
    /// The deviations.
    package let findings: [LintFinding]
  }

  /// Returns whether there are errors or warnings; `strictly` counts notes, too.
  package func fails(strictly: Bool) -> Bool { findings.contains { strictly || $0.rule.severity != .note } }

  /// Adds the warnings of the profile language, except those at the position of a finding.
  fileprivate mutating func addWarnings(of profile: Profile, _ reason: String?, _ rules: [LintRule]) {
    let rule = LintRule.profileWarning
    guard rules.contains(where: { $0.id == rule.id }) else { return }
    let found = (findings + allowed.flatMap(\.findings)).map { [$0.line, $0.column] }
    let rest = profile.warnings.filter { warning in !found.contains([warning.line, warning.column]) }
      .map { LintFinding(warning: $0) }
    guard !rest.isEmpty else { return }
    passed.removeAll { $0.id == rule.id }
    if let reason { allowed.append(.init(rule: rule, reason: reason, findings: rest)) } else { findings += rest }
  }
}

extension LintFinding {
  /// Makes a finding of a warning of the profile language.
  fileprivate init(warning: Diagnostic) {
    rule = .profileWarning
    (file, line, column, sourceLine) = (warning.file, warning.line, warning.column, warning.sourceLine)
    message = warning.message
    remedy = "remove the cause of the warning"
    fix = nil
  }
}
