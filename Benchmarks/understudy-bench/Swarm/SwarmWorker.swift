import Glibc

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
    let path = CommandLine.arguments[0]
    let words = (["swarm"] + arguments).map { "'\($0)'" }.joined(separator: " ")
    // What a crash prints is no news here.
    guard let stream = popen("SWIFT_BACKTRACE=enable=no exec '\(path)' \(words) 2>/dev/null", "r") else { return nil }
    (self.stream, self.last) = (stream, last)
  }

  /// The seconds of real time that one run may take; then SIGALRM ends its process.
  static let mostSeconds: CUnsignedInt = 300

  /// The rule that a process has broken which that signal has ended.
  static func rule(of signal: CInt) -> String { signal == SIGALRM ? "hang" : "trap" }

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
    let status = pclose(stream)
    let signal = status & 0x7F
    return signal == 0 ? nil : signal
  }
}
