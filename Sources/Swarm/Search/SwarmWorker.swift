import BLECore
import Glibc

/// The arguments with which the running program starts itself again, to run seeds or a plan in a separate process.
package struct SwarmProgram: Sendable {
  /// Returns the arguments for running seeds with `SwarmWork`.
  let seeds: @Sendable (ClosedRange<UInt64>) -> [String]
  /// Returns the arguments for running the plan in a file with `SwarmWork`.
  let plan: @Sendable (String) -> [String]

  /// Creates the description of a program from its arguments.
  package init(
    seeds: @escaping @Sendable (ClosedRange<UInt64>) -> [String], plan: @escaping @Sendable (String) -> [String]
  ) {
    (self.seeds, self.plan) = (seeds, plan)
  }
}

/// Runs this program again, from start to end.
package enum SwarmProcess {
  /// Runs the program. Returns the lines that it printed, and whether its exit status was 0; nil if no process could be started.
  package static func run(_ arguments: [String]) -> (lines: [String], isWell: Bool)? {
    guard let worker = SwarmWorker(arguments, last: 0) else { return nil }
    var lines: [String] = []
    while let more = worker.lines() { lines += more }
    return (lines, worker.status() == 0)
  }
}

/// Another process of this program, and its output. A trap ends only that process.
final class SwarmWorker {
  private let stream: UnsafeMutablePointer<FILE>
  private var rest: [UInt8] = []
  /// The seed that has begun and not ended; nil between seeds.
  var current: UInt64?
  /// The last seed of this process.
  let last: UInt64

  /// Starts this program with arguments; nil if no process could be started.
  init?(_ arguments: [String], last: UInt64) {
    let words = ([Self.program] + arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }
    // The output of a crash is not needed.
    let command = "SWIFT_BACKTRACE=enable=no exec \(words.joined(separator: " ")) 2>/dev/null"
    guard let stream = popen(command, "re") else { return nil }
    (self.stream, self.last) = (stream, last)
  }

  /// The path of this program.
  private static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return CommandLine.arguments[0] }
    return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// Returns the rule violated by a process that a signal has ended.
  static func rule(of signal: CInt) -> String { signal == SIGPROF ? "hang" : "trap" }

  /// Returns the finding for a process that a signal has ended.
  static func finding(of signal: CInt) -> Finding {
    signal == SIGPROF
      ? Finding("hang", "the run did not end")
      : Finding("trap", "signal \(signal) (\(String(cString: strsignal(signal)))) ended the process")
  }

  /// The descriptor for `poll`.
  var descriptor: CInt { fileno(stream) }

  /// Returns the lines that have arrived; nil at the end.
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

  /// Waits for the end of the process, and returns the number of the signal that ended it, or nil.
  func end() -> CInt? {
    let signal = status() & 0x7F
    return signal == 0 ? nil : signal
  }

  /// Waits for the end of the process, and returns its status in the format of `wait`.
  func status() -> CInt { pclose(stream) }
}
