import AccessoryProfile
import Testing

@testable import Linting

@Suite("Lint: reasons for deviations")
struct ReasonTests {
  private static let bad = LintRule.named("advertising-interval")?.bad.text ?? ""

  private static func errors(_ text: String) -> [String] {
    do throws(ProfileError) {
      _ = try Linter().lint(text: text, file: "lamp.yaml")
      return []
    } catch {
      return error.diagnostics.map { "\($0.line):\($0.column): \($0.severity.rawValue): \($0.message)" }
    }
  }

  @Test func aReasonAllowsADeviation() throws {
    let text =
      Self.bad + "lint: { allow: { advertising-interval: the product does it, advertising-start: as before } }\n"
    let report = try Linter().lint(text: text, file: "lamp.yaml")
    #expect(report.findings.isEmpty && !report.fails(strictly: true))
    let allowed = report.allowed.map { "\($0.rule.id): \($0.reason)" }
    #expect(allowed.first == "advertising-interval: the product does it")
    #expect(report.summary.contains("with a reason"))
  }

  /// Each error is in the line with the reason.
  @Test(arguments: [
    (
      "lint: { allow: { advertising-intervals: why } }",
      "there is no rule 'advertising-intervals', did you mean 'advertising-interval'?"
    ),
    ("lint: { allow: { nonsense-beyond-all: why } }", "there is no rule 'nonsense-beyond-all'; --rules lists all"),
    (
      "lint: { allow: { flags-missing: \"\" } }",
      "the reason is missing: say why the profile deviates from 'flags-missing'"
    ),
    (
      "lint: { allow: { flags-missing: \"  \" } }",
      "the reason is missing: say why the profile deviates from 'flags-missing'"
    ),
    ("lint: { allow: { flags-missing: } }", "expected text, not nothing"),
    ("lint: { allow: [flags-missing] }", "expected a mapping from rules to reasons, not a list"),
    ("lint: { ignore: flags-missing }", "unknown key 'ignore' (known: allow)"),
  ])
  func wrongReasonsAreErrors(_ line: String, _ message: String) {
    let errors = Self.errors("understudy: 1\nname: Lamp\n\(line)\n")
    #expect(errors.count == 1 && errors[0].hasPrefix("3:") && errors[0].hasSuffix("error: \(message)"), "\(errors)")
  }

  /// Only `lint` knows the names of rules: `check` and the runtime ignore the key.
  @Test func theProfileLoadsWithAnyRule() throws {
    let plain = try Profile.load(text: "understudy: 1\nname: Lamp\n")
    let reasoned = try Profile.load(text: "understudy: 1\nname: Lamp\nlint: { allow: { anything: why } }\n")
    #expect(plain.advertising == reasoned.advertising && reasoned.warnings == plain.warnings)
  }

  @Test func namesAndPlatformsSelectRules() throws {
    #expect(try Linter(only: ["flags-missing"], platforms: []).rules.map(\.id) == ["flags-missing"])
    let android = try Linter(only: [], platforms: [.android]).rules
    #expect(!android.isEmpty && android.allSatisfy { $0.platforms.contains(.android) })
    #expect(throws: Linter.UnknownRule.self) { try Linter(only: ["flag-missing"], platforms: []) }
  }

  /// An invalid profile has the errors of `check`.
  @Test(arguments: [
    "", "understudy: 2\nname: Lamp\n", "name: [", "understudy: 1\nname: Lamp\nservices: 5\n", "\u{FFFD}: &a [*a]",
    "understudy: 1\nname: Lamp\nservices: [ { include: nothing } ]\nadvertising: 7\n",
    "understudy: 1\nname: Lamp\n" + String(repeating: "[", count: 5000),
  ])
  func invalidProfilesHaveTheErrorsOfCheck(_ text: String) {
    var expected: [Diagnostic] = []
    do throws(ProfileError) { _ = try Profile.load(text: text, file: "lamp.yaml") } catch {
      expected = error.diagnostics
    }
    var found: [Diagnostic] = []
    do throws(ProfileError) { _ = try Linter().lint(text: text, file: "lamp.yaml") } catch { found = error.diagnostics }
    #expect(!expected.isEmpty && found == expected)
  }
}
