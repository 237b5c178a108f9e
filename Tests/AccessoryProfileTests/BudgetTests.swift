import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

/// Short texts that cause endless work. Each is refused within a moment, with an error that names the budget.
@Suite("Budgets", .timeLimit(.minutes(20)))
struct BudgetTests {
  /// Expects that the first error names this budget, and that no other budget is exceeded.
  private func expect(_ budget: Budget, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let found = diagnose("understudy: 1\nname: Test\n" + text)
    #expect(found.contains { $0.contains(budget.excess) }, "\(found.prefix(3))", sourceLocation: sourceLocation)
    #expect(found.count <= ProfileError.limit, sourceLocation: sourceLocation)
  }

  /// Returns values that are each computed from the next; the last is a number.
  private func values(_ count: Int, _ expression: (Int) -> String) -> String {
    let lines = (0..<count).map { index in
      let value = index == count - 1 ? "1" : "{ compute: '\(expression(index + 1))' }"
      return "      - { id: a\(index), uuid: FFF1, properties: [read], format: u32, value: \(value) }\n"
    }
    return "services:\n  - uuid: FFF0\n    characteristics:\n" + lines.joined()
  }

  // MARK: Values

  @Test("Values that refer to each other twice are limited", arguments: [16, 24, 31])
  func doubling(_ count: Int) { expect(.expression, values(count) { "a\($0) + a\($0)" }) }

  @Test("A few that do are computed")
  func few() throws {
    var runtime = ProfileRuntime(profile: try profile(values(11) { "a\($0) + a\($0)" }))
    #expect(runtime.readOctets("a0", at: .zero) == [0, 4, 0, 0])
  }

  @Test("Values that follow from one another are computed up to the budget")
  func chain() throws {
    let deep = String(repeating: "-", count: 30)
    var runtime = ProfileRuntime(profile: try profile(values(Budget.references.limit) { "\(deep)a\($0)" }))
    #expect(runtime.readOctets("a0", at: .zero) == [1, 0, 0, 0])
    for count in [Budget.references.limit + 1, 100, 20_000] { expect(.references, values(count) { "a\($0)" }) }
  }

  @Test("A circle is found at the end of a long chain, and from every start")
  func circle() {
    let text = values(30) { $0 == 29 ? "a3" : "a\($0) + a\($0)" }
    let found = diagnose("understudy: 1\nname: Test\n" + text)
    #expect(found.count == 29 && found.allSatisfy { $0.contains("depends on itself") })
  }

  @Test("A rule's expression counts the values that it refers to")
  func rule() {
    let sum = Array(repeating: "a0", count: 30).joined(separator: " + ")
    expect(.expression, values(10) { "a\($0) + a\($0)" } + "rules: [ { when: { becomes: '\(sum) > 1' }, do: log } ]\n")
  }

