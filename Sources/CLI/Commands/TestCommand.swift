import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import CentralHost
import Glibc
import Learning
import RealCentral
import Reporting
import Scenarios
import Simulation
import Swarm
import Transport
import Understudy
import UnderstudyTesting

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Run scenarios: an accessory and a central, step by step, in virtual time.",
    discussion: """
      The output follows the Test Anything Protocol. Every case that fails leaves its transcript and a capture of the radio. The \
      same seed gives the same transcript, octet for octet.

      Every case has an air of its own unless --one-air puts them all on one, where they hear one another.

      With --explore, the arguments are profiles. Each runs with random centrals, faults, losses and owners, and every rule that \
      must hold is a test. Every violation leaves a small scenario, or a plan that --replay runs again. The run of a seed depends \
      only on the profile and the seed.

      Exit codes: 0 everything passed, 1 something failed, 65 invalid scenario, profile or plan, 66 no such file, 74 a file could \
      not be written.
      """)

  @Argument(
    help: ArgumentHelp(
      "Scenario files, folders with scenario files, or shipped scenarios by name (`understudy scenarios` lists them); with --explore, profiles.",
      valueName: "scenario"))
  var scenarios: [String]

  @Option(help: ArgumentHelp("Only cases with this tag; may be repeated.", valueName: "tag"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("No cases with this tag; may be repeated.", valueName: "tag"))
  var withoutTag: [String] = []

  @Option(
    name: .customLong("case"), help: ArgumentHelp("Only cases whose title contains this text.", valueName: "text"))
  var title: String?

  @Option(
    help: ArgumentHelp(
      "Only one part of these cases, to divide them among machines: 2/8 is the second of eight parts.",
      valueName: "part"))
  var shard: ScenarioShard?

  @Option(help: "A seed that replaces the scenarios' own; with --explore, the first seed (default: 1).")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Explore profiles for a time such as 10min, or with a number of seeds such as 500.",
      valueName: "time or seeds"))
  var explore: ProfileExploration.Extent?

  @Flag(help: "Run plans that --explore has saved.")
  var replay = false

  @Flag(help: .hidden)
  var worker = false

  @Option(help: .hidden)
  var seeds: String?

  @Flag(name: .customLong("no-keep"), help: .hidden)
  var keepsNothing = false

  @Option(
    help: ArgumentHelp(
      "The number of cases to run at a time (default: the number of processors; with --one-air all).", valueName: "n"))
  var jobs: Int?

  @Flag(help: "Run all cases on one air, with the seed of --seed (default: 1).")
  var oneAir = false

  @Option(help: ArgumentHelp("Also write the results to this file, as JUnit XML.", valueName: "file"))
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Also write a report: one HTML file with the cases, and the packets of failed ones.", valueName: "file"))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "The folder for the transcript and the capture of each failed case. What is there of cases that pass now is removed.",
      valueName: "folder"))
  var keep: String = "understudy-failures"

  @Flag(help: "Keep the transcripts of passed cases too, and their packets in the report.")
  var keepAll = false

  @Option(
    help: ArgumentHelp(
      "Run the cases in real time on a device that this controller reaches, instead of the scenario's accessory.",
      valueName: "place"),
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress?

  @Option(
    help: ArgumentHelp(
      "The device: its name, its address or a service that it advertises (default: the name of the scenario's accessory).",
      valueName: "device"))
  var device: String?

  @OptionGroup var persona: PersonaArguments

  @Flag(help: "Print the titles of the cases without running them.")
  var list = false

  func validate() throws {
    guard
      explore == nil
        || !(oneAir || list || keepAll || replay || title != nil || shard != nil || !tag.isEmpty || !withoutTag.isEmpty)
    else { throw ValidationError("--explore permits only --seed, --jobs, --junit and --keep") }
    guard html == nil || !(explore != nil || replay) else {
      throw ValidationError("--html excludes --explore and --replay")
    }
    guard controller != nil || device == nil else { throw ValidationError("--device needs --controller") }
    guard controller == nil || !(explore != nil || replay || oneAir || jobs != nil) else {
      throw ValidationError("--controller excludes --explore, --replay, --one-air and --jobs")
    }
    guard persona.persona == nil || !(explore != nil || replay) else {
      throw ValidationError("--as excludes --explore and --replay")
    }
    guard explore == nil || !scenarios.contains("-") else {
      throw ValidationError("--explore runs a profile many times, so it cannot come from standard input")
    }
  }

  func run() async throws {
    if worker { return try work() }
    if let explore { return try explored(explore) }
    if replay { return try replayPlans() }
    var run = ScenarioRun(try load(), tags: tag, without: withoutTag, named: title, seed: seed, as: persona.persona)
    guard list || !run.entries.isEmpty else {
      Terminal.error("no case matches: --list shows all cases")
      throw ExitCode.failure
    }
    // If there are more parts than cases, some parts are empty.
    if let shard { run.keep(shard) }
    guard !list else { return run.entries.forEach { Terminal.print(TerminalText($0.title)) } }
    for line in TAPReport.head(count: run.entries.count) { Terminal.print(TerminalText(line)) }
    let (keeper, unwritten) = (CaseKeeper(folder: keep, keepsAll: keepAll, isIdle: keepsNothing), UnwrittenFile())
    if let controller {
      var packets: [Int: [CaptureRecord]] = [:]
      let results = try deviceResults(of: run, on: controller, keeper, unwritten, &packets)
      keeper.removeOutdated(after: results, onOneAir: false)
      return try finish(results, unwritten) { TestReport.report(results, of: run.entries, onDevice: packets) }
    }
    let results = try await results(of: run, keeper, unwritten)
    keeper.removeOutdated(after: results, onOneAir: oneAir)
    let (keepsAll, sharesAir) = (keepAll, oneAir)
    try finish(results, unwritten) {
      TestReport.report(results, of: run.entries, recordingAll: keepsAll, sharingAir: sharesAir)
    }
  }

  /// Reports the overall result.
  private func finish(
    _ results: [CaseResult], _ unwritten: UnwrittenFile, report: (() -> RunReport)? = nil
  ) throws {
    if let junit {
      unwritten.note { try CaseKeeper.write(JUnitReport.text(of: results), to: junit) }
    }
    if let html, let report {
      unwritten.note { try CaseKeeper.write(ReportPage.text(of: report()), to: html) }
    }
    let failures = results.count { !$0.hasPassed }
    let skipped = results.count { $0.skipped != nil }
    let rest = skipped > 0 ? ", \(skipped) skipped" : ""
    Terminal.print(TerminalText("# \(results.count - failures - skipped) passed, \(failures) failed\(rest)"))
    if let reason = unwritten.reason {
      Terminal.error(TerminalText(lines: reason))
      throw ExitStatus.inputOutput
    }
    if failures > 0 { throw ExitCode.failure }
  }

  // MARK: - Exploring

  private var processors: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

  private func explored(_ extent: ProfileExploration.Extent) throws {
    let profiles = try scenarios.map { ($0, try ProfileArguments.load($0)) }
    let (keeper, unwritten) = (CaseKeeper(folder: keep, keepsAll: false), UnwrittenFile())
    Terminal.print("TAP version 14")
    var results: [CaseResult] = []
    for (name, profile) in profiles {
      let exploration = ProfileExploration(
        name: name, profile: profile, first: seed ?? 1, extent: extent, jobs: jobs ?? processors, keeper: keeper,
        unwritten: unwritten)
      results += exploration.run(from: results.count + 1)
    }
    Terminal.print("1..\(results.count)")
    try finish(results, unwritten)
  }

  /// Runs seeds or a plan for another process that explores.
  private func work() throws {
    let name = scenarios[0]
    if replay { return SwarmWork.run(try plan(at: name), explores: true) }
    let range = (seeds ?? "").split(separator: "-").compactMap { UInt64($0) }
    guard range.count == 2, range[0] <= range[1] else { throw ValidationError("--seeds takes FIRST-LAST") }
    SwarmWork.run(range[0]...range[1]) {
      try SwarmRun(ProfileExploration.plan(of: $0, exploring: name), explores: true)
    }
  }

  private func replayPlans() throws {
    let (keeper, unwritten) = (CaseKeeper(folder: keep, keepsAll: keepAll), UnwrittenFile())
    let plans = try scenarios.map { ($0, try plan(at: $0)) }
    for line in TAPReport.head(count: plans.count) { Terminal.print(TerminalText(line)) }
    var results: [CaseResult] = []
    for (path, plan) in plans {
      var result = CaseResult(
        scenario: "replay", name: path, file: path, failure: nil, duration: plan.duration)
      do {
        let run = try SwarmRun(plan, explores: true)
        result.transcript = run.transcript
        result.failure = run.findings.first.map { CaseFailure(line: 0, step: "", reason: "\($0.rule): \($0.text)") }
      } catch {
        result.failure = CaseFailure(line: 0, step: "", reason: "it could not start: \(error)")
      }
      var kept: [String] = []
      if keepAll || !result.hasPassed {
        unwritten.note {
          kept = [try keeper.write(result.transcript.joined(separator: "\n") + "\n", named: path, as: "txt")]
        }
      }
      results.append(result)
      for line in TAPReport.lines(of: result, number: results.count, kept: kept) {
        Terminal.print(TerminalText(lines: line))
      }
    }
    try finish(results, unwritten)
  }

  private func plan(at path: String) throws -> SwarmPlan {
    switch FileReading.text(at: path) {
    case .failure(let failure):
      Terminal.error(TerminalText("\(path) \(failure.reason)"))
      throw ExitStatus.noInput
    case .success(let text):
      do throws(ProfileValueError) { return try SwarmPlan(text: text) } catch {
        Terminal.error(TerminalText("\(path) is not a plan: \(error.message)"))
        throw ExitStatus.invalidProfile
      }
    }
  }

  // MARK: - Devices

  /// Runs the cases one after another on a device.
  private func deviceResults(
    of run: ScenarioRun, on controller: ControllerAddress, _ keeper: CaseKeeper, _ unwritten: UnwrittenFile,
    _ packets: inout [Int: [CaptureRecord]]
  ) throws -> [CaseResult] {
    do {
      var configuration = TestCentral.configuration(.randomStatic(from: seed ?? 0xCE00))
      if let persona = run.entries.first?.scenario.persona { configuration.act(as: persona) }
      return try LineStage([controller]).perform(configuration) { central in
        let tape = PacketTape(of: central, epoch: SystemClock.epochOfZero)
        return run.entries.enumerated().map { index, entry in
          let filter = DeviceFilter(device ?? entry.scenario.profile.name)
          let result = CaseRunner.run(entry.test, of: entry.scenario, on: filter, with: central)
          var kept: [String] = []
          let records = tape.take()
          if html != nil, !result.hasPassed { packets[index] = records }
          unwritten.note { kept = try keeper.keep(result, of: entry, onDevice: records) }
          for line in TAPReport.lines(of: result, number: index + 1, kept: kept) {
            Terminal.print(TerminalText(lines: line))
          }
          return result
        }
      }
    } catch {
      Terminal.error(TerminalText(lines: String(describing: error)))
      throw ExitStatus.unavailable
    }
  }

  // MARK: - Scenarios

  /// Runs the cases, prints the result of each, and saves its evidence.
  private func results(
    of run: ScenarioRun, _ keeper: CaseKeeper, _ unwritten: UnwrittenFile
  ) async throws -> [CaseResult] {
    let (entries, isOnOneAir) = (run.entries, oneAir)
    let report: @Sendable (Int, CaseResult) -> Void = { index, result in
      var kept: [String] = []
      unwritten.note {
        kept = try keeper.keep(result, of: isOnOneAir ? nil : entries[index])
      }
      for line in TAPReport.lines(of: result, number: index + 1, kept: kept) {
        Terminal.print(TerminalText(lines: line))
      }
    }
    guard oneAir else {
      return await run.run(jobs: jobs ?? processors, reported: report)
    }
    let (seed, places) = (seed ?? 1, jobs ?? .max)
    do {
      let results = try run.runOnOneAir(seed: seed, jobs: places, reported: report)
      let failed = Set(results.indices.filter { !results[$0].hasPassed })
      if !failed.isEmpty, unwritten.reason == nil {
        unwritten.note {
          try run.runOnOneAir(seed: seed, jobs: places, capturing: failed, to: keeper.airCapture)
        }
      }
      return results
    } catch {
      Terminal.error(TerminalText(lines: "\(error)"))
      throw ExitCode.failure
    }
  }

  /// Loads the scenarios of all files and folders. The files in a folder are sorted by name.
  private func load() throws -> [Scenario] {
    var loaded: [Scenario] = []
    var failure: ExitCode?
    for path in scenarios {
      let files = Self.files(at: path)
      if files.isEmpty {
        let hint = Spelling.hint(for: path, among: ShippedScenarios.list.map(\.name))
        Terminal.error(
          "there is no scenario \(path): no such file, no folder with files that end in .yaml, and no shipped scenario\(hint)"
        )
        failure = failure ?? ExitStatus.noInput
      }
      for file in files {
        do throws(ProfileError) {
          let scenario = try Scenario.load(contentsOf: file)
          for warning in scenario.warnings { Terminal.note(TerminalText(lines: "\(warning)")) }
          loaded.append(scenario)
        } catch {
          Terminal.note(TerminalText(lines: "\(error)"))
          failure = ExitStatus.invalidProfile
        }
      }
    }
    if let failure { throw failure }
    return loaded
  }

  private static func files(at path: String) -> [String] {
    guard let folder = opendir(path) else {
      if access(path, F_OK) == 0 { return [path] }
      return ShippedScenarios.entry(named: path).map { [$0.path] } ?? []
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = entry.entryName
      if name.hasSuffix(".yaml") { names.append(name) }
    }
    let base = path.hasSuffix("/") ? path : path + "/"
    return names.sorted().map { base + $0 }
  }
}

extension ScenarioShard: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
