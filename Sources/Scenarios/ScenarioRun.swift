import AccessoryProfile
import BLECore
import BLEGAP
import Simulation
import UnderstudyTesting

/// The selected cases of several scenarios.
package struct ScenarioRun: Sendable {
  /// One case and its scenario.
  package struct Entry: Sendable {
    /// The scenario, with its accessory and central.
    package var scenario: Scenario
    /// The case, with its steps.
    package var test: ScenarioCase

    /// The title among all cases: `Reads: refuses [code=5]`.
    package var title: String { "\(scenario.name): \(test.name)" }
  }

  /// The selected cases, in the order of their files.
  package private(set) var entries: [Entry] = []

  /// Selects cases of scenarios.
  ///
  /// - Parameters:
  ///   - scenarios: The scenarios.
  ///   - tags: A case needs one of these tags. An empty list selects all.
  ///   - without: A case must have none of these tags.
  ///   - name: What the title of a case must contain; nil for anything.
  ///   - seed: The seed for all cases; nil for their own.
  ///   - persona: The persona for all scenarios; nil for their own.
  package init(
    _ scenarios: [Scenario], tags: [String] = [], without: [String] = [], named name: String? = nil,
    seed: UInt64? = nil, as persona: CentralPersona? = nil
  ) {
    for var scenario in scenarios {
      if let persona { scenario.persona = persona }
      for var test in scenario.cases {
        if let seed { test.seed = seed }
        let entry = Entry(scenario: scenario, test: test)
        guard tags.isEmpty || !Set(tags).isDisjoint(with: test.tags), Set(without).isDisjoint(with: test.tags),
          name.map({ entry.title.contains($0) }) ?? true
        else { continue }
        entries.append(entry)
      }
    }
  }

  /// Drops all cases but those of one part.
  package mutating func keep(_ shard: ScenarioShard) {
    entries = entries.enumerated().filter { shard.includes($0.offset) }.map(\.element)
  }

  /// Runs the cases, `jobs` at a time. `reported` gets the results in the order of the cases, each as soon as all earlier cases have ended.
  package func run(
    jobs: Int, reported: @escaping @Sendable (Int, CaseResult) -> Void
  ) async -> [CaseResult] {
    await withTaskGroup(of: (Int, CaseResult).self) { group in
      var results = ResultsInOrder(count: entries.count, reported)
      var next = 0
      func begin() {
        guard next < entries.count else { return }
        let (index, entry) = (next, entries[next])
        group.addTask { (index, CaseRunner.run(entry.test, of: entry.scenario)) }
        next += 1
      }
      for _ in 0..<max(1, jobs) { begin() }
      while let (index, result) = await group.next() {
        results.add(result, at: index)
        begin()
      }
      return results.all
    }
  }

  /// Runs the cases on one air, so that the accessories and centrals of all cases hear one another. Each case's accessory has an address of its
  /// own. A case's impairments apply only between its own accessory and centrals.
  ///
  /// - Parameters:
  ///   - seed: Determines everything random about the air.
  ///   - jobs: The number of cases that run at the same time.
  ///   - captured: The capture ends when these cases have ended.
  ///   - capture: The file for all packets on the air; nil for none.
  ///   - reported: Gets the results in the order of the cases, each as soon as all earlier cases have ended.
  @discardableResult
  package func runOnOneAir(
    seed: UInt64 = 1, jobs: Int = .max, capturing captured: Set<Int> = [], to capture: String? = nil,
    reported: @escaping (Int, CaseResult) -> Void = { _, _ in }
  ) throws -> [CaseResult] {
    let radio = RadioSimulation(seed: seed)
    var results = ResultsInOrder(count: entries.count, reported)
    var recorder = try capture.map { try CaseCapture(creating: $0, of: radio) }
    var uncaptured = captured
    defer { recorder?.close() }
    try Turns.play(entries.count, atATime: jobs, on: radio) { number in
      let entry = entries[number]
      let air = TestAir(seed: entry.test.seed, sharing: radio)
      results.add(CaseRunner.run(entry.test, of: entry.scenario, on: air), at: number)
      air.clear()
      uncaptured.remove(number)
      if uncaptured.isEmpty {
        recorder?.close()
        recorder = nil
      }
    }
    return results.all
  }
}

/// Takes results in any order, and reports them in the order of the cases.
private struct ResultsInOrder {
  private var results: [CaseResult?]
  private var reportedCount = 0
  private let reported: (Int, CaseResult) -> Void

  init(count: Int, _ reported: @escaping (Int, CaseResult) -> Void) {
    (results, self.reported) = (Array(repeating: nil, count: count), reported)
  }

  mutating func add(_ result: CaseResult, at index: Int) {
    results[index] = result
    while reportedCount < results.count, let result = results[reportedCount] {
      reported(reportedCount, result)
      reportedCount += 1
    }
  }

  var all: [CaseResult] { results.compactMap(\.self) }
}
