import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import CentralHost
import Foundation
import Scenarios
import Simulation
import Testing
import UnderstudyTesting

/// Centrals of scenarios that behave like those of a maker.
@Suite("Personas")
struct PersonaTests {
  private static func scenario(_ phone: String, _ steps: String) throws -> Scenario {
    try Scenario.load(
      text: """
        understudy-scenario: 1
        name: Belt
        accessory: heart-rate
        phone: \(phone)
        cases:
          - name: one
            steps: \(steps)
        """, file: "belt.yaml")
  }

  private static func run(_ scenario: Scenario) throws -> CaseResult {
    CaseRunner.run(try #require(scenario.cases.first), of: scenario)
  }

  /// The accessory sees the interval, the timeout and the MTU of each.
  @Test(arguments: CentralPersona.all.map(\.name)) func anAccessorySeesIt(_ name: String) throws {
    let persona = try #require(CentralPersona.named(name))
    let air = TestAir(seed: 3)
    let accessory = try air.accessory("heart-rate")
    let central = try air.central(nil, as: persona)
    let link = try central.makeLink(to: accessory, persona.linkParameters)
    try central.simulated.open(as: persona, on: link)
    let state = try #require(accessory.simulated.stack.linkStates.first)
    #expect(persona.intervals.contains(state.details.interval))
    #expect(state.details.timeout == persona.timeout)
    #expect(state.mtu == (persona.opening.contains(.exchangeMTU) ? min(517, persona.mtu) : 23))
    #expect(!persona.sources.isEmpty)
  }

  @Test(arguments: CentralPersona.all.map(\.name)) func aScenarioIsPerformedByIt(_ name: String) throws {
    let scenario = try Self.scenario(
      "{ as: \(name) }",
      """
      [connect, exchange-mtu, discover, { read: battery-level, gives: 100 }, { subscribe: measurement }, \
      { notified: measurement, values: [any] }, disconnect]
      """)
    #expect(scenario.persona?.name == name)
    let result = try Self.run(scenario)
    #expect(result.hasPassed, "\(result.transcript.joined(separator: "\n"))")
  }

  @Test func aStepsOwnParametersComeFirst() throws {
    let scenario = try Self.scenario(
      "{ as: bluez }", "[{ connect: { interval: 100 ms } }, { read: battery-level, gives: 100 }]")
    let result = try Self.run(scenario)
    #expect(result.hasPassed)
    #expect(result.transcript.contains { $0.contains("\"interval_ms\":100") && $0.contains("\"timeout_ms\":420") })
  }

  @Test func anUnknownSystemIsAnError() {
    #expect(throws: ProfileError.self) { try Self.scenario("{ as: symbian }", "[connect]") }
    #expect(throws: ProfileError.self) { try Self.scenario("{}", "[connect]") }
  }

  @Test func namesAreUnique() {
    #expect(Set(CentralPersona.all.map(\.name)).count == CentralPersona.all.count)
  }

  /// The table of docs/scenarios.md.
  @Test(arguments: CentralPersona.all.map(\.name)) func itIsDocumented(_ name: String) throws {
    let persona = try #require(CentralPersona.named(name))
    let milliseconds = { (duration: Duration) in "\(Int(duration / .milliseconds(1)))" }
    let (shortest, longest) = (persona.intervals.lowerBound, persona.intervals.upperBound)
    let interval = (shortest == longest ? "" : "\(milliseconds(shortest)) to ") + "\(milliseconds(longest)) ms"
    let row =
      "| `\(name)` | \(persona.mtu) | \(interval) | \(milliseconds(persona.timeout)) ms | "
      + "\(persona.phy == .le2M ? "2M" : "1M") | \(persona.opening.map(\.rawValue).joined(separator: ", ")) |"
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/scenarios.md")
    #expect(try String(contentsOf: page, encoding: .utf8).contains(row), "\(row)")
  }
}
