import AccessoryProfile
import ArgumentParser
import Glibc
import Synchronization
import Transport
import Understudy

/// Writes lines to standard output and standard error; colours only where a person looks on
/// (no colours with NO_COLOR or TERM=dumb, or when it is not a terminal).
enum Terminal {
  /// The looks of a text.
  enum Style: String {
    case plain = "0"
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case cyan = "36"
  }

  /// Whether standard output shows colours.
  static let outputHasColour = hasColour(STDOUT_FILENO)
  /// Whether standard error shows colours.
  static let errorHasColour = hasColour(STDERR_FILENO)

  private static func hasColour(_ descriptor: CInt) -> Bool {
    isCapable(descriptor) && wantsColour
  }

  /// Whether colours are wanted (no-color.org).
  static var wantsColour: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

  /// Whether a descriptor is a terminal that knows escape sequences.
  static func isCapable(_ descriptor: CInt) -> Bool {
    isatty(descriptor) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// A text of others for standard output in that style.
  static func styled(_ text: String, _ style: Style) -> TerminalText {
    outputHasColour
      ? TerminalText(text, beginning: "\u{1B}[\(style.rawValue)m", end: "\u{1B}[0m") : TerminalText(text)
  }

  /// Writes a line to standard output, at once and whole.
  static func print(_ line: TerminalText) { write(line.rendered + "\n", to: STDOUT_FILENO) }

  /// Writes a value to standard output as one line of JSON.
  static func print(json value: ProfileValue) { print(TerminalText(value.jsonText)) }

  /// Writes an error to standard error.
  static func error(_ message: TerminalText) {
    let head = errorHasColour ? "\u{1B}[31merror:\u{1B}[0m" : "error:"
    write("understudy: \(head) \(message.rendered)\n", to: STDERR_FILENO)
  }

  /// Writes a line to standard error as it is.
  static func note(_ line: TerminalText) { write(line.rendered + "\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: CInt) {
    let octets = Array(text.utf8)
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      } else if errno != EINTR {
        if descriptor == STDOUT_FILENO { outputFailed(errno) }
        return
      }
    }
  }

  // MARK: - Standard output that fails

  private struct Output {
    /// Why nothing can be written any longer.
    var failure: CInt?
    /// Ends what is going on in good order.
    var stop: (@Sendable () -> Void)?
  }

  private static let output = Mutex(Output())

  /// Calls `stop` when standard output fails, in place of ending the process at once.
  static func whenOutputFails(_ stop: @escaping @Sendable () -> Void) { output.withLock { $0.stop = stop } }

  /// Standard output fails when its reader goes away, also while there is nothing to write.
  static func watchReader() {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
    _ = spawnThread {
      var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&entry, 1, -1) < 0 { guard errno == EINTR else { return } }
      if entry.revents & Int16(POLLERR | POLLHUP) != 0 { outputFailed(EPIPE) }
    }
  }

  private static func outputFailed(_ code: CInt) {
    let (isFirst, stop) = output.withLock { output in
      defer { output.failure = output.failure ?? code }
      return (output.failure == nil, output.stop)
    }
    guard isFirst else { return }
    if let stop { stop() } else { endIfOutputFailed() }
  }

  /// Ends the process if standard output has failed: as SIGPIPE does when nobody reads it any longer, else with the exit code for
  /// input and output.
  static func endIfOutputFailed() {
    guard let code = output.withLock({ $0.failure }) else { return }
    if code == EPIPE {
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    }
    error("cannot write standard output: \(String(cString: strerror(code)))")
    exit(ExitStatus.inputOutput.rawValue)
  }
}
