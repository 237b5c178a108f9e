import AccessoryProfile
import BLECore
import Scenarios
import Testing
import Understudy

@Suite("Scenarios") struct ScenarioTests {
  private static let head = """
    understudy-scenario: 1
    name: Test
    accessory:
      services:
        - uuid: FFF0
          characteristics:
            - { id: level, uuid: FFF1, properties: [read, write, notify], format: u8, value: 7, notify: on-change }
    prepare: [ connect ]
    cases:

    """

  private func results(_ cases: String, seed: UInt64? = nil) async throws -> [CaseResult] {
    let scenario = try Scenario.load(text: Self.head + cases)
    return await ScenarioRun([scenario], seed: seed).run(jobs: 1) { _, _ in }
  }

  /// Runs a case of these steps with an accessory of these characteristics, each as the inside of a YAML mapping.
  private func result(of steps: [String], with characteristics: [String]) async throws -> CaseResult {
    let list = characteristics.map { "          - { \($0) }" }.joined(separator: "\n")
    let scenario = """
      understudy-scenario: 1
      name: Test
      accessory:
        services:
          - uuid: FFF0
            characteristics:
      \(list)
      cases: [ { name: case, steps: [ \(steps.joined(separator: ", ")) ] } ]
      """
    return try #require(await ScenarioRun([try Scenario.load(text: scenario)]).run(jobs: 1) { _, _ in }.first)
  }

  @Test("Each case is in one part of a run, and the parts are as equal as possible", arguments: [1, 2, 3, 5, 8])
  func shards(_ count: Int) throws {
    let cases = (1...5).map { "  - { name: case \($0), steps: [ { value: level, is: 7 } ] }" }
    let all = ScenarioRun([try Scenario.load(text: Self.head + cases.joined(separator: "\n"))])
    let parts = try (1...count).map { number in
      var part = all
      part.keep(try #require(ScenarioShard("\(number)/\(count)")))
      return part.entries.map(\.title)
    }
    #expect(parts.flatMap { $0 }.sorted() == all.entries.map(\.title))
    #expect(parts.allSatisfy { (5 / count...(5 + count - 1) / count).contains($0.count) })
  }

  @Test("Any other text is refused", arguments: ["", "2", "0/2", "3/2", "1/0", "1/2/3", "-1/2", "a/b", "1/"])
  func wrongShard(_ text: String) {
    #expect(ScenarioShard(text) == nil)
  }

  @Test("A step whose expectation is met passes")
  func passes() async throws {
    let results = try await results(
      "  - { name: reads, steps: [ { read: level, gives: 7 }, { value: level, is: 7 } ] }")
    #expect(results.map(\.failure) == [nil])
  }

  @Test(
    "A step whose expectation is not met fails, with its line and the reason",
    arguments: [
      ("{ read: level, gives: 8 }", "the result is hex:07 (7), not hex:08 (8)"),
      ("{ read: level, fails: 0x80 }", "it succeeded"),
      ("{ value: level, is: 8 }", "level is hex:07 (7), not hex:08 (8)"),
      ("{ write: level, value: hex:0102 }", "the server answered"),
      ("{ expect: { event: write }, within: 1 s }", "no such event occurred"),
      ("{ expect-none: { event: x }, for: 1 s }", ""),
      ("{ notified: level, within: 1 s }", "only 0 of 1 values were received"),
      ("{ disconnected: any, within: 1 s }", "the link has not ended"),
      ("{ scan: any, name: Nobody, for: 1 s }", "no matching advertisement was received"),
      ("{ discover: any, lacks: [ level ] }", "level was found"),
      ("{ never: { event: connected } }", "an unwanted event occurred"),
    ])
  func fails(step: String, reason: String) async throws {
    let result = try #require(try await results("  - name: fails\n    steps:\n      - \(step)").first)
    guard !reason.isEmpty else { return #expect(result.hasPassed) }
    #expect(result.failure?.reason.contains(reason) == true, "\(result.failure?.reason ?? "it passed")")
    #expect(result.failure?.line == 12)
  }

  @Test("A value that the accessory changes is an event")
  func changedValue() async throws {
    let steps =
      "{ set: { level: 9 } }, { expect: { event: value-changed, characteristic: level, value: 9, uuid: FFF1 } }"
    let results = try await results("  - { name: changes, steps: [ \(steps) ] }")
    #expect(results.map { $0.failure?.reason } == [nil])
  }

  @Test(
    "A number that is expected can be a range",
    arguments: [
      ("{ read: level, gives: { low: 5, high: 7 } }", nil), ("{ value: level, is: { low: 7 } }", nil),
      ("{ value: level, is: { high: 7 } }", nil),
      ("{ read: level, gives: { low: 8 } }", "the result is hex:07 (7), not {\"low\":8}"),
      ("{ value: level, is: { low: 1, high: 6 } }", "level is hex:07 (7), not {\"high\":6,\"low\":1}"),
      (
        "{ subscribe: level }\n      - { set: { level: 9 } }\n      - { notified: level, value: { low: 8, high: 10 } }",
        nil
      ),
      (
        "{ subscribe: level }\n      - { set: { level: 9 } }\n      - { notified: level, values: [ { low: 10 } ] }",
        "hex:09 (9) was received, not {\"low\":10}"
      ),
    ] as [(String, String?)])
  func ranges(step: String, reason: String?) async throws {
    let result = try #require(try await results("  - name: ranges\n    steps:\n      - \(step)").first)
    #expect(result.failure?.reason == reason)
  }

  @Test(
    "Beside a range, the rest of a value must be the same",
    arguments: [
      ("{ bpm: { low: 60, high: 100 }, worn: true, rr: [800, { low: 800 }] }", true),
      ("{ bpm: { low: 60, high: 100 }, worn: false, rr: [800, 850] }", false),
      ("{ bpm: { low: 60, high: 100 }, worn: true, rr: [800] }", false),
      ("{ bpm: { low: 60, high: 100 }, worn: true, rr: [800, { high: 849.9 }] }", false),
    ])
  func rangesInFields(value: String, passes: Bool) async throws {
    let format = "{ struct: { bpm: u8, worn: bool, rr: { list: { number: u16, decimals: 1 } } } }"
    let beat = "{ bpm: 72, worn: true, rr: [800, 850] }"
    let result = try await result(
      of: ["connect", "{ read: beat, gives: \(value) }"],
      with: ["id: beat, uuid: FFF1, properties: [read], format: \(format), value: \(beat)"])
    #expect(result.hasPassed == passes, "\(result.failure?.reason ?? "")")
  }

  @Test(
    "What is no range is refused, with how to write one",
    arguments: [
      ("60..100", "not '60..100': a range is { low: 60, high: 100 }"),
      ("60-100", "not '60-100': a range is { low: 60, high: 100 }"),
      ("[60, 100]", "not a list: a range is { low: 60, high: 100 }"), ("{}", "a range has 'low', 'high' or both"),
      ("{ low: 9, high: 3 }", "'low' is above 'high'"), ("{ low: 5, high: 300 }", "300"),
      ("{ low: few }", "expected a number, not 'few'"),
    ])
  func wrongRanges(value: String, message: String) {
    let error = #expect(throws: ProfileError.self) {
      try Scenario.load(text: Self.head + "  - { name: reads, steps: [ { read: level, gives: \(value) } ] }")
    }
    #expect(error?.diagnostics.map(\.message).contains { $0.contains(message) } == true, "\(error?.description ?? "")")
  }

  @Test(
    "Octets without digits are not YAML, and the message says what to write",
    arguments: ["{ write: level, value: hex: }", "write: level\n        value: hex:"])
  func emptyHexadecimal(step: String) {
    let error = #expect(throws: ProfileError.self) {
      try Scenario.load(text: Self.head + "  - name: writes\n    steps:\n      - \(step)\n")
    }
    #expect(error?.diagnostics.first?.message.hasSuffix("; octets without digits are \"\"") == true)
  }

