import AccessoryProfile
import BLECore
import Scenarios
import Synchronization
import Testing
import Understudy

@Suite("Scenarios on one air") struct OneAirTests {
  /// An accessory with a fixed address, so that every case has the same one.
  private static let head = """
    understudy-scenario: 1
    name: Test
    accessory:
      identity: { address: "C0:FF:EE:00:00:01" }
      services:
        - uuid: FFF0
          characteristics:
            - { id: level, uuid: FFF1, properties: [read, write, notify], format: u8, value: 7, notify: on-change }
    prepare: [ connect ]
    cases:

    """

  private func run(_ cases: String) throws -> ScenarioRun {
    ScenarioRun([try Scenario.load(text: Self.head + cases)])
  }

  private func when(_ event: String, in result: CaseResult) throws -> Double {
    let line = try #require(result.transcript.first { $0.contains(event) })
    return try #require(Double(line.prefix { $0 != " " }))
  }

  @Test("Centrals meet the accessories of their own cases, whatever the addresses and names")
  func ownAccessories() throws {
    let cases = (0..<6).map { number in
      """
        - name: writes \(number)
          steps: [ { write: level, value: \(number) }, { wait: 3 s }, { read: level, gives: \(number) }, { value: level, is: \(number) },
                   disconnect, { scan: any, for: 1 s }, connect, { read: level, gives: \(number) } ]

      """
    }
    let results = try run(cases.joined()).runOnOneAir()
    #expect(results.map(\.failure) == Array(repeating: nil, count: 6))
    #expect(results.map(\.name) == (0..<6).map { "writes \($0)" })
  }

  @Test("Cases are on the air at the same time, or one after another with one job")
  func jobs() throws {
    let run = try run("  - { name: a, steps: [ { wait: 1 h } ] }\n  - { name: b, steps: [ { wait: 1 h } ] }")
    let together = try run.runOnOneAir()
    #expect(try when("connected", in: together[1]) < 10)
    let inOrder = try run.runOnOneAir(jobs: 1)
    #expect(try when("connected", in: inOrder[1]) > 3600)
  }

  @Test("The same seed gives the same transcripts, whatever runs beside it; another seed gives others")
  func reproducible() async throws {
    let run = try run(
      """
        - name: chance
          matrix: { who: [ 1, 2, 3 ] }
          faults: [ { on: { read: level }, do: { error: 0x80 }, probability: 50% } ]
          steps: [ { air: { loss: 20% } }, { repeat: 10, steps: [ { read: level, fails: maybe } ] } ]
      """)
    let all = await withTaskGroup(of: [[String]]?.self) { group in
      for _ in 0..<4 { group.addTask { try? run.runOnOneAir(seed: 3).map(\.transcript) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let first = try #require(all[0])
    #expect(all.allSatisfy { $0 == first })
    #expect(Set(first).count == 3)
    #expect(try run.runOnOneAir(seed: 4).map(\.transcript) != first)
  }

  @Test("A failing case does not affect the others, and results are in the order of the files")
  func failing() throws {
    let run = try run(
      """
        - { name: long, steps: [ { wait: 20 s }, { read: level, gives: 7 } ] }
        - { name: wrong, steps: [ { read: level, gives: 8 } ] }
        - { name: late, steps: [ { notified: level, within: 5 s } ] }
        - { name: good, steps: [ { wait: 10 s }, { read: level, gives: 7 } ] }
      """)
    let reported = Mutex<[Int]>([])
    let results = try run.runOnOneAir { index, _ in reported.withLock { $0.append(index) } }
    #expect(reported.withLock { $0 } == [0, 1, 2, 3])
    #expect(results.map(\.hasPassed) == [true, false, false, true])
    #expect(results[1].failure?.reason == "the result is hex:07 (7), not hex:08 (8)")
    #expect(results[2].failure?.reason == "only 0 of 1 values were received")
    #expect(try when("failed", in: results[1]) < 2)
  }

  @Test("A case's impairment applies between its own accessory and centrals")
  func impairments() throws {
    let results = try run(
      """
        - name: alone
          steps: [ { read: level, gives: 7 }, { air: unreachable }, { disconnected: 0x08 }, { connect: any, phone: other, within: 5 s, fails: true },
                   { air: good }, { connect: any, phone: other }, { read: level, phone: other, gives: 7 } ]
        - { name: others, steps: [ { repeat: 20, steps: [ { wait: 1 s }, { read: level, gives: 7 } ] } ] }
      """
    ).runOnOneAir()
    #expect(results.compactMap(\.failure) == [])
  }

  @Test("The scenarios of the project pass")
  func library() throws {
    let scenarios = try ["baseline", "reconnect", "ota", "permissions"].map {
      try Scenario.load(contentsOf: ScenarioLibraryTests.folder + $0 + ".yaml")
    }
    for result in try ScenarioRun(scenarios).runOnOneAir() where !result.hasPassed {
      Issue.record("\(result.name): \(result.failure.map { "\($0)" } ?? "")\n\(result.transcript.suffix(12))")
    }
  }
}
