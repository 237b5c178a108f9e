import AccessoryProfile
import Testing

@testable import Linting

@Suite("Lint rules")
struct RuleTests {
  /// The bad example has one finding, of this rule, at the position that the rule states.
  @Test(arguments: LintRule.names)
  func theBadExampleHasThisFinding(_ name: String) throws {
    let rule = try #require(LintRule.named(name))
    let findings = try Linter().lint(text: rule.bad.text, file: "bad.yaml").findings
    #expect(
      findings.map { "\($0.line):\($0.column) \($0.rule.id)" } == ["\(rule.bad.line):\(rule.bad.column) \(name)"],
      "\(rule.bad.text)\n\(findings.map(\.text).joined(separator: "\n"))")
  }

  @Test(arguments: LintRule.names)
  func theGoodExampleHasNoFinding(_ name: String) throws {
    let rule = try #require(LintRule.named(name))
    let report = try Linter().lint(text: rule.good.text, file: "good.yaml")
    #expect(report.findings.map(\.text) == [], "\(rule.good.text)")
    #expect(report.passed.contains { $0.id == name } || report.inapplicable.contains { $0.id == name })
  }
}

@Suite("Lint of shipped profiles")
struct ShippedProfileLintTests {
  /// Shipped profiles follow every rule, or give a reason.
  @Test(arguments: ShippedProfiles.list)
  func hasNoFindings(_ entry: ShippedEntry) throws {
    let text = try #require(ShippedProfiles.text(of: entry))
    let report = try Linter().lint(text: text, file: entry.name)
    #expect(report.findings.map { "\($0.rule.id) at \($0.line):\($0.column): \($0.message)" } == [])
  }
}