  @Test("An empty text means no octets, whatever the format")
  func noOctets() async throws {
    let characteristics = [
      "id: raw, uuid: FFF1, properties: [read, write], max-length: 8, value: hex:0102",
      "id: number, uuid: FFF2, properties: [write], format: u8, value: 1, on-write: [ { otherwise: { error: 0x80 } } ]",
      "id: word, uuid: FFF3, properties: [read, write], format: utf8, value: \"x\"",
    ]
    let steps = [
      "connect", "{ read: raw, gives: hex:0102 }", "{ write: raw, value: \"\" }", "{ read: raw, gives: \"\" }",
      "{ write: number, value: \"\", fails: true }", "{ write: word, value: \"\" }", "{ value: word, is: \"\" }",
    ]
    #expect(try await result(of: steps, with: characteristics).failure?.reason == nil)
  }

  @Test(
    "A step that cannot be performed at all is not an expected failure",
    arguments: [
      ("disconnect, { read: level, fails: true }", "the central is not connected"),
      ("disconnect, { subscribe: level, fails: maybe }", "the central is not connected"),
      ("{ read: level, phone: other, fails: true }", "the central is not connected"),
      ("discover, { read: database-hash, fails: true }", "the central has not discovered database-hash"),
      ("{ read: database-hash, fails: true }", "there is no characteristic database-hash at the moment"),
    ])
  func impossible(steps: String, reason: String) async throws {
    let result = try #require(try await results("  - { name: fails, steps: [ \(steps) ] }").first)
    #expect(result.failure?.reason == "this step cannot be done: \(reason)", "\(result.failure?.reason ?? "it passed")")
  }

