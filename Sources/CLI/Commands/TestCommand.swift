import AccessoryProfile
import ArgumentParser
import BLECore
import Glibc
import Scenarios
import Synchronization

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Run scenarios: an accessory and a central, step by step, in virtual time.",
    discussion: """
      The output follows the Test Anything Protocol. For every case that fails, its transcript and a capture of the radio are \
      saved. The same seed gives the same transcript, octet for octet.

      Every case has an air of its own unless --one-air puts them all on one, where they hear one another.

      Exit codes: 0 everything passed, 1 something failed, 65 invalid scenario, 66 no such scenario, 74 a file could not be \
      written.
      """)

  @Argument(
    help: ArgumentHelp(
      "Scenario files, folders with scenario files, or shipped scenarios by name (`understudy scenarios` lists them).",
      valueName: "scenario"))
  var scenarios: [String]

  @Option(help: ArgumentHelp("Only cases with this tag; may be repeated.", valueName: "tag"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("No cases with this tag; may be repeated.", valueName: "tag"))
  var withoutTag: [String] = []

  @Option(
    name: .customLong("case"), help: ArgumentHelp("Only cases whose title contains this text.", valueName: "text"))
  var title: String?

  @Option(help: "A seed that replaces the scenarios' own.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "The number of cases to run at a time (default: the number of processors; with --one-air all).", valueName: "n"))
  var jobs: Int?

  @Flag(help: "Run the cases on one air, whose seed is that of --seed, default 1.")
  var oneAir = false

  @Option(help: ArgumentHelp("Also write the results to this file, as JUnit XML.", valueName: "file"))
  var junit: String?

  @Option(help: ArgumentHelp("The folder for the transcript and the capture of each failed case.", valueName: "folder"))
  var keep: String = "understudy-failures"

  @Flag(help: "Keep the transcripts of all cases, not only of failed ones.")
  var keepAll = false

  @Flag(help: "Print the titles of the cases without running them.")
  var list = false

  func run() async throws {
    let run = ScenarioRun(try load(), tags: tag, without: withoutTag, named: title, seed: seed)
    guard !list else { return run.entries.forEach { Terminal.print(TerminalText($0.title)) } }
    guard !run.entries.isEmpty else {
      Terminal.error("no case matches: --list shows all cases")
      throw ExitCode.failure
    }
    for line in TAPReport.head(count: run.entries.count) { Terminal.print(TerminalText(line)) }
    let (keeper, unwritten) = (CaseKeeper(folder: keep, keepsAll: keepAll), UnwrittenFile())
    let results = try await results(of: run, keeper, unwritten)
    if let junit {
      unwritten.note { try CaseKeeper.write(JUnitReport.text(of: results), to: junit) }
    }
    let failures = results.count { !$0.hasPassed }
    Terminal.print(TerminalText("# \(results.count - failures) passed, \(failures) failed"))
    if let reason = unwritten.reason {
      Terminal.error(TerminalText(lines: reason))
      throw ExitStatus.inputOutput
    }
    if failures > 0 { throw ExitCode.failure }
  }

  /// Runs the cases, and prints and keeps what has become of each.
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
      return await run.run(jobs: jobs ?? max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))), reported: report)
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

  /// The scenarios of all files, and of the files of folders in the order of their names.
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
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".yaml") { names.append(name) }
    }
    let base = path.hasSuffix("/") ? path : path + "/"
    return names.sorted().map { base + $0 }
  }
}

/// Keeps what tells of failed cases.
private struct CaseKeeper: Sendable {
  var folder: String
  var keepsAll: Bool

  /// The capture of the air on which all cases were.
  var airCapture: String { "\(folder)/one-air.pcapng" }

  /// Writes the transcript of a case, and plays one that has failed once more for its capture, unless it shared its air, of which there
  /// is one capture; what was written.
  func keep(_ result: CaseResult, of entry: ScenarioRun.Entry?) throws(WritingFailure) -> [String] {
    guard keepsAll || !result.hasPassed else { return [] }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw WritingFailure(path: folder) }
    let stem = "\(folder)/\(Self.fileName(result))"
    try Self.write(result.transcript.joined(separator: "\n") + "\n", to: stem + ".txt")
    guard !result.hasPassed else { return [stem + ".txt"] }
    guard let entry else { return [stem + ".txt", airCapture] }
    _ = CaseRunner.run(entry.test, of: entry.scenario, capturingTo: stem + ".pcapng")
    return [stem + ".txt", stem + ".pcapng"]
  }

  /// The titles with what a file's name can hold.
  private static func fileName(_ result: CaseResult) -> String {
    var name = ""
    for character in "\(result.scenario) \(result.name)".lowercased() {
      if character.isASCII, character.isLetter || character.isNumber || character == "." {
        name.append(character)
      } else if name.last != "-" {
        name.append("-")
      }
    }
    return String(name.prefix(120))
  }

  static func write(_ text: String, to path: String) throws(WritingFailure) {
    guard let file = fopen(path, "w") else { throw WritingFailure(path: path) }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten else { throw WritingFailure(path: path) }
  }
}

/// What could not be written.
private final class UnwrittenFile: Sendable {
  private let message = Mutex<String?>(nil)

  /// Why the last one was not; nil when all were.
  var reason: String? { message.withLock { $0 } }

  /// Does something, and notes why it failed.
  func note(_ body: () throws -> Void) {
    do { try body() } catch { message.withLock { $0 = "\(error)" } }
  }
}

/// A file that could not be written.
private struct WritingFailure: Error, CustomStringConvertible {
  var description: String

  init(path: String) { description = "\(path) cannot be written: \(String(cString: strerror(errno)))" }
}
