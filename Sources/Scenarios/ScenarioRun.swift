import AccessoryProfile
import BLECore

/// All cases of some scenarios, and which of them are to run.
package struct ScenarioRun: Sendable {
  /// One case and its scenario.
  package struct Entry: Sendable {
    /// The scenario, with its accessory and central.
    package var scenario: Scenario
    /// The case, with its steps.
    package var test: ScenarioCase

    /// What it is called among all: `Reads: refuses [code=5]`.
    package var title: String { "\(scenario.name): \(test.name)" }
  }

  /// The cases that run, in the order of their files.
  package private(set) var entries: [Entry] = []

  /// The cases of those scenarios that have one of the tags, where any are given, and none of the others. `name` is part of the titles.
  package init(
    _ scenarios: [Scenario], tags: [String] = [], without: [String] = [], named name: String? = nil, seed: UInt64? = nil
  ) {
    for scenario in scenarios {
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

  /// Runs them, so many at a time; `reported` gets the results in their order, each as soon as those before it are there.
  package func run(
    jobs: Int, reported: @escaping @Sendable (Int, CaseResult) -> Void
  ) async -> [CaseResult] {
    await withTaskGroup(of: (Int, CaseResult).self) { group in
      var results: [CaseResult?] = Array(repeating: nil, count: entries.count)
      var next = 0
      var told = 0
      func begin() {
        guard next < entries.count else { return }
        let (index, entry) = (next, entries[next])
        group.addTask { (index, CaseRunner.run(entry.test, of: entry.scenario)) }
        next += 1
      }
      for _ in 0..<max(1, jobs) { begin() }
      while let (index, result) = await group.next() {
        results[index] = result
        begin()
        while told < results.count, let result = results[told] {
          reported(told, result)
          told += 1
        }
      }
      return results.compactMap(\.self)
    }
  }
}
