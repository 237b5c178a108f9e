import AccessoryProfile
import Glibc
import Scenarios
import Synchronization

/// Keeps what tells of failed cases.
struct CaseKeeper: Sendable {
  var folder: String
  var keepsAll: Bool
  /// Whether nothing is kept after all.
  var isIdle = false

  /// The capture of the air on which all cases were.
  var airCapture: String { "\(folder)/one-air.pcapng" }

  /// Writes the transcript of a case, and plays one that has failed once more for its capture, unless it shared its air, of which there
  /// is one capture; what was written.
  func keep(_ result: CaseResult, of entry: ScenarioRun.Entry?) throws(WritingFailure) -> [String] {
    guard !isIdle, keepsAll || !result.hasPassed else { return [] }
    let title = "\(result.scenario) \(result.name)"
    let stem = "\(folder)/\(Self.fileName(title))"
    try write(result.transcript.joined(separator: "\n") + "\n", named: title, as: "txt")
    guard !result.hasPassed else { return [stem + ".txt"] }
    guard let entry else { return [stem + ".txt", airCapture] }
    _ = CaseRunner.run(entry.test, of: entry.scenario, capturingTo: stem + ".pcapng")
    return [stem + ".txt", stem + ".pcapng"]
  }

  /// Writes a file of that title into the folder; its path.
  @discardableResult
  func write(_ text: String, named title: String, as suffix: String) throws(WritingFailure) -> String {
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw WritingFailure(path: folder) }
    let path = "\(folder)/\(Self.fileName(title)).\(suffix)"
    try Self.write(text, to: path)
    return path
  }

  /// A title with what a file's name can hold.
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

/// What could not be written.
final class UnwrittenFile: Sendable {
  private let message = Mutex<String?>(nil)

  /// Why the last one was not; nil when all were.
  var reason: String? { message.withLock { $0 } }

  /// Does something, and notes why it failed.
  func note(_ body: () throws -> Void) {
    do { try body() } catch { message.withLock { $0 = "\(error)" } }
  }
}

/// A file that could not be written.
struct WritingFailure: Error, CustomStringConvertible {
  var description: String

  init(path: String) { description = "\(path) cannot be written: \(String(cString: strerror(errno)))" }
}
