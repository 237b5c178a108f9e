import AccessoryProfile
import BLECore
import Glibc
import Simulation
import Swarm
import Testing

@Suite("Explorations of a profile")
struct ExplorationTests {
  /// A lamp with one mistake for each rule that only an exploration checks.
  static let lamp = """
    understudy: 1
    name: Broken Lamp
    services:
      - uuid: FFF0
        characteristics:
          - { id: level, uuid: FFF1, properties: [read, write], format: u8, value: 7 }
          - { id: hidden, uuid: FFF2, properties: [read], format: u8, value: 1, on-read: { error: 0x81 } }
          - { id: go, uuid: FFF3, properties: [write], format: hex, on-write: [ { when: { first: 1 }, do: { set: { level: { compute: 'written[9]' } } } }, { when: { first: 2 }, do: { enter: on } } ] }
    states:
      off: []
      on: [ { when: { button: none }, if: 1 == 2, do: { enter: off } } ]

    """

  private func run(
    _ steps: [CentralAct], _ owner: [SwarmPlan.Step<OwnerAct>] = [], for duration: Duration = .seconds(60)
  )
    throws -> SwarmRun
  {
    let plan = SwarmPlan(
      seed: 1, profile: Self.lamp, preset: "full",
      centrals: [.init(.phone, ([.connect, .discover] + steps).map { .init(after: .seconds(2), $0) })], owner: owner,
      duration: duration)
    return try SwarmRun(plan, explores: true)
  }

  /// Returns a characteristic's number in acts. Those of Generic Access and Generic Attribute come first.
  private func place(_ id: String) throws -> Int {
    let run = try run((0..<12).map { .read($0) })
    let ids = ["level", "hidden", "go"]
    let first = try #require(
      (0..<12).first { number in
        (try? self.run([.read(number)]))?.sightings[Sighting(.read, "level", by: "phone")] == 1
      })
    #expect(run.sightings[Sighting(.read, "level", by: "phone")] > 0)
    return first + (ids.firstIndex(of: id) ?? 0)
  }

  @Test("Reads and refusals are recorded, with the error and the kind of central")
  func reading() throws {
    let run = try run([.read(try place("level")), .read(try place("hidden"))])
    #expect(run.sightings[Sighting(.read, "level", by: "phone")] == 1)
    #expect(run.sightings.all(.refused, of: "hidden").map(\.sighting.central) == ["phone"])
    #expect(run.sightings.all(.refused, of: "hidden").first?.sighting.error.contains("0x81") == true)
    #expect(run.sightings.all(.read, of: "hidden").isEmpty)
  }

  @Test("A rule's value that cannot be computed is a finding")
  func failingRule() throws {
    let run = try run([.write(try place("go"), [1])])
    #expect(run.findings.map(\.rule) == ["rule"])
  }

  @Test("A state's beginning and duration are recorded, and a kill does not leave the state")
  func states() throws {
    let go = try place("go")
    let run = try run(
      [.write(go, [2])], [.init(after: .seconds(100), .kill)], for: .seconds(200))
    #expect(run.sightings[Sighting(.entered, "on")] == 1)
    #expect(run.sightings[Sighting(.held, "on")] == 1)
    #expect(run.sightings[Sighting(.left, "on")] == 0)
    #expect(run.sightings[Sighting(.left, "off")] == 1)
  }

  @Test("A small plan becomes a scenario that fails at the finding")
  func scenario() throws {
    let go = try place("go")
    let plan = SwarmPlan(
      seed: 3, profile: Self.lamp, preset: "full",
      centrals: [
        .init(.phone, [.init(after: .zero, .connect), .init(after: .milliseconds(500), .write(go, [1]))])
      ], duration: .seconds(10))
    let scenario = try #require(
      PlanScenario(plan, showing: Finding("rule", about: "1 / 0", "it fails"), profile: "lamp.yaml"))
    let lines = scenario.text.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.contains("{ write: \"go\", value: hex:01, fails: maybe, phone: phone-0 }") })
    #expect(lines[scenario.expectationLine - 1].contains("wait: 60 s"))
    #expect(lines.last?.contains("never: { event: rule-failed, place: \"1 / 0\" }") == true)
    // A plan that no steps can express gives no scenario.
    var raw = plan
    raw.centrals[0].steps.append(.init(after: .zero, .raw(channel: 4, [1])))
    #expect(PlanScenario(raw, showing: Finding("rule", "it fails"), profile: "lamp.yaml") == nil)
  }

  @Test("The same seed gives the same exploration, and half of the seeds read everything")
  func plans() {
    var readers = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      var (first, second) = (PlanDrawing(seed: seed), PlanDrawing(seed: seed))
      let plan = first.exploration(of: "smart-lock")
      #expect(plan == second.exploration(of: "smart-lock"))
      if plan.centrals[0].steps.dropFirst().prefix(2).map(\.act.word) == ["exchange-mtu", "read"] { readers += 1 }
    }
    #expect((4...16).contains(readers))
  }

  @Test("Each rule is listed once")
  func rules() {
    let names = SwarmRule.exploration.map(\.name)
    #expect(Set(names).count == names.count)
  }
}