  @Test("A central uses the handles that it discovered, until it discovers again")
  func staleHandles() async throws {
    let accessory = """
      understudy-scenario: 1
      name: Test
      accessory:
        services:
          - { uuid: FFF0, id: first, characteristics: [ { id: one, uuid: FFF1, properties: [read], format: u8, value: 1 } ] }
          - { uuid: FFF2, id: second, characteristics: [ { id: two, uuid: FFF3, properties: [read], format: u8, value: 2 } ] }
      cases:
        - name: stale
          steps:
            - connect
            - { discover: any, has: [ one, two ] }
            - { inject: { services: change-silently, service: first } }
            - { read: one, fails: invalid-handle }
            - { read: two, gives: 2 }
        - name: fresh
          steps:
            - connect
            - { discover: any, has: [ one ] }
            - { inject: { services: change-silently, service: first } }
            - { discover: any, lacks: [ one ] }
            - { read: one, fails: true }
      """
    let results = await ScenarioRun([try Scenario.load(text: accessory)]).run(jobs: 1) { _, _ in }
    #expect(
      results.map { $0.failure?.reason } == [nil, "this step cannot be done: the central has not discovered one"])
  }

  @Test(
    "A case that expects nothing of the accessory causes a warning",
    arguments: [
      ("[]", true), ("[ { wait: 1 s }, disconnect ]", true), ("[ discover ]", true),
      ("[ { read: level, fails: maybe } ]", true), ("[ { read: level } ]", false), ("[ exchange-mtu ]", true),
      ("[ { value: level, is: 7 } ]", false), ("[ { discover: any, has: [ level ] } ]", false),
      ("[ { connect: any, fails: true } ]", false), ("[ { never: { event: fault } } ]", false),
    ])
  func withoutExpectation(steps: String, isWarnedOf: Bool) throws {
    let scenario = try Scenario.load(text: Self.head + "  - { name: a, steps: \(steps) }")
    #expect(scenario.warnings.contains { $0.message.contains("expects nothing") } == isWarnedOf)
  }

  @Test("A step presses a button, and the state that follows is an event")
  func buttons() async throws {
    let text = """
      understudy-scenario: 1
      name: Test
      accessory:
        services: [ { uuid: FFF0, characteristics: [ { id: one, uuid: FFF1, properties: [read], format: u8, value: 1 } ] } ]
        states:
          off: [ { when: { button: switch }, do: { enter: on } } ]
          on: [ { when: { button: switch }, do: { enter: off } } ]
      cases:
        - { name: a, steps: [ { press: switch }, { expect: { event: state, state: on } }, { press: switch }, { expect: { event: state, state: off } } ] }
        - { name: b, steps: [ { press: nobody } ] }
      """
    let results = await ScenarioRun([try Scenario.load(text: text)]).run(jobs: 1) { _, _ in }
    #expect(results.map(\.hasPassed) == [true, false])
  }

  @Test("A matrix gives a case for each combination of its parameters")
  func matrix() async throws {
    let text = """
        - name: refuses
          matrix: { code: [ 0x80, 0x81 ], key: [ read, access ] }
          faults: [ { on: { "${key}": level }, do: { error: "${code}" } } ]
          steps: [ { read: level, fails: "${code}" } ]
      """
    let results = try await results(text)
    #expect(
      results.map(\.name) == [
        "refuses [code=0x80, key=read]", "refuses [code=0x80, key=access]", "refuses [code=0x81, key=read]",
        "refuses [code=0x81, key=access]",
      ])
    #expect(results.compactMap(\.failure).isEmpty)
  }

  @Test("The same seed gives the same transcript, whatever runs beside it; another seed gives another")
  func reproducible() async throws {
    let text = """
        - name: chance
          faults: [ { on: { read: level }, do: { error: 0x80 }, probability: 50% } ]
          steps: [ { repeat: 30, steps: [ { read: level, fails: maybe } ] } ]
      """
    let scenario = try Scenario.load(text: Self.head + text)
    let run = ScenarioRun([scenario, scenario, scenario])
    let transcripts = await run.run(jobs: 3) { _, _ in }.map(\.transcript)
    #expect(Set(transcripts).count == 1)
    let others = try await results(text, seed: 99).map(\.transcript)
    #expect(others != [transcripts[0]])
  }

  @Test("Tags and titles select cases")
  func choosing() throws {
    let scenario = try Scenario.load(
      text: Self.head + "  - { name: one, tags: [a], steps: [] }\n  - { name: two, tags: [a, b], steps: [] }")
    func names(_ run: ScenarioRun) -> [String] { run.entries.map(\.test.name) }
    #expect(names(ScenarioRun([scenario])) == ["one", "two"])
    #expect(names(ScenarioRun([scenario], tags: ["b"])) == ["two"])
    #expect(names(ScenarioRun([scenario], without: ["b"])) == ["one"])
    #expect(names(ScenarioRun([scenario], named: "Test: tw")) == ["two"])
  }

  @Test(
    "Mistakes in a scenario are reported with their position",
    arguments: [
      ("  - { name: a, steps: [ { reed: level } ] }", "10:27: error: unknown key 'reed', did you mean 'read'?"),
      ("  - { name: a, steps: [ { read: levle } ] }", "there is no characteristic 'levle', did you mean 'level'?"),
      ("  - { name: a, steps: [ { read: level, gives: 300 } ] }", "error"),
      (
        "  - { name: a, steps: [ { read: level, value: 9 } ] }",
        "10:40: error: 'read' takes no 'value' (known: fails, for, gives, phone, within)"
      ),
      ("  - { name: a, steps: [ { write: level } ] }", "'write' needs a 'value'"),
      ("  - { name: a, steps: [ { read: level, write: level } ] }", "a step has exactly one action"),
      ("  - { name: \"${x}\", steps: [] }", "there is no parameter 'x'"),
      ("  - { name: a, steps: [] }\n  - { name: a, steps: [] }", "there are two cases 'a'"),
      ("  - { name: a, steps: [ { fault: { on: { read: x }, do: drop } } ] }", "there is no characteristic 'x'"),
      ("  - { name: a, steps: [ { open: x } ] }", "there is no channel 'x'"),
    ])
  func diagnostics(cases: String, message: String) {
    do throws(ProfileError) {
      _ = try Scenario.load(text: Self.head + cases)
      Issue.record("it was taken")
    } catch {
      #expect("\(error)".contains(message), "\(error)")
    }
  }

  @Test("Reports are in the Test Anything Protocol and in JUnit's XML")
  func reports() async throws {
    let results = try await results(
      "  - { name: 'good #1', steps: [] }\n  - { name: bad, steps: [ { value: level, is: 8 } ] }")
    let lines =
      TAPReport.head(count: 2) + TAPReport.lines(of: results[0], number: 1)
      + TAPReport.lines(of: results[1], number: 2, kept: ["x.txt"])
    #expect(
      lines == [
        "TAP version 14", "1..2", "ok 1 - Test: good \\#1", "not ok 2 - Test: bad", "  ---",
        "  message: \"level is hex:07 (7), not hex:08 (8)\"", "  at: \"scenario.yaml:11\"",
        "  step: \"{value: level is: 8}\"", "  time: \(results[1].failure?.time?.secondsText ?? "")",
        "  kept: [\"x.txt\"]", "  ...",
      ])
    let hostile = try await self.results("  - { name: \"a\\nnot ok 1\\r\\L2 \\uFFFE\\uFFFF\", steps: [] }")
    #expect(TAPReport.lines(of: hostile[0], number: 1) == ["ok 1 - Test: a not ok 1  2 \u{FFFE}\u{FFFF}"])
    #expect(JUnitReport.text(of: hostile).contains("2 ??\""))
    let xml = JUnitReport.text(of: results)
    #expect(xml.contains("<testsuites tests=\"2\" failures=\"1\">"))
    #expect(xml.contains("<failure message=\"level is hex:07 (7), not hex:08 (8)\">"))
  }
}

