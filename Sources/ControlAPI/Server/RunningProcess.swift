import Glibc

/// A process of this machine, identified by its number and start time, because numbers are reused.
struct RunningProcess: Hashable {
  let number: pid_t
  /// The start time in clock ticks since boot (proc(5), `starttime`).
  let beginning: UInt64

  /// Creates the process with that number; nil if it does not exist, or without /proc.
  init?(_ number: pid_t) {
    let descriptor = open("/proc/\(number)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: 1024)
    let count = read(descriptor, &octets, octets.count)
    // The program's name is in parentheses and can contain anything. Field 22 is the 20th after it.
    guard count > 0, let end = octets[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = String(decoding: octets[octets.index(after: end)..<count], as: UTF8.self).split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let beginning = UInt64(fields[19]) else { return nil }
    (self.number, self.beginning) = (number, beginning)
  }

  /// The process in the syntax of `init(parsing:)`.
  var text: String { "\(number) \(beginning)" }

  /// Parses a process; nil if it no longer runs.
  init?(parsing text: some StringProtocol) {
    let numbers = text.split(separator: " ")
    guard numbers.count == 2, let number = pid_t(numbers[0]), let process = RunningProcess(number),
      process.beginning == UInt64(numbers[1])
    else { return nil }
    self = process
  }
}
