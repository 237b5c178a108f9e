import AccessoryProfile
import ArgumentParser
import ControlAPI
import Learning
import Linting
import Transport

struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract:
      "Check profiles, a running accessory or a real device against the rules and limits of the specifications, Apple, Android and Windows.",
    discussion: """
      Findings are printed as FILE:LINE:COLUMN: SEVERITY: WHAT [RULE], with the reason, its source, and what to do. A profile \
      gives a reason for a deviation with `lint: { allow: { RULE: because ... } }`. With --controller, a central reads a device, and \
      its learnt profile is checked. docs/lint.md describes the rules.
      """)

  @Argument(
    help: ArgumentHelp(
      "Profile files, names of shipped profiles, or - for standard input.", valueName: "profile"))
  var profiles: [String] = []

  @Option(
    help: ArgumentHelp(
      "Check the profile of a running accessory: its name or that of its profile, or the address of its control API.",
      valueName: "run"),
    transform: { try AttachedAccessory(parsing: $0) })
  var attach: AttachedAccessory?

  @Option(
    help: "Check a real device, with a central on this controller.",
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress?

  @Option(
    help: "The device: its name, its address or a service that it advertises. Without it, choose one from a list.")
  var device: String?

  @Option(
    name: .customLong("for"),
    help: "How long to watch the device's values; shorter than for `learn`, because most rules do not need them.",
    transform: RunningTime.parse)
  var watching: Duration = .seconds(10)

  @OptionGroup var pairing: DevicePairingArguments

  @Option(
    help: ArgumentHelp(
      "Also write the learnt profile of the device; findings refer to its lines.", valueName: "file"))
  var learnt: String?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Set a parameter or a key of every profile, as for `check`.", valueName: "path=value"),
    transform: { try ProfileArguments.setting($0) })
  var settings: [ProfileSetting] = []

  @Option(help: ArgumentHelp("Apply only this rule; may be repeated.", valueName: "rule"))
  var only: [String] = []

  @Option(help: "Apply only the rules that concern this platform: core, apple, android or windows; may be repeated.")
  var platform: [Platform] = []

  @Flag(help: "Change the files where a change is safe.")
  var fix = false

  @Flag(help: "Exit with 65 for notes, too.")
  var strict = false

  @Flag(help: "Print each finding as a line of JSON.")
  var json = false

  @Option(help: "The output: text, json (the same as --json), or sarif, for code scanning.")
  var format: Format?

  @Option(help: ArgumentHelp("Also write an HTML page about compliance.", valueName: "file"))
  var html: String?

  @Flag(help: "List the rules.")
  var rules = false

  @Option(help: ArgumentHelp("Explain a rule, with examples.", valueName: "rule"))
  var explain: String?

  @Flag(help: "Print the rules as Markdown, for docs/lint-rules.md.")
  var markdown = false

  enum Format: String, CaseIterable, ExpressibleByArgument { case text, json, sarif }
  enum Platform: String, CaseIterable, ExpressibleByArgument { case core, apple, android, windows }

  func validate() throws {
    guard !json || format == nil || format == .json else {
      throw ValidationError("--json and --format exclude each other")
    }
    if rules || markdown || explain != nil {
      guard profiles.isEmpty else { throw ValidationError("--rules, --explain and --markdown take no profile") }
    } else if profiles.isEmpty, attach == nil, controller == nil {
      throw ValidationError("name at least one profile, or give --attach or --controller")
    }
    if fix, !settings.isEmpty { throw ValidationError("--fix and --set exclude each other") }
    if controller == nil, device != nil || learnt != nil || pairing.pair || pairing.passkey != nil {
      throw ValidationError("--device, --pair, --passkey and --learnt need --controller")
    }
  }

  func run() throws {
    if let explain { return try print(explanationOf: explain) }
    if markdown { return Terminal.print(TerminalText(lines: RuleReference.markdown.dropLast())) }
    let linter = try makeLinter()
    if rules { return Terminal.print(TerminalText(lines: RuleReference.list(linter.rules))) }
    var outcome = Outcome()
    for name in profiles { try lint(name, linter, &outcome) }
    if let attach { try lint(attach, linter, &outcome) }
    if let controller { try lint(controller, linter, &outcome) }
    try report(outcome)
    if let code = outcome.code(strictly: strict) { throw code }
  }

  private func makeLinter() throws -> Linter {
    do throws(Linter.UnknownRule) {
      return try Linter(only: only, platforms: platform.compactMap { LintPlatform(rawValue: $0.rawValue) })
    } catch { throw ValidationError("\(error)") }
  }

  private func print(explanationOf name: String) throws {
    guard let rule = LintRule.named(name) else { throw ValidationError("\(Linter.UnknownRule(name: name))") }
    Terminal.print(TerminalText(lines: RuleReference.explanation(of: rule)))
  }

  /// The results for all profiles.
  private struct Outcome {
    var reports: [LintReport] = []
    var invalid: [Diagnostic] = []
    var isMissing = false
    var isUnwritten = false

    func code(strictly: Bool) -> ExitCode? {
      if isUnwritten { return ExitStatus.inputOutput }
      if isMissing { return ExitStatus.noProfile }
      return !invalid.isEmpty || reports.contains { $0.fails(strictly: strictly) } ? ExitStatus.invalidProfile : nil
    }
  }

  private func lint(_ name: String, _ linter: Linter, _ outcome: inout Outcome) throws {
    guard let path = ProfileArguments.path(of: name) else { return outcome.isMissing = true }
    do throws(ProfileError) {
      var (text, file) = try Profile.text(at: path)
      if Fleet.isFleet(at: path) {
        Terminal.error("\(file) is a fleet; lint the profiles in it")
        return outcome.isMissing = true
      }
      if fix { text = try fixed(text, file, at: path, linter, &outcome) }
      outcome.reports.append(try linter.lint(text: text, file: file, settings: settings))
    } catch {
      outcome.invalid += error.diagnostics
      if format != .sarif { Terminal.note(TerminalText(lines: "\(error)")) }
    }
  }

  private func lint(_ running: AttachedAccessory, _ linter: Linter, _ outcome: inout Outcome) throws {
    let answer: [String: ProfileValue]
    do {
      let found = try RunningAccessory.found(running)
      let (client, path) = (found.client, found.path)
      answer = try client.get("\(path)/profile")
    } catch {
      Terminal.error(TerminalText(String(describing: error)))
      throw ExitStatus.unavailable
    }
    let settings = (answer["settings"]?.elements ?? []).compactMap { $0.string.flatMap { ProfileSetting(parsing: $0) } }
    lint(
      answer["text"]?.string ?? "", answer["file"]?.string ?? "profile.yaml", settings + self.settings, linter, &outcome
    )
  }

  private func lint(_ controller: ControllerAddress, _ linter: Linter, _ outcome: inout Outcome) throws {
    var reading = DeviceReading(controller: controller, device: device, pairing)
    reading.plan.watching = watching
    let found = try reading.read().device
    let profile: LearntProfile
    do throws(LearningFailure) {
      profile = try found.learnProfile(head: ["Learnt from the air."], path: learnt ?? "learnt.yaml")
    } catch {
      Terminal.error(TerminalText(lines: "\(error)"))
      throw ExitStatus.invalidCapture
    }
    for gap in profile.gaps { Terminal.note(TerminalText("not learnt: \(gap)")) }
    if let learnt { try NewFile.writeWhole(profile.text, to: learnt, replacing: false) }
    lint(profile.text, learnt ?? profile.profile.name, settings, linter, &outcome)
  }

  private func lint(
    _ text: String, _ file: String, _ settings: [ProfileSetting], _ linter: Linter, _ outcome: inout Outcome
  ) {
    do throws(ProfileError) {
      outcome.reports.append(try linter.lint(text: text, file: file, settings: settings))
    } catch {
      outcome.invalid += error.diagnostics
      if format != .sarif { Terminal.note(TerminalText(lines: "\(error)")) }
    }
  }

  /// Makes the safe changes, and prints them. Returns the new text.
  private func fixed(
    _ text: String, _ file: String, at path: String, _ linter: Linter, _ outcome: inout Outcome
  ) throws(ProfileError) -> String {
    let result = try ProfileFixer(linter).fix(text: text, file: file)
    guard !result.changes.isEmpty else { return text }
    guard path != "-", ShippedProfiles.text(at: path) == nil else {
      Terminal.note("\(file): nothing is fixed, because this is not a file of yours; save the profile to a file first")
      return text
    }
    do { try NewFile.replace(path, with: result.text) } catch {
      outcome.isUnwritten = true
      return text
    }
    for change in result.changes { Terminal.note("\(file):\(change.line): \(change.summary) [\(change.rule)]") }
    return result.text
  }

  private func report(_ outcome: Outcome) throws {
    switch format ?? (json ? .json : .text) {
    case .json: for finding in outcome.reports.flatMap(\.findings) { Terminal.print(json: finding.json) }
    case .sarif:
      Terminal.print(
        json: SARIFReport.json(outcome.reports, invalid: outcome.invalid, version: Version.number))
    case .text: for report in outcome.reports { print(report) }
    }
    guard let html, !outcome.reports.isEmpty else { return }
    try NewFile.replace(html, with: HTMLReport.page(outcome.reports))
  }

  private func print(_ report: LintReport) {
    for finding in report.findings { Terminal.print(TerminalText(lines: finding.text)) }
    Terminal.print(TerminalText(report.summary))
  }
}