@Suite("The shipped scenarios") struct ScenarioLibraryTests {
  static let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Scenarios/"

  @Test(
    "The shipped scenarios pass",
    arguments: ["baseline", "faults", "reconnect", "ota", "cache", "permissions", "background"])
  func passes(name: String) async throws {
    let scenario = try Scenario.load(contentsOf: Self.folder + name + ".yaml")
    #expect(scenario.warnings.isEmpty)
    let results = await ScenarioRun([scenario]).run(jobs: 2) { _, _ in }
    for result in results where !result.hasPassed {
      Issue.record(
        "\(result.name): \(result.failure.map { "\($0)" } ?? "")\n\(result.transcript.suffix(12).joined(separator: "\n"))"
      )
    }
  }

  @Test("No case of the fault suite passes without its faults")
  func faultsMatter() async throws {
    var scenario = try Scenario.load(contentsOf: Self.folder + "faults.yaml")
    for index in scenario.cases.indices {
      scenario.cases[index].faults = []
      scenario.cases[index].steps.removeAll { if case .arm = $0.action { true } else { false } }
    }
    let results = await ScenarioRun([scenario]).run(jobs: 2) { _, _ in }
    #expect(results.count > 100)
    #expect(results.filter(\.hasPassed).map(\.name) == [])
  }
}
