import AccessoryProfile
import Capture
import Decoding
import Glibc
import Scenarios
import Synchronization
import Viewing

/// Saves the evidence of failed cases.
struct CaseKeeper: Sendable {
  var folder: String
  var keepsAll: Bool
  /// Whether nothing is saved at all.
  var isIdle = false

  /// The capture of the air that all cases share.
  var airCapture: String { "\(folder)/one-air.pcapng" }

  /// Writes the transcript of a case. A failed case runs once more for its capture, unless it shared its air,
  /// which has one capture. Returns the paths of the files.
  func keep(_ result: CaseResult, of entry: ScenarioRun.Entry?) throws(WritingFailure) -> [String] {
    guard !isIdle, keepsAll || !result.hasPassed else { return [] }
    let (title, stem) = (Self.title(of: result), self.stem(of: result))
    try write(result.transcript.joined(separator: "\n") + "\n", named: title, as: "txt")
    guard !result.hasPassed else { return [stem + ".txt"] }
    guard let entry else { return [stem + ".txt", airCapture] }
    _ = CaseRunner.run(entry.test, of: entry.scenario, capturingTo: stem + ".pcapng")
    return [stem + ".txt", stem + ".pcapng"]
  }

  /// Writes the evidence of a case on a device: its transcript, and the packets of the central. If it failed, also runs the case on the
  /// profile, and writes the packets of that run and the differences. Returns the paths of the files.
  func keep(
    _ result: CaseResult, of entry: ScenarioRun.Entry, onDevice records: [CaptureRecord]
  ) throws -> [String] {
    guard !isIdle, result.skipped == nil, keepsAll || !result.hasPassed else { return [] }
    let (title, stem) = (Self.title(of: result), self.stem(of: result))
    var paths = [try write(result.transcript.joined(separator: "\n") + "\n", named: title, as: "txt")]
    try CaptureEncoder.write(records, to: stem + ".device.pcapng")
    paths.append(stem + ".device.pcapng")
    guard !result.hasPassed else { return paths }
    _ = CaseRunner.run(entry.test, of: entry.scenario, capturingTo: stem + ".pcapng")
    let difference = TranscriptDifference(
      try Self.transcript(of: stem + ".pcapng"), try Self.transcript(of: stem + ".device.pcapng"))
    let text = difference.hunks(context: 3).map { $0.map(\.unified).joined(separator: "\n") }.joined(separator: "\n…\n")
    let head = "--- the profile\n+++ the device\n"
    return paths + [stem + ".pcapng", try write(head + text + "\n", named: title, as: "diff.txt")]
  }

  /// Removes what earlier runs have saved of cases that have passed now, so that the folder has files of failed cases only.
  func removeOutdated(after results: [CaseResult], onOneAir: Bool) {
    guard !isIdle else { return }
    let failed = Set(results.filter { !$0.hasPassed }.map { stem(of: $0) })
    for result in results where result.hasPassed && result.skipped == nil && !failed.contains(stem(of: result)) {
      let suffixes = ["pcapng", "diff.txt"] + (keepsAll ? [] : ["txt", "device.pcapng"])
      for suffix in suffixes { unlink("\(stem(of: result)).\(suffix)") }
    }
    if onOneAir, failed.isEmpty { unlink(airCapture) }
  }

  private static func title(of result: CaseResult) -> String { "\(result.scenario) \(result.name)" }

  /// Returns the path of a case's files without their suffixes.
  private func stem(of result: CaseResult) -> String { "\(folder)/\(Self.fileName(Self.title(of: result)))" }

  private static func transcript(of path: String) throws -> Viewing.Transcript {
    var transcript = SidedTranscript(comparingValues: true, takingAll: false)
    var reader = try CaptureFileReader(opening: path)
    var (decoder, record) = (PacketDecoder(), CaptureRecord())
    while try reader.next(into: &record) {
      transcript.add(decoder.receive(record), record, decoder, isWanted: true)
    }
    return transcript.chosen
  }

  /// Writes a file named after a title into the folder, and returns its path.
  @discardableResult
  func write(_ text: String, named title: String, as suffix: String) throws(WritingFailure) -> String {
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw WritingFailure(path: folder) }
    let path = "\(folder)/\(Self.fileName(title)).\(suffix)"
    try Self.write(text, to: path)
    return path
  }

  /// Returns a title in characters that are valid in a file name.
  private static func fileName(_ title: String) -> String {
    var name = ""
    for character in title.lowercased() {
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

/// Records files that could not be written.
final class UnwrittenFile: Sendable {
  private let message = Mutex<String?>(nil)

  /// Why the last of these files could not be written; nil if there are none.
  var reason: String? { message.withLock { $0 } }

  /// Calls a closure, and records its error.
  func note(_ body: () throws -> Void) {
    do { try body() } catch { message.withLock { $0 = "\(error)" } }
  }
}

/// A file that could not be written.
struct WritingFailure: Error, CustomStringConvertible {
  var description: String

  init(path: String) { description = "\(path) cannot be written: \(String(cString: strerror(errno)))" }
}

extension TranscriptDifference.Line {
  /// The step as in a unified difference: `-` only in the first, `+` only in the second.
  fileprivate var unified: String { "\(isCommon ? " " : first == nil ? "+" : "-") \(text)" }
}
