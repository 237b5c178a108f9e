import AccessoryProfile
import Foundation
import Testing
import UnderstudyCore

@testable import Linting

@Suite("Lint reports")
struct ReportTests {
  private static func report(_ name: String, _ more: String = "") throws -> LintReport {
    let rule = try #require(LintRule.named(name))
    return try Linter().lint(text: rule.bad.text + more, file: "a b/lämp.yaml")
  }

  private static func object(_ value: ProfileValue) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(value.jsonText.utf8)) as? [String: Any])
  }

  @Test func theTextHasPositionReasonSourceAndChange() throws {
    let finding = try #require(try Self.report("flags-missing").findings.first)
    let lines = finding.text.split(separator: "\n").map { String($0) }
    #expect(lines.first == "a b/lämp.yaml:3:28: error: the data of 'main' has no flags [flags-missing]")
    #expect(lines[2] == String(repeating: " ", count: 27) + "^")
    #expect(lines.contains { $0.hasPrefix("  why:    Flags are mandatory") })
    #expect(lines.contains { $0 == "  source: Core Specification Supplement 11 Part A 1.3 (2023)" })
    #expect(lines.last == "  do:     add flags: [general] (--fix does it)")
  }

  @Test func jsonHasEverything() throws {
    let finding = try #require(try Self.report("flags-missing").findings.first)
    let object = try Self.object(finding.json)
    #expect(object["rule"] as? String == "flags-missing" && object["severity"] as? String == "error")
    #expect(object["line"] as? Int == 3 && object["column"] as? Int == 28 && object["fixable"] as? Bool == true)
    #expect(object["platforms"] as? [String] == ["core", "apple"] && object["year"] as? Int == 2023)
    #expect(object["file"] as? String == "a b/lämp.yaml")
  }

  @Test func sarifHasTheRequiredFields() throws {
    let reports = [
      try Self.report("flags-missing"),
      try Self.report("name-missing", "lint: { allow: { name-missing: it has no name } }\n"),
    ]
    let invalid = Diagnostic(file: "x.yaml", line: 2, column: 1, severity: .error, message: "wrong", sourceLine: "x")
    let log = try Self.object(SARIFReport.json(reports, invalid: [invalid], version: "1.2.3"))
    #expect(log["version"] as? String == "2.1.0")
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    let rules = try #require(driver["rules"] as? [[String: Any]])
    #expect(driver["name"] as? String == "understudy lint" && rules.count == LintRule.all.count + 1)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.map { $0["ruleId"] as? String } == ["flags-missing", "name-missing", "invalid-profile"])
    for result in results {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
      #expect((result["message"] as? [String: Any])?["text"] is String)
      #expect(["error", "warning", "note"].contains(result["level"] as? String))
      #expect(!((result["partialFingerprints"] as? [String: String]) ?? [:]).isEmpty)
      let location = try #require(
        (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
      let region = try #require(location["region"] as? [String: Any])
      #expect((region["startLine"] as? Int ?? 0) > 0 && (region["startColumn"] as? Int ?? 0) > 0)
    }
    let first = (results[0]["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
    #expect((first?["artifactLocation"] as? [String: Any])?["uri"] as? String == "a%20b/l%C3%A4mp.yaml")
    let suppression = (results[1]["suppressions"] as? [[String: Any]])?.first
    #expect(suppression?["justification"] as? String == "it has no name" && results[0]["suppressions"] == nil)
  }

  @Test func theSeverityDecidesWhetherLintFails() throws {
    #expect(try Self.report("flags-missing").fails(strictly: false))
    #expect(try Self.report("advertising-interval").fails(strictly: false))
    let note = try Self.report("name-missing")
    #expect(!note.fails(strictly: false) && note.fails(strictly: true))
  }

  @Test func thePageSaysHowToUseTheAccessory() throws {
    let text = """
      understudy: 1
      name: Lamp
      instructions: Turn the knob & wait.
      services: [ { uuid: FFF0, characteristics: [ { id: light, uuid: FFF1, properties: [read], format: u8, value: 1 } ] } ]
      rules:
        - { when: { button: knob }, do: { set: { light: 0 } } }
        - { when: { button: knob }, do: { set: { light: 2 } } }
      """
    let page = HTMLReport.page([try Linter().lint(text: text, file: "lamp.yaml")])
    for row in [
      "<td>Start</td><td><code>understudy run lamp.yaml</code></td>", "<td>Buttons</td><td>knob</td>",
      "<td>Instructions</td><td>Turn the knob &amp; wait.</td>", "<td>What it is</td><td>Not stated: ",
    ] { #expect(page.contains(row), "\(row)") }
  }

  /// A profile's texts never become markup.
  @Test func thePageEscapesTexts() throws {
    let text = """
      understudy: 1
      name: "<b>&\\"Lamp"
      about: <script>alert(1)</script>
      advertising: [ { id: main, data: { flags: [general], services: [battery] } } ]
      services: [ { include: battery }, { include: device-information } ]
      lint: { allow: { name-missing: "</p><i>" } }
      """
    let page = HTMLReport.page([try Linter().lint(text: text, file: "<x>.yaml")])
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    for markup in ["<script", "<b>", "<i>", "<x>"] { #expect(!page.contains(markup)) }
    #expect(page.contains("&lt;script&gt;") && page.contains("What was not checked"))
    #expect(page.contains("round trips") && page.contains("Reason:"))
  }

  /// The page is generated: run `make generate`.
  @Test func theReferenceIsUpToDate() throws {
    let root = String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })
    #expect(try String(contentsOfFile: "\(root)/docs/lint-rules.md", encoding: .utf8) == RuleReference.markdown)
  }

  @Test func everyRuleIsComplete() {
    #expect(LintRule.all.count >= 60 && Set(LintRule.names).count == LintRule.all.count)
    for rule in LintRule.all {
      #expect(rule.title.hasSuffix(".") && rule.why.hasSuffix(".") && !rule.platforms.isEmpty, "\(rule.id)")
      #expect((2009...2026).contains(rule.source.year) && !rule.source.text.isEmpty, "\(rule.id)")
      #expect(rule.id.allSatisfy { $0.isLowercase || $0 == "-" || $0.isNumber }, "\(rule.id)")
      #expect(RuleReference.explanation(of: rule).contains(rule.title))
      #expect(RuleReference.list([rule]).hasPrefix(rule.id))
    }
  }
}