  @Test("A service that is added later has the same budget")
  func service() throws {
    let runtime = ProfileRuntime(profile: try profile("services: []"))
    let characteristics = (0..<30).map { index in
      let value = index == 29 ? "1" : "{\"compute\": \"a\(index + 1) + a\(index + 1)\"}"
      return
        "{\"id\": \"a\(index)\", \"uuid\": \"FFF1\", \"properties\": [\"read\"], \"format\": \"u32\", \"value\": \(value)}"
    }
    let json = "{\"uuid\": \"FFF0\", \"characteristics\": [\(characteristics.joined(separator: ","))]}"
    let error = #expect(throws: ProfileValueError.self) {
      try runtime.loadService(json: Array(json.utf8)) { definition in
        definition.characteristics.indices.map { CharacteristicIndex($0) }
      }
    }
    #expect(error?.message.contains(Budget.expression.excess) == true)
  }

  // MARK: Rules

  @Test("States that branch into one another are limited")
  func states() throws {
    let all = (0..<20).map { "{ enter: s\($0) }" }.joined(separator: ", ")
    let states = (0..<20).map { "  s\($0): [ { when: entered, do: [ \(all) ] } ]\n" }.joined()
    var runtime = ProfileRuntime(
      profile: try profile("services: []\nrules: [ { when: { button: go }, do: { enter: s1 } } ]\nstates:\n\(states)"))
    _ = runtime.takeRuleReports()
    _ = try runtime.press("go", at: .ms(1))
    let reports = runtime.takeRuleReports()
    #expect(reports.contains { "\($0)".contains(Budget.effects.excess) })
  }

  // MARK: Formats

  @Test("Formats that name each other are read as deeply as the budget goes", arguments: [65, 5000, 20_000])
  func formatChain(_ count: Int) {
    let nested = (0..<count).map { "  f\($0): { struct: { x: f\($0 + 1) } }\n" }.joined()
    expect(.formatDepth, "formats:\n\(nested)  f\(count): u8\n")
    let named = (0..<count).map { "  f\($0): f\($0 + 1)\n" }.joined()
    expect(.formatDepth, "formats:\n\(named)  f\(count): u8\n")
  }

  @Test("Formats that name each other twice have at most that many parts")
  func formatDoubling() {
    let lines = (0..<40).map { "  f\($0): { struct: { x: f\($0 + 1), y: f\($0 + 1) } }\n" }.joined()
    expect(.format, "formats:\n\(lines)  f40: u8\n")
  }

  @Test("Lists of lists are no longer than an SDU")
  func lists() {
    let format = (0..<12).reduce("u8") { inner, _ in "{ list: \(inner), length: 512 }" }
    let found = diagnose("understudy: 1\nname: Test\nformats: { f: \(format) }\n")
    #expect(found.contains { $0.contains("512 members of 512 octets are more than 65535 octets") })
  }

  // MARK: YAML

  @Test("Merge keys add many keys in proportional time")
  func merge() {
    func keys(_ letter: String) -> String { (0..<20_000).map { "\(letter)\($0): 1" }.joined(separator: ", ") }
    let found = diagnose(
      "understudy: 1\nname: Test\na: &a { \(keys("a")) }\nb: &b { \(keys("b")) }\nc: { <<: [ *a, *b ], d: 1 }\n")
    #expect(found.count == 3)
  }

  @Test(
    "Errors on one line are counted in proportional time",
    arguments: ["unknown: { a: 1, ", "a: 1, a: 1, ", "services: 5, x: 7, "])
  func oneLine(_ start: String) {
    let keys = (0..<20_000).map { "k\($0): { compute: 'z' }" }.joined(separator: ", ")
    let twice = String(repeating: "a: 1, ", count: 20_000)
    for line in ["variables: { \(keys) }", "formats: { \(keys) }", "gatt: { \(keys) }", "gatt: { \(twice) }"] {
      do throws(ProfileError) {
        _ = try Profile.load(text: "understudy: 1\nname: Test\n\(line)\n")
        Issue.record("there should be errors")
      } catch {
        #expect(error.diagnostics.count <= ProfileError.limit)
        #expect(error.description.contains("more"))
      }
    }
  }

  @Test("Many errors in expressions, each with thousands of similar names")
  func names() {
    let lines = (0..<5000).map {
      "{ id: a\($0), uuid: FFF1, properties: [read], format: u8, value: { compute: 'b\($0)' } }"
    }
    let text = "services: [ { uuid: FFF0, characteristics: [ \(lines.joined(separator: ", ")) ] } ]\n"
    #expect(diagnose("understudy: 1\nname: Test\n" + text).count == ProfileError.limit)
  }

  // MARK: Scenarios

  private func scenario(_ cases: String, _ more: String = "") -> String {
    do throws(ProfileError) {
      _ = try Scenario.load(
        text: "understudy-scenario: 1\nname: Test\naccessory: { services: [] }\n\(more)cases:\n\(cases)")
      return ""
    } catch {
      return error.description
    }
  }

  @Test("A matrix is counted before it is expanded")
  func matrix() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    let axes = names.map { "\($0): [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]" }.joined(separator: ", ")
    let text = scenario("  - { name: x, matrix: { \(axes) }, steps: [ connect ] }\n")
    #expect(text.contains(Budget.cases.excess))
    let many = String(
      repeating: "  - { name: x, matrix: { a: &l [\(String(repeating: "0, ", count: 5000))0] }, steps: [] }\n", count: 3
    )
    #expect(scenario(many.replacing("&l ", with: "")).contains(Budget.cases.excess))
  }

  @Test("Nested repetitions are counted before they are expanded", arguments: [2, 3, 20])
  func repeats(_ depth: Int) {
    let step = (0..<depth).reduce("connect") { inner, _ in "{ repeat: 1000, steps: [ \(inner) ] }" }
    #expect(scenario("  - { name: x, steps: [ \(step) ] }\n").contains(Budget.steps.excess))
    let several = (0..<3).map {
      "  - { name: x\($0), steps: [ { repeat: 10000, steps: [ \(String(repeating: "connect, ", count: 30)) ] } ] }\n"
    }
    #expect(scenario(several.joined()).contains(Budget.steps.excess))
  }

  @Test("Parameters with large values are counted before they are inserted")
  func parameters() {
    let list = "[\(String(repeating: "0, ", count: 10_000))0]"
    let uses = String(repeating: "{ discover: any, has: \"${p}\" }, ", count: 200)
    let text = scenario(
      "  - { name: x, matrix: { a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, steps: [ \(uses) ] }\n",
      "parameters: { p: \(list) }\n")
    #expect(text.contains(Budget.filled.excess))
    let word = String(repeating: "x", count: 100_000)
    let long = scenario(
      "  - { name: x, steps: [ { read: \"\(String(repeating: "${p}", count: 1000))\" } ] }\n",
      "parameters: { p: \(word) }\n")
    #expect(long.contains(Budget.filled.excess))
  }

  // MARK: Files

  @Test("Expressions are limited in length and depth")
  func expressions() {
    for text in [String(repeating: "1+", count: 2100) + "1", String(repeating: "(", count: 5000)] {
      #expect(throws: ExpressionError.self) { try ExpressionParser.parse(text) }
    }
  }

  // MARK: The page

  @Test("The page of budgets lists each of these, and the tests that it names exist")
  func page() throws {
    let page = try FileText.read("\(FileText.root)/docs/budgets.md")
    for budget in Budget.all {
      #expect(page.contains("| \(budget.limit.inGroups) \(budget.name) |"), "\(budget.name)")
    }
    let names = page.matches(of: /`([A-Za-z_]+(?:Tests\.swift|\.py))`/).map { String($0.output.1) }
    #expect(names.count > 20)
    let folder = "\(FileText.root)/Tests"
    let files = try FileText.names(below: folder)
    for name in Set(names) { #expect(files.contains(name), "\(name)") }
  }
}
