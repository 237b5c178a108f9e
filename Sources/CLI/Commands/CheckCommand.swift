import AccessoryProfile
import ArgumentParser
import BLEGATT
import Linting
import Understudy

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check profiles, fleet files and scenarios, and report all their errors.",
    discussion: """
      Errors are printed as FILE:LINE:COLUMN: error: WHAT. docs/cli.md describes a problem matcher for GitHub and a hook for \
      pre-commit. --format gitlab prints the report that GitLab shows with a merge request.
      """)

  @OptionGroup var arguments: ProfileArguments

  @Flag(help: "Print a JSON array: file, validity, counts and diagnostics of each profile.")
  var json = false

  @Option(help: "The output: text, json (the same as --json), or gitlab, a code quality report.")
  var format: Format?

  @Flag(
    help:
      "Replace deprecated spellings in the files, and in files that they include, with current ones that mean the same; comments and layout stay."
  )
  var upgrade = false

  enum Format: String, CaseIterable, ExpressibleByArgument { case text, json, gitlab }

  func validate() throws {
    guard !upgrade || arguments.settings.isEmpty else {
      throw ValidationError("--upgrade and --set exclude each other")
    }
    guard !json || format == nil || format == .json else {
      throw ValidationError("--json and --format exclude each other")
    }
  }

  func run() throws {
    if !arguments.settings.isEmpty, let file = arguments.profiles.first(where: { Scenario.isScenario(at: $0) }) {
      throw ValidationError("--set changes profiles, and \(file) is a scenario")
    }
    if upgrade { for name in arguments.profiles { try upgradeFile(name) } }
    switch format ?? (json ? .json : .text) {
    case .text: try printText()
    case .json: try printReports()
    case .gitlab: try printCodeQuality()
    }
  }

  private func printText() throws {
    var failure: (any Error)?
    for name in arguments.profiles {
      var one = arguments
      one.profiles = [name]
      do {
        if let fleet = try FleetArguments.load(one) {
          _ = try FleetArguments.plans(for: fleet, options: AccessoryOptions(), waits: nil)
          Terminal.print(TerminalText(Self.summary(of: fleet)))
        } else if Scenario.isScenario(at: name) {
          try printScenario(name)
        } else {
          _ = try one.load { Terminal.print(TerminalText(Self.summary(of: $0))) }
        }
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Checks a scenario: prints its warnings, or all its errors.
  private func printScenario(_ path: String) throws {
    do throws(ProfileError) {
      let scenario = try Scenario.load(contentsOf: path)
      for warning in scenario.warnings { Terminal.note(TerminalText(lines: "\(warning)")) }
      Terminal.print(TerminalText(Self.summary(of: scenario)))
    } catch {
      Terminal.note(TerminalText(lines: "\(error)"))
      throw ExitStatus.invalidProfile
    }
  }

  /// Replaces deprecated spellings, and says which. The check that follows reports the errors of an invalid profile.
  private func upgradeFile(_ name: String) throws {
    let path = ShippedProfiles.path(named: name) ?? name
    guard !Fleet.isFleet(at: path), !Scenario.isScenario(at: path), let (text, file) = try? Profile.text(at: path),
      let upgraded = try? ProfileUpgrader.upgrade(text: text, file: file), !upgraded.changes.isEmpty
    else { return }
    guard path != "-", ShippedProfiles.text(at: path) == nil else {
      return Terminal.note(
        "\(file): nothing is replaced, because this is not a file of yours; save the profile to a file first")
    }
    if upgraded.text != text { try NewFile.replace(path, with: upgraded.text) }
    for (included, text) in upgraded.included.sorted(by: { $0.key < $1.key }) {
      try NewFile.replace(included, with: text)
    }
    for change in upgraded.changes {
      Terminal.note(TerminalText(lines: "\(change.file):\(change.line): \(change.summary)"))
    }
  }

  private func printCodeQuality() throws {
    var entries: [ProfileValue] = []
    var isValid = true
    for name in arguments.profiles {
      do throws(ProfileError) {
        let path = ShippedProfiles.path(named: name) ?? name
        if Fleet.isFleet(at: path) {
          entries += try loadFleet(path).warnings.map(\.codeQuality)
          continue
        }
        if Scenario.isScenario(at: path) {
          entries += try Scenario.load(contentsOf: path).warnings.map(\.codeQuality)
          continue
        }
        entries += try Profile.load(contentsOf: path, settings: arguments.settings).warnings.map(\.codeQuality)
      } catch {
        isValid = false
        entries += error.diagnostics.map(\.codeQuality)
      }
    }
    Terminal.print(json: .array(entries))
    if !isValid { throw ExitStatus.invalidProfile }
  }

  private func printReports() throws {
    var reports: [ProfileValue] = []
    var isValid = true
    for name in arguments.profiles {
      do throws(ProfileError) {
        if Fleet.isFleet(at: name) {
          reports.append(Self.report(of: try loadFleet(name)))
          continue
        }
        if Scenario.isScenario(at: name) {
          reports.append(Self.report(of: try Scenario.load(contentsOf: name)))
          continue
        }
        reports.append(
          Self.report(
            of: try Profile.load(contentsOf: ShippedProfiles.path(named: name) ?? name, settings: arguments.settings)))
      } catch {
        isValid = false
        reports.append(Self.report(of: error, file: name))
      }
    }
    Terminal.print(json: .array(reports))
    if !isValid { throw ExitStatus.invalidProfile }
  }

  private func loadFleet(_ path: String) throws(ProfileError) -> Fleet {
    try Fleet.load(contentsOf: path, words: FleetArguments.words, settings: arguments.settings)
  }

  private static func summary(of fleet: Fleet) -> String {
    let warnings = fleet.warnings.isEmpty ? "" : ", \(counted(fleet.warnings.count, "warning"))"
    return
      "\(fleet.file): \(fleet.name) is valid: \(fleet.members.count) accessor\(fleet.members.count == 1 ? "y" : "ies")\(warnings)"
  }

  private static func report(of fleet: Fleet) -> ProfileValue {
    .object([
      "file": .string(fleet.file), "valid": .bool(true), "name": .string(fleet.name),
      "accessories": .int(Int64(fleet.members.count)), "diagnostics": .array(fleet.warnings.map(\.json)),
    ])
  }

  private static func summary(of scenario: Scenario) -> String {
    let warnings = scenario.warnings.isEmpty ? "" : ", \(counted(scenario.warnings.count, "warning"))"
    return "\(scenario.file): \(scenario.name) is valid: \(counted(scenario.cases.count, "case"))\(warnings)"
  }

  private static func report(of scenario: Scenario) -> ProfileValue {
    .object([
      "file": .string(scenario.file), "valid": .bool(true), "name": .string(scenario.name),
      "cases": .int(Int64(scenario.cases.count)), "diagnostics": .array(scenario.warnings.map(\.json)),
    ])
  }

  private static func counts(_ profile: Profile) -> (services: Int, characteristics: Int, sets: Int) {
    let characteristics = profile.services.reduce(0) { $0 + $1.characteristics.count }
    return (profile.services.count, characteristics, profile.advertising.count)
  }

  private static func summary(of profile: Profile) -> String {
    let count = counts(profile)
    var parts = [
      counted(count.services, "service"), counted(count.characteristics, "characteristic"),
      counted(count.sets, "advertising set"),
    ]
    if !profile.warnings.isEmpty { parts.append(counted(profile.warnings.count, "warning")) }
    return "\(profile.file): \(profile.name) is valid: \(parts.joined(separator: ", "))"
  }

  private static func counted(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

  private static func report(of profile: Profile) -> ProfileValue {
    let count = counts(profile)
    return .object([
      "file": .string(profile.file), "valid": .bool(true), "name": .string(profile.name),
      "services": .int(Int64(count.services)), "characteristics": .int(Int64(count.characteristics)),
      "advertising_sets": .int(Int64(count.sets)), "diagnostics": .array(profile.warnings.map(\.json)),
    ])
  }

  private static func report(of error: ProfileError, file: String) -> ProfileValue {
    .object([
      "file": .string(error.diagnostics.first?.file ?? file), "valid": .bool(false),
      "diagnostics": .array(error.diagnostics.map(\.json)), "omitted": .int(Int64(error.omitted)),
    ])
  }
}

extension Diagnostic {
  fileprivate var json: ProfileValue {
    .object([
      "file": .string(file), "line": .int(Int64(line)), "column": .int(Int64(column)),
      "severity": .string(severity.rawValue), "message": .string(message),
    ])
  }
  /// The diagnostic as an entry of GitLab's code quality report. GitLab identifies new entries by their fingerprints.
  fileprivate var codeQuality: ProfileValue {
    .object([
      "description": .string(message), "check_name": .string("understudy-check"),
      "fingerprint": .string(String(fingerprint, radix: 16)),
      "severity": .string(severity == .error ? "major" : "minor"),
      "location": .object(["path": .string(file), "lines": .object(["begin": .int(Int64(line))])]),
    ])
  }

  /// FNV-1a (64 bits) over everything that does not change when lines are inserted above.
  private var fingerprint: UInt64 {
    (file + "\0" + message + "\0" + sourceLine).utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
  }
}
