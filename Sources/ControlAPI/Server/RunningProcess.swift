import Glibc

/// A process of this machine, by its number and when it began: a number alone is given again.
struct RunningProcess: Hashable {
  let number: pid_t
  /// In ticks of the clock since the machine was started (proc(5), `starttime`).
  let beginning: UInt64

  /// The process with that number; nil where there is none, or no /proc.
  init?(_ number: pid_t) {
    let descriptor = open("/proc/\(number)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: 1024)
    let count = read(descriptor, &octets, octets.count)
    // The name of the program stands in parentheses, and may hold anything. The 22nd field is the 20th behind it.
    guard count > 0, let end = octets[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = String(decoding: octets[octets.index(after: end)..<count], as: UTF8.self).split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let beginning = UInt64(fields[19]) else { return nil }
    (self.number, self.beginning) = (number, beginning)
  }

  /// The process as `init(parsing:)` takes it.
  var text: String { "\(number) \(beginning)" }

  /// The process that a text names, if it still runs.
  init?(parsing text: some StringProtocol) {
    let numbers = text.split(separator: " ")
    guard numbers.count == 2, let number = pid_t(numbers[0]), let process = RunningProcess(number),
      process.beginning == UInt64(numbers[1])
    else { return nil }
    self = process
  }
}
