import AccessoryProfile
import Testing

@testable import AccessoryProfile

@Suite("Schema")
struct SchemaTests {
  /// The file for editors is the schema that is generated from the loader's tables: run `make generate`.
  @Test func fileIsInStep() throws {
    let file = FileReading.text(at: "\(FileText.root)/Profiles/profile.schema.json")
    #expect(try file.get() == ProfileSchema.profile.json)
  }

  /// The reference is generated: run `make generate`.
  @Test func theReferenceIsInStep() throws {
    #expect(try FileText.read("\(FileText.root)/docs/profile-keys.md") == ProfileReference.markdown)
  }

  @Test func keysAreExplained() {
    #expect(
      ProfileReference.explanation(of: "rule.when") == [
        "when in rule (used in profile.rules, profile.states, characteristic.rules), required", "  The trigger.",
        "  start, paged, connected, disconnected, lost, paired, asleep, awake, entered, left, written, read, subscribed, unsubscribed; or a mapping trigger",
      ])
    #expect(ProfileReference.explanation(of: "crc16").first == "crc16(X): a function of expressions")
    #expect(ProfileReference.explanation(of: "tx-power").count == 6)
    #expect(ProfileReference.explanation(of: "nonsense").isEmpty && ProfileReference.nearest(to: "notifi") == "notify")
  }

  @Test(arguments: [
    ("expect", "expect in scenario-step (used in scenario.prepare, scenario-case.steps, scenario-step.steps)"),
    ("expect", "  Beside it: for, of, phone, within"), ("notified", "  Beside it: for, phone, value, values, within"),
    ("gives", "  The expected result of a read, or of an MTU exchange; a number in it can be { low: 60, high: 100 }."),
    ("scenario-case", "scenario-case: a mapping with these keys"),
    ("fleet-accessory.count", "count in fleet-accessory (used in fleet.accessories)"),
  ])
  func keysOfOtherFilesAreExplained(_ key: String, _ line: String) {
    let lines = ProfileReference.explanation(of: key)
    #expect(lines.contains(line), "\(lines)")
  }

  @Test func wordsOfExpressionsAreExplained() {
    let overview = ProfileReference.explanation(of: "expression")
    #expect(
      overview.contains { $0.hasPrefix("  Operators: + - * / %,") }
        && overview == ProfileReference.explanation(of: "expressions"))
    for name in Expression.usableNames.map(\.rawValue) + Expression.Function.allCases.map(\.rawValue) {
      #expect(overview.contains { $0.contains(name) }, "\(name)")
    }
    // A name can be a key, too.
    let written = ProfileReference.explanation(of: "written")
    #expect(
      written.contains { $0.hasPrefix("written in trigger ") } && written.contains("written: a name in expressions"))
    #expect(
      ProfileReference.explanation(of: "mtu").last
        == "  The ATT MTU of the connection involved; if none is, the smallest of all.")
    #expect(ProfileReference.nearest(to: "expresion") == "expression")
  }

  /// The tables state the ranges, and everything else is derived from them.
  @Test(arguments: [
    ("sleep.after", "a duration, 100 ms to 365 d"),
    ("parameter-request.interval", "a duration, 7.5 ms to 4 s, in steps of 1.25 ms; or a list"),
    ("connection.mtu", "a whole number, 23 to 517"),
  ])
  func rangesAreExplained(_ key: String, _ expected: String) {
    #expect(ProfileReference.explanation(of: key).contains { $0.hasPrefix("  \(expected)") })
  }

  @Test func theSchemaHasRanges() {
    #expect(ProfileSchema.profile.json.contains("makes it sleep). 100 ms to 365 d."))
  }

  @Test(arguments: [
    ("sleep: { after: 99 ms }", "3:17: error: 99 ms is not within 100 ms to 365 d"),
    ("connection: { request: { interval: 3 ms, timeout: 1 s } }", "3:36: error: 3 ms is not within 7.5 ms to 4 s"),
    ("connection: { max-connections: 65 }", "3:32: error: 65 is not within 1...64"),
  ])
  func theLoaderKeepsToThem(_ line: String, _ expected: String) {
    #expect(diagnose("understudy: 1\nname: Test\n\(line)\n").contains(expected))
  }

  @Test func everyTableIsThereOnceAndReferencesResolve() {
    let names = Language.tables.map(\.name)
    #expect(Set(names).count == names.count)
    for table in Language.tables {
      #expect(Set(table.names).count == table.names.count)
      for key in table.keys { #expect(references(key.type).allSatisfy { names.contains($0) }) }
    }
  }

  private func references(_ type: ValueType) -> [String] {
    switch type {
    case .mapping(let name): [name]
    case .list(let inner), .dictionary(let inner): references(inner)
    case .choice(let choices): choices.flatMap(references)
    default: []
    }
  }
}
