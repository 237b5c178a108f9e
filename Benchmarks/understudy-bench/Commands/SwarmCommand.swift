import AccessoryProfile
import ArgumentParser
import BLECore
import Glibc
import Swarm
import Transport

struct SwarmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swarm",
    abstract: "Run random profiles, centrals and faults from seeds, and check what must be true.",
    discussion: """
      Each seed gives a profile, a controller, centrals, faults and what the owner asks for, in virtual time. The seeds run in two \
      processes beside this one, so that a crash is a finding like any other. The first finding of each rule is shrunk, and its plan is printed; \
      --replay runs it again. The exit code is 0 only when nothing was found.
      """)

  @Option(help: "The seeds, as FIRST-LAST.")
  var seeds = "1-100"

  @Option(
    name: .customLong("for"), help: "The longest time in real time, such as 30min.",
    transform: { try Self.time($0) })
  var limit: Duration?

  @Option(help: "The length of each run in virtual time, such as 10min.", transform: { try Self.time($0) })
  var duration = Duration.seconds(60)

  @Option(help: "A profile for all seeds: a file or a shipped one (default: drawn from each seed).")
  var profile: String?

  @Option(help: "The number of processes that run at the same time.")
  var jobs = 2

  @Option(help: "The number of smaller plans to try for the first finding of each rule; 0 shrinks none.")
  var attempts = 300

  @Option(help: "Run the plan in a file instead.")
  var replay: String?

  @Flag(help: "With --replay: print what happened. Otherwise: run each seed twice and compare.")
  var transcript = false

  @Flag(name: .customLong("plan"), help: "Print the plan of the first seed, for --replay.")
  var printsPlan = false

  @Flag(help: "Print how many of the plans use each act, PDU and key of the language, and run none.")
  var coverage = false

  @Flag(help: "Stop at the first finding.")
  var first = false

  @Flag(help: .hidden)
  var worker = false

  func run() throws {
    if let replay { return try runPlan(in: replay) }
    let range = try seedRange()
    if printsPlan { return print(plan(of: range.lowerBound).text) }
    if coverage { return printCoverage(of: range) }
    if worker {
      return SwarmWork.run(range) { transcript ? try SwarmRun.twice(plan(of: $0)) : try SwarmRun(plan(of: $0)) }
    }
    var search = SwarmSearch(
      seeds: range, jobs: jobs, program: program, end: limit.map { SystemClock.now() + $0 }, stopsAtFirst: first)
    let began = SystemClock.now()
    search.run { failure in
      let seconds = ((SystemClock.now() - began).inSeconds * 10).rounded() / 10
      print("seed \(failure.seed) after \(seconds) s: \(failure.finding.rule) \(failure.finding.text)")
      fflush(nil)
    }
    var shown: Set<String> = []
    for failure in search.failures {
      let rule = failure.finding.rule
      guard rule != "determinism", shown.insert(rule).inserted, attempts > 0 else { continue }
      guard let shrinking = PlanShrinking(.finding(rule: rule, subject: nil), by: program) else { break }
      print("smallest plan for \(rule), from seed \(failure.seed):")
      print(shrinking.shrink(plan(of: failure.seed), attempts: attempts).text)
    }
    print("\(search.finished) seeds, \(search.failures.count) findings")
    if !search.failures.isEmpty { throw ExitCode.failure }
  }

  /// The program that runs seeds and plans in processes of their own.
  private var program: SwarmProgram {
    let arguments =
      ["--duration", "\(duration.inNanoseconds / 1_000_000)ms"] + (profile.map { ["--profile", $0] } ?? [])
      + (transcript ? ["--transcript"] : [])
    return SwarmProgram(
      seeds: { ["swarm", "--worker", "--seeds", "\($0.lowerBound)-\($0.upperBound)"] + arguments },
      plan: { ["swarm", "--worker", "--replay", $0] })
  }

  private static func time(_ text: String) throws -> Duration {
    guard let duration = Durations.parse(text), duration > .zero else {
      throw ValidationError("give a time with its unit, such as 90s, 30min or 24h")
    }
    return duration
  }

  private func printCoverage(of range: ClosedRange<UInt64>) {
    var coverage = SwarmCoverage()
    for seed in range { coverage.add(plan(of: seed)) }
    for line in coverage.lines { print(line) }
  }

  private func seedRange() throws -> ClosedRange<UInt64> {
    let parts = seeds.split(separator: "-").map { UInt64($0) }
    guard let first = parts.first ?? nil, let last = parts.last ?? nil, first <= last, parts.count <= 2 else {
      throw ValidationError("--seeds takes FIRST-LAST, such as 1-1000")
    }
    return first...last
  }

  private func plan(of seed: UInt64) -> SwarmPlan {
    var drawing = PlanDrawing(seed: seed)
    if let profile { return drawing.plan(profile: profile, duration: duration) }
    return drawing.plan(duration: duration)
  }

  private func runPlan(in file: String) throws {
    let text: String
    switch FileReading.text(at: file) {
    case .success(let content): text = content
    case .failure(let failure): throw ValidationError("\(file) \(failure.reason)")
    }
    let plan = try SwarmPlan(text: text)
    if worker { return SwarmWork.run(plan, explores: false) }
    let run = try SwarmRun(plan)
    if transcript { for line in run.transcript { print(line) } }
    for finding in run.findings { print("finding \(finding.rule) \(finding.text)") }
    if !run.findings.isEmpty { throw ExitCode.failure }
  }
}
