import AccessoryProfile
import ArgumentParser
import BLECore
import Glibc
import Scenarios
import Swarm
import Transport

/// Performs `understudy test --explore`: runs random centrals, faults, losses and owners from seeds, in
/// separate processes, and reports violations with small cases that show them.
struct ProfileExploration {
  /// The extent of an exploration: a time, or a number of seeds.
  enum Extent: Hashable, ExpressibleByArgument {
    case time(Duration)
    case seeds(UInt64)

    init?(argument text: String) {
      if let count = UInt64(text), count > 0 {
        self = .seeds(count)
      } else if let time = Durations.parse(text), time > .zero {
        self = .time(time)
      } else {
        return nil
      }
    }
  }

  /// The profile, in the syntax of `understudy run`.
  let name: String
  let profile: Profile
  let first: UInt64
  let extent: Extent
  let jobs: Int
  let keeper: CaseKeeper
  let unwritten: UnwrittenFile

  /// The maximum number of smaller plans to try for one finding.
  private static let attempts = 100
  /// The maximum number of findings for which smaller plans are tried.
  private static let mostShrunk = 10

  /// Returns the plan of a seed.
  static func plan(of seed: UInt64, exploring name: String) -> SwarmPlan {
    var drawing = PlanDrawing(seed: seed)
    return drawing.exploration(of: name)
  }

  /// The commands that run seeds and plans in separate processes of this program.
  private var program: SwarmProgram {
    SwarmProgram(
      seeds: { [name] in ["test", name, "--worker", "--seeds", "\($0.lowerBound)-\($0.upperBound)"] },
      plan: { ["test", $0, "--replay", "--worker"] })
  }

  /// Explores, and reports the results as tests: one for each rule without a finding, and one for each
  /// finding. `number` is the number of the first test.
  func run(from number: Int) -> [CaseResult] {
    let began = SystemClock.now()
    let progress = ExplorationProgress(of: extent, since: began)
    var end: Instant?
    var last = UInt64.max
    switch extent {
    case .time(let time): end = began + time
    case .seeds(let count): last = first.addingReportingOverflow(count - 1).overflow ? .max : first + count - 1
    }
    var search = SwarmSearch(seeds: first...last, jobs: jobs, program: program, end: end, batch: 4)
    search.run(found: { _ in }, progress: { progress.show($0) })
    let report = ExplorationReport(search, of: profile)
    var results: [CaseResult] = []
    func add(_ name: String, _ reason: String?, _ kept: [String] = []) {
      let result = CaseResult(
        scenario: "explore \(profile.name)", name: name, file: self.name,
        failure: reason.map { CaseFailure(line: 0, step: "", reason: $0) })
      for line in TAPReport.lines(of: result, number: number + results.count, kept: kept) {
        Terminal.print(TerminalText(lines: line))
      }
      results.append(result)
    }
    for (place, entry) in report.entries.enumerated() {
      progress.show("looking for a small case of \(entry.finding.rule)")
      let kept = keep(entry, isShrunk: place < Self.mostShrunk)
      progress.clear()
      let finding = entry.finding
      add("\(finding.rule)\(finding.subject.map { ": \($0)" } ?? "")", entry.reason, kept)
    }
    progress.clear()
    for rule in report.kept { add("\(rule.name): \(rule.text)", nil) }
    for note in report.notes { Terminal.print(TerminalText("# \(note)")) }
    let left =
      search.leftOut.count == 0
      ? "" : "; \(search.leftOut.count) of them had a controller that lacks a required feature"
    Terminal.print(TerminalText("# \(profile.name): \(search.finished) seeds from \(first)\(left)"))
    return results
  }

  // MARK: - Cases

  /// Writes a small case that shows a finding: a scenario if its language can express it, otherwise a plan.
  /// Returns the path of the file, if any.
  private func keep(_ entry: ExplorationReport.Entry, isShrunk: Bool) -> [String] {
    guard let seed = entry.seed, let aim = entry.aim else { return [] }
    var plan = Self.plan(of: seed, exploring: name)
    if isShrunk, entry.finding.rule != "hang", let shrinking = PlanShrinking(aim, by: program) {
      plan = shrinking.shrink(plan, attempts: Self.attempts)
    }
    let stem = "explore \(profile.name) \(entry.finding.rule) \(entry.finding.subject ?? "")"
    var kept: [String] = []
    unwritten.note {
      if let scenario = PlanScenario(plan, showing: entry.finding, profile: place) {
        let path = try keeper.write(scenario.text, named: stem, as: "yaml")
        if Self.shows(path, scenario, entry.finding) { return kept = [path] }
        unlink(path)
      }
      kept = [try keeper.write(plan.text + "\n", named: stem, as: "json")]
    }
    return kept
  }

  /// The profile's name or path, valid in a scenario in another folder.
  private var place: String {
    if ShippedProfiles.list.contains(where: { $0.name == name }) { return name }
    guard let path = realpath(name, nil) else { return name }
    defer { free(path) }
    return String(cString: path)
  }

  /// Returns whether a scenario fails at its expectation of the finding, or crashes like the finding.
  private static func shows(_ path: String, _ scenario: PlanScenario, _ finding: Finding) -> Bool {
    guard let outcome = SwarmProcess.run(["test", path, "--no-keep"]), !outcome.isWell else { return false }
    if finding.rule == "trap" { return !outcome.lines.contains { $0.hasPrefix("# ") } }
    let line = outcome.lines.first { $0.hasPrefix("  at: ") }?.split(separator: ":").last?.prefix { $0.isNumber }
    return line.flatMap { Int($0) }.map { $0 >= scenario.expectationLine } ?? false
  }
}

extension ExplorationReport.Entry {
  /// The finding, and the seeds that found it.
  fileprivate var reason: String {
    guard let seed else { return finding.message }
    return "\(finding.text) (seed \(seed)\(seeds > 1 ? ", and \(seeds - 1) more" : ""))"
  }
}

/// Shows the progress of an exploration on standard error, if that is a terminal.
private struct ExplorationProgress {
  private let extent: ProfileExploration.Extent
  private let began: Instant
  private let isWatched = Terminal.isCapable(STDERR_FILENO)

  init(of extent: ProfileExploration.Extent, since began: Instant) { (self.extent, self.began) = (extent, began) }

  func show(_ search: SwarmSearch) {
    let passed = Int((SystemClock.now() - began).inSeconds)
    let aim =
      switch extent {
      case .time(let time): "\(passed) of \(Int(time.inSeconds)) s, \(search.finished) seeds"
      case .seeds(let count): "\(passed) s, \(search.finished) of \(count) seeds"
      }
    show("\(aim), \(search.failures.count) findings")
  }

  func show(_ text: String) { if isWatched { write("\r\u{1B}[K\(text)") } }

  /// Clears the progress.
  func clear() { if isWatched { write("\r\u{1B}[K") } }

  private func write(_ text: String) { _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) } }
}
