import BLECore
import Glibc

/// How the program that runs starts itself again, to run seeds or a plan in a process of its own.
package struct SwarmProgram: Sendable {
  /// The arguments with which it runs seeds by `SwarmWork`.
  let seeds: @Sendable (ClosedRange<UInt64>) -> [String]
  /// The arguments with which it runs the plan in a file by `SwarmWork`.
  let plan: @Sendable (String) -> [String]

  /// A program that takes these arguments.
  package init(
    seeds: @escaping @Sendable (ClosedRange<UInt64>) -> [String], plan: @escaping @Sendable (String) -> [String]
  ) {
    (self.seeds, self.plan) = (seeds, plan)
  }
}

/// Runs this program once more, from its beginning to its end.
package enum SwarmProcess {
  /// The lines that it printed, and whether it ended as it does when all is well; nil when no process can be had.
  package static func run(_ arguments: [String]) -> (lines: [String], isWell: Bool)? {
    guard let worker = SwarmWorker(arguments, last: 0) else { return nil }
    var lines: [String] = []
    while let more = worker.lines() { lines += more }
    return (lines, worker.status() == 0)
  }
}

/// Another process of this program whose lines are read: what traps in it ends only it.
final class SwarmWorker {
  private let stream: UnsafeMutablePointer<FILE>
  private var rest: [UInt8] = []
  /// The seed that it has begun and not ended.
  var current: UInt64?
  /// The last seed that is its.
  let last: UInt64

  /// Starts this program with arguments; nil when no process can be had.
  init?(_ arguments: [String], last: UInt64) {
    let words = ([Self.program] + arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }
    // What a crash prints is no news here.
    let command = "SWIFT_BACKTRACE=enable=no exec \(words.joined(separator: " ")) 2>/dev/null"
    guard let stream = popen(command, "re") else { return nil }
    (self.stream, self.last) = (stream, last)
  }

  /// The file of this program.
  private static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return CommandLine.arguments[0] }
    return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// The rule that a process has broken which that signal has ended.
  static func rule(of signal: CInt) -> String { signal == SIGALRM ? "hang" : "trap" }

  /// What a process that a signal has ended has to say.
  static func finding(of signal: CInt) -> Finding {
    signal == SIGALRM
      ? Finding("hang", "the run did not come to its end")
      : Finding("trap", "signal \(signal) (\(String(cString: strsignal(signal)))) ended the process")
  }

  /// What `poll` waits for.
  var descriptor: CInt { fileno(stream) }

  /// The lines that have come; nil at the end.
  func lines() -> [String]? {
    var octets = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &octets, octets.count)
    guard count > 0 else { return nil }
    rest += octets.prefix(count)
    var lines: [String] = []
    while let end = rest.firstIndex(of: 0x0A) {
      lines.append(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
    return lines
  }

  /// Waits for its end; the number of the signal that ended it, or nil.
  func end() -> CInt? {
    let signal = status() & 0x7F
    return signal == 0 ? nil : signal
  }

  /// Waits for its end; its status as `wait` gives it.
  func status() -> CInt { pclose(stream) }
}
