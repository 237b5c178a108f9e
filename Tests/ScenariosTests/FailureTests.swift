import AccessoryProfile
import BLECore
import Scenarios
import Testing
import Understudy

/// A failure reports its time, the injected faults, and decoded values.
@Suite("Failures of cases") struct FailureTests {
  private static let head = """
    understudy-scenario: 1
    name: Test
    accessory:
      faults:
        - { on: { read: other }, do: { error: 0x81 } }
      services:
        - uuid: FFF0
          characteristics:
            - { id: level, uuid: FFF1, properties: [read, write, notify], format: { struct: { bpm: u8 } }, value: { bpm: 7 }, notify: on-change }
            - { id: beat, uuid: FFF3, properties: [notify], format: u8, value: { counter: { from: 0, to: 9, every: 1 s } }, notify: on-change }
            - { id: other, uuid: FFF2, properties: [read], format: u8, value: 7 }
    prepare: [ connect ]
    cases:

    """

  private func result(_ text: String) async throws -> CaseResult {
    let scenario = try Scenario.load(text: Self.head + text)
    return try #require(await ScenarioRun([scenario]).run(jobs: 1) { _, _ in }.first)
  }

  struct Injection: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// The injected faults without their times; nil if the failure does not mention faults.
    var injected: [String]?
    var testDescription: String { name }
  }

  static let injections = [
    Injection(name: "no faults", text: "steps: [ { value: other, is: 8 } ]", injected: []),
    Injection(
      name: "a fault of the profile", text: "steps: [ { read: other, gives: 7 } ]",
      injected: ["fault-1: ATT_READ_REQ refused: Application Error (0x81) (scenario.yaml:5)"]),
    Injection(
      name: "a fault of the case",
      text: """
        faults:
              - { id: refusal, on: { read: level }, do: { error: 0x80 } }
            steps: [ { read: level } ]
        """, injected: ["refusal: ATT_READ_REQ refused: Application Error (0x80) (scenario.yaml:16)"]),
    Injection(
      name: "a fault of a step",
      text: """
        steps:
              - { fault: { on: { read: level }, do: { error: 0x80 } } }
              - { read: level }
        """, injected: ["fault-16: ATT_READ_REQ refused: Application Error (0x80) (scenario.yaml:16)"]),
    Injection(
      name: "two faults with the same id",
      text: "faults: [ { on: { read: level }, do: { error: 0x80 } } ]\n    steps: [ { read: level } ]",
      injected: ["fault-1: ATT_READ_REQ refused: Application Error (0x80)"]),
    Injection(
      name: "many faults",
      text: "steps: [ { repeat: 12, steps: [ { read: other, fails: true } ] }, { value: other, is: 8 } ]",
      injected: Array(repeating: "fault-1: ATT_READ_REQ refused: Application Error (0x81) (scenario.yaml:5)", count: 12)
    ),
  ]

  @Test("A failure names the faults that fired, and their places", arguments: injections)
  func injected(_ injection: Injection) async throws {
    let result = try await result("  - name: fails\n    \(injection.text)")
    let failure = try #require(result.failure)
    let time = try #require(failure.time)
    let injected = failure.injected?.map { fault in "\(fault.id): \(fault.done)\(fault.place.map { " (\($0))" } ?? "")"
    }
    #expect(injected == injection.injected, "\(result.transcript)")
    #expect(failure.injected?.allSatisfy { .zero <= $0.time && $0.time <= time } == true)
    let shown = failure.injectedLines ?? []
    #expect(shown.count == min(failure.injected?.count ?? 0, 11))
    let tap = TAPReport.lines(of: result, number: 1)
    #expect(tap.contains("  time: \(time.secondsText)"))
    #expect(tap.contains { $0.hasPrefix("  injected: [") && $0.contains(shown.first ?? "") })
    #expect(JUnitReport.text(of: [result]).contains("\ntime: \(time.secondsText)"))
  }

  @Test("Without armed faults, a failure does not mention faults")
  func withoutFaults() async throws {
    let text = Self.head.replacing("  faults:\n    - { on: { read: other }, do: { error: 0x81 } }\n", with: "")
    let scenario = try Scenario.load(text: text + "  - { name: fails, steps: [ { value: other, is: 8 } ] }")
    let result = try #require(await ScenarioRun([scenario]).run(jobs: 1) { _, _ in }.first)
    #expect(result.failure?.time != nil)
    #expect(result.failure?.injected == nil)
  }

  @Test("Times count from the beginning of the case, also on a shared air")
  func times() throws {
    let cases = ["a", "b"].map { "  - { name: \($0), steps: [ { wait: 2 s }, { read: other, gives: 7 } ] }" }
    let scenario = try Scenario.load(text: Self.head + cases.joined(separator: "\n"))
    for result in try ScenarioRun([scenario]).runOnOneAir(jobs: 1) {
      let failure = try #require(result.failure)
      let time = try #require(failure.time)
      #expect(Duration.seconds(2) < time && time < .seconds(3))
      #expect(failure.injected?.map(\.id) == ["fault-1"])
      #expect(failure.injected?.allSatisfy { $0.time <= time } == true)
    }
  }

  @Test(
    "A failure decodes a wrong value, and numbers it if several are expected",
    arguments: [
      ("{ notified: level, value: { bpm: 9 } }", #"hex:08 ({"bpm":8}) was received, not hex:09 ({"bpm":9})"#),
      (
        "{ notified: level, values: [ any, { bpm: 9 } ] }",
        #"hex:0a ({"bpm":10}) was received as value 2 of 2, not hex:09 ({"bpm":9})"#
      ),
    ])
  func values(step: String, reason: String) async throws {
    let steps = "{ subscribe: level }, { set: { level: { bpm: 8 } } }, { set: { level: { bpm: 10 } } }, \(step)"
    let result = try await result("  - { name: fails, steps: [ \(steps) ] }")
    #expect(result.failure?.reason == reason)
  }

  @Test("A failure decodes an unwanted value")
  func unwantedValue() async throws {
    let text = """
        - name: fails
          steps:
            - { subscribe: beat }
            - { not-notified: beat, for: 2 s }
      """
    let reason = try #require(try await result(text).failure?.reason)
    #expect(reason.wholeMatch(of: /hex:0(\d) \((\d)\) was received/).map { $0.1 == $0.2 } == true, "\(reason)")
  }

  @Test("Scenarios can expect exactly the hosts' events of the catalogue")
  func eventNames() {
    let catalogue = EventCatalogue.all.map { ($0.title, $0.events.map(\.name)) }
    let all = Set(catalogue.flatMap { $0.1 })
    #expect(ScenarioEvents.names.filter { !all.contains($0) } == [])
    let ofHosts = catalogue.drop { $0.0 != "Advertising" }.flatMap { $0.1 }
    #expect(ofHosts.filter { !ScenarioEvents.names.contains($0) } == [])
    #expect(ScenarioEvents.common.filter { !ScenarioEvents.names.contains($0) } == [])
    #expect(Set(ScenarioEvents.names).count == ScenarioEvents.names.count)
  }
}
