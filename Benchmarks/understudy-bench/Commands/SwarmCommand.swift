import AccessoryProfile
import ArgumentParser
import BLECore
import Glibc
import Simulation
import Swarm
import Transport

struct SwarmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swarm",
    abstract: "Run random profiles, centrals and faults from seeds, and judge what must hold.",
    discussion: """
      Each seed gives a profile, a controller, centrals, faults and what the owner asks for, in virtual time. The seeds run in two \
      processes beside this one, so that a crash is a finding like any other. The first finding of each rule is shrunk, and its plan is printed; \
      --replay runs it again. The exit code is 0 only when nothing was found.
      """)

  @Option(help: "The seeds, as FIRST-LAST.")
  var seeds = "1-100"

  @Option(
    name: .customLong("for"), help: "How long at the most in real time, such as 30min.",
    transform: { try Self.time($0) })
  var limit: Duration?

  @Option(help: "How long each run is in virtual time, such as 10min.", transform: { try Self.time($0) })
  var duration = Duration.seconds(60)

  @Option(help: "A profile for all seeds: a file or a shipped one (default: drawn from each seed).")
  var profile: String?

  @Option(help: "How many processes run at the same time.")
  var jobs = 2

  @Option(help: "How many smaller plans are tried for the first finding of each rule; 0 shrinks none.")
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
    if worker { return runAsWorker(range) }
    var search = SwarmSearch(
      seeds: range, jobs: jobs, arguments: workerArguments,
      end: limit.map { SystemClock.now() + $0 }, stopsAtFirst: first)
    search.run()
    var shown: Set<String> = []
    for (seed, rule) in search.failures where rule != "determinism" && shown.insert(rule).inserted && attempts > 0 {
      guard let shrinking = PlanShrinking(rule: rule) else { break }
      print("smallest plan for \(rule), from seed \(seed):")
      print(shrinking.shrink(plan(of: seed), attempts: attempts).text)
    }
    print("\(search.finished) seeds, \(search.failures.count) findings")
    if !search.failures.isEmpty { throw ExitCode.failure }
  }

  private var workerArguments: [String] {
    ["--duration", "\(duration.inNanoseconds / 1_000_000)ms"] + (profile.map { ["--profile", $0] } ?? [])
      + (transcript ? ["--transcript"] : [])
  }

  private static func time(_ text: String) throws -> Duration {
    guard let duration = Durations.parse(text), duration > .zero else {
      throw ValidationError("it wants a time with its unit, as 90s, 30min or 24h")
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
    return drawing.plan(profile: profile, duration: duration)
  }

  /// Runs seeds, and says of each on a line that it has begun, what was found, and that it has ended.
  private func runAsWorker(_ range: ClosedRange<UInt64>) {
    func tell(_ line: String) {
      print(line)
      fflush(nil)
    }
    for seed in range {
      tell("begin \(seed)")
      alarm(SwarmWorker.mostSeconds)
      do {
        let run = transcript ? try SwarmRun.twice(plan(of: seed)) : try SwarmRun(plan(of: seed))
        for finding in run.findings.prefix(1) { tell("finding \(finding.rule) \(finding.text)") }
      } catch SimulationFailure.controllerFailed {
        // The profile wants what the controller has not.
      } catch {
        tell("finding start it could not begin: \(error)")
      }
      tell("end \(seed)")
    }
  }

  private func runPlan(in file: String) throws {
    let text: String
    switch FileReading.text(at: file) {
    case .success(let content): text = content
    case .failure(let failure): throw ValidationError("\(file) \(failure.reason)")
    }
    if worker { alarm(SwarmWorker.mostSeconds) }
    let run = try SwarmRun(SwarmPlan(text: text))
    if transcript { for line in run.transcript { print(line) } }
    for finding in run.findings { print("finding \(finding.rule) \(finding.text)") }
    if !run.findings.isEmpty { throw ExitCode.failure }
  }
}

extension Finding {
  fileprivate var text: String { instant.map { "at \($0.nanoseconds / 1_000_000) ms: \(message)" } ?? message }
}
