import AccessoryProfile
import Testing

@testable import Linting

@Suite("Lint: safe changes")
struct FixTests {
  /// The rules whose bad example `--fix` mends.
  static let fixable = LintRule.all.filter { rule in
    (try? Linter().lint(text: rule.bad.text, file: "bad.yaml"))?.findings.contains { $0.fix != nil } ?? false
  }.map(\.id)

  @Test func manyRulesHaveFixes() { #expect(Self.fixable.count >= 20) }

  /// The fixed text has no finding, is valid, and differs in few lines.
  @Test(arguments: fixable)
  func theFixedExampleIsClean(_ name: String) throws {
    let rule = try #require(LintRule.named(name))
    let before = rule.bad.text
    let result = try ProfileFixer(Linter()).fix(text: before, file: "bad.yaml")
    #expect(try Linter().lint(text: result.text, file: "bad.yaml").findings.map(\.text) == [])
    #expect(try Profile.load(text: result.text).name == "Lamp")
    #expect(result.changes.contains { $0.rule == name && !$0.summary.isEmpty })
    let (old, new) = (before.split(separator: "\n"), result.text.split(separator: "\n"))
    #expect(Set(old).subtracting(new).count <= 2)
  }

  @Test func commentsAndEverythingElseStay() throws {
    let text = """
      # A lamp.
      understudy: 1
      name: Lamp  # in the kitchen
      advertising:
        - id: main # the only set
          interval:   100 ms   # as the first firmware had it
          data:
            # What apps look for.
            services: [battery]
            name: complete
      services: [ { include: battery }, { include: device-information } ]

      """
    let result = try ProfileFixer(Linter()).fix(text: text, file: "lamp.yaml")
    #expect(
      result.text
        == text.replacing("  100 ms", with: "  152.5 ms").replacing(
          "      services: [b", with: "      flags: [general]\n      services: [b"))
    #expect(result.changes.map { "\($0.line) \($0.rule)" } == ["6 advertising-interval", "7 flags-missing"])
    // A person must decide about the rest.
    let rest = try Linter().lint(text: result.text, file: "lamp.yaml").findings
    #expect(rest.map(\.rule.id) == ["advertising-start"])
  }

  @Test func lineEndingsStay() throws {
    let text =
      "understudy: 1\r\nname: Lamp\r\nsecurity: { pairing: just-works, request: on-connection }\r\n"
      + "services: [ { include: battery }, { include: device-information } ]\r\n"
    let result = try ProfileFixer(Linter()).fix(text: text, file: "lamp.yaml")
    #expect(result.text == text.replacing("on-connection", with: "never"))
  }

  @Test func parametersAreChangedAtTheirDefault() throws {
    let text = """
      understudy: 1
      name: Lamp
      parameters: { asks: { default: on-connection, about: When it asks. } }
      security: { pairing: just-works, request: $asks }
      services: [ { include: battery }, { include: device-information } ]
      """
    let result = try ProfileFixer(Linter()).fix(text: text, file: "lamp.yaml")
    #expect(result.text == text.replacing("default: on-connection", with: "default: never"))
  }

  @Test func aTextWithoutFindingsStays() throws {
    let text = try #require(LintRule.named("flags-missing")).good.text
    let result = try ProfileFixer(Linter()).fix(text: text, file: "lamp.yaml")
    #expect(result.text == text && result.changes.isEmpty)
  }

  @Test func anEditNeedsItsOldText() {
    let edit = TextEdit(file: "a.yaml", line: 1, column: 3, old: "b", new: "x")
    #expect(TextEdit.applying([edit], to: "a b\n", "a.yaml") == "a x\n")
    #expect(TextEdit.applying([edit], to: "a c\n", "a.yaml") == nil)
    #expect(TextEdit.applying([edit], to: "a b\n", "other.yaml") == nil)
    #expect(TextEdit.applying([edit], to: "a", "a.yaml") == nil)
  }

  @Test func onlyChosenRulesFix() throws {
    let text = try #require(LintRule.named("flags-missing")).bad.text
    let linter = try Linter(only: ["advertising-interval"], platforms: [])
    #expect(try ProfileFixer(linter).fix(text: text, file: "lamp.yaml").changes.isEmpty)
  }
}
