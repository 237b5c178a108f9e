import AccessoryProfile
import ArgumentParser
import BLEGATT
import Capture
import Glibc
import Learning

/// The files with what was learnt from a device: the profile, the recording beside it, and a scenario.
struct LearntFilesArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The profile to write; its recording gets the same name.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp("A scenario to write that repeats the actions of the recorded client.", valueName: "file"))
  var scenario: String?

  @Flag(help: "Replace existing files.")
  var force = false

  /// The file for the packets, beside the profile.
  private var recordingPath: String? {
    output.map { ($0.hasSuffix(".yaml") ? String($0.dropLast(5)) : $0) + ".pcapng" }
  }

  /// Checks that no file would be replaced. `records` says whether the packets will be written.
  func check(records: Bool) throws {
    let paths = [output, scenario, records ? recordingPath : nil].compactMap(\.self)
    for path in paths where !force && access(path, F_OK) == 0 {
      Terminal.error("\(path) exists: give another name, or --force")
      throw ExitStatus.cannotKeepState
    }
  }

  /// Writes what was learnt from a device, with its packets beside the profile.
  func write(_ device: ObservedDevice, source: String, keeping records: [CaptureRecord]) throws {
    do throws(CaptureFailure) {
      if let recordingPath { try CaptureEncoder.write(records, to: recordingPath) }
    } catch {
      Terminal.error("\(error)")
      throw ExitStatus.inputOutput
    }
    try write(device, source: source, recording: recordingPath)
  }

  /// Writes what was learnt from a device. The packets are in the file `recording`. Without `output`, prints the profile.
  func write(_ device: ObservedDevice, source: String, recording: String?) throws {
    let learnt: LearntProfile
    do throws(LearningFailure) {
      learnt = try device.learnProfile(
        recording: output == nil ? nil : recording.map { relative($0) }, head: ["Learnt from \(source)."],
        path: output ?? "learnt.yaml")
    } catch {
      Terminal.error(TerminalText(lines: "\(error)"))
      throw ExitStatus.invalidCapture
    }
    for gap in learnt.gaps { Terminal.note(TerminalText("not learnt: \(gap)")) }
    if let scenario, let text = device.scenario(for: learnt, accessory: relative(output ?? "learnt.yaml", to: scenario))
    {
      try NewFile.writeWhole(text, to: scenario, replacing: force)
    }
    guard let output else { return Terminal.print(TerminalText(lines: learnt.text)) }
    try NewFile.writeWhole(learnt.text, to: output, replacing: force)
    let services = learnt.profile.services
    let count = services.reduce(0) { $0 + $1.characteristics.count }
    Terminal.print(
      "\(output): \(learnt.profile.name), \(services.count) service\(services.count == 1 ? "" : "s"), \(count) characteristics"
    )
    Terminal.print("  understudy run \(output)")
  }

  /// Returns a path relative to the folder of the profile or of `other`, or an absolute path if it is elsewhere.
  private func relative(_ path: String, to other: String? = nil) -> String {
    let folder = (other ?? output ?? "").split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    if path.hasPrefix("/") || folder.isEmpty { return path }
    if path.hasPrefix(folder + "/") { return String(path.dropFirst(folder.utf8.count + 1)) }
    return absolute(path)
  }

  private func absolute(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
