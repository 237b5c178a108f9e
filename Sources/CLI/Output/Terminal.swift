import AccessoryProfile
import ArgumentParser
import Glibc
import Synchronization
import Transport
import Understudy

/// Writes lines to standard output and standard error. Colors are used only on terminals, unless NO_COLOR is set or TERM is dumb.
enum Terminal {
  /// The styles of a text.
  enum Style: String {
    case plain = "0"
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case cyan = "36"

    /// The escape sequences around a text in this style.
    var beginning: String { "\u{1B}[\(rawValue)m" }
    static let end = "\u{1B}[0m"
  }

  /// Whether standard output shows colors.
  static let outputHasColour = hasColour(STDOUT_FILENO)
  /// Whether standard error shows colors.
  static let errorHasColour = hasColour(STDERR_FILENO)

  private static func hasColour(_ descriptor: CInt) -> Bool {
    isCapable(descriptor) && wantsColour
  }

  /// Whether colors are wanted (no-color.org).
  static var wantsColour: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

  /// Returns whether a descriptor is a terminal that supports escape sequences.
  static func isCapable(_ descriptor: CInt) -> Bool {
    isatty(descriptor) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// Returns an untrusted text in a style, for standard output.
  static func styled(_ text: String, _ style: Style) -> TerminalText {
    outputHasColour
      ? TerminalText(text, beginning: style.beginning, end: Style.end) : TerminalText(text)
  }

  /// Writes a line to standard output, unbuffered and completely.
  static func print(_ line: TerminalText) { write(line.rendered + "\n", to: STDOUT_FILENO) }

  /// Writes a value to standard output as one line of JSON.
  static func print(json value: ProfileValue) { print(TerminalText(value.jsonText)) }

  /// Writes an error to standard error.
  static func error(_ message: TerminalText) {
    let head = errorHasColour ? "\u{1B}[31merror:\u{1B}[0m" : "error:"
    write("understudy: \(head) \(message.rendered)\n", to: STDERR_FILENO)
  }

  /// Writes a line to standard error unchanged.
  static func note(_ line: TerminalText) { write(line.rendered + "\n", to: STDERR_FILENO) }

  /// Writes octets to standard output, completely.
  static func write(_ octets: Span<UInt8>) { write(octets, to: STDOUT_FILENO) }

  private static func write(_ text: String, to descriptor: CInt) { write(Array(text.utf8).span, to: descriptor) }

  private static func write(_ octets: Span<UInt8>, to descriptor: CInt) {
    var written = 0
    while written < octets.count {
      let count = octets.extracting(written...).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
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

  // MARK: - Failure of standard output

  private struct Output {
    /// The error after which nothing can be written any more.
    var failure: CInt?
    /// Ends the current work in an orderly way.
    var stop: (@Sendable () -> Void)?
  }

  private static let output = Mutex(Output())

  /// Calls `stop` when standard output fails, instead of ending the process immediately.
  static func whenOutputFails(_ stop: @escaping @Sendable () -> Void) { output.withLock { $0.stop = stop } }

  /// Detects that the reader of standard output has closed, even while there is nothing to write.
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

  /// Ends the process if standard output has failed: as SIGPIPE would if the reader has closed, otherwise
  /// with the exit code for input/output errors.
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
