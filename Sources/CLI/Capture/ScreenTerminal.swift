import Glibc
import Synchronization

/// A terminal whose whole screen the program uses. Its state is restored however the process ends.
final class ScreenTerminal {
  /// The state to restore. Signal handlers only read it.
  private struct Saved {
    var descriptor: CInt
    var modes: termios
  }

  nonisolated(unsafe) private static var saved: Saved?
  /// Whether the terminal's size has changed.
  private static let isResized = Atomic(true)

  /// The sequences that switch to the alternate screen without a cursor, and back.
  private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  private static let leaving: StaticString = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  private static let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE]

  /// The terminal, for both keys and lines.
  let descriptor: CInt

  /// Takes over the terminal of the process; nil if it has none.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
    var modes = termios()
    guard descriptor >= 0, tcgetattr(descriptor, &modes) == 0 else { return nil }
    Self.saved = Saved(descriptor: descriptor, modes: modes)
    for number in Self.ends { signal(number) { ScreenTerminal.end($0) } }
    signal(SIGWINCH) { _ in ScreenTerminal.isResized.store(true, ordering: .relaxed) }
    cfmakeraw(&modes)
    tcsetattr(descriptor, TCSAFLUSH, &modes)
    put(Self.entering)
  }

  deinit {
    Self.restore()
    for number in Self.ends + [SIGWINCH] { signal(number, SIG_DFL) }
    Self.saved = nil
    if descriptor >= 0 { close(descriptor) }
  }

  /// Restores the terminal with only the calls permitted in signal handlers (signal-safety(7)).
  private static func restore() {
    guard var saved else { return }
    _ = write(saved.descriptor, leaving.utf8Start, leaving.utf8CodeUnitCount)
    tcsetattr(saved.descriptor, TCSANOW, &saved.modes)
  }

  private static func end(_ number: CInt) {
    restore()
    signal(number, SIG_DFL)
    raise(number)
  }

  /// Returns the size if it has changed since the last call.
  func takeSize() -> (rows: Int, columns: Int)? {
    guard Self.isResized.exchange(false, ordering: .relaxed) else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Writes text from a painter.
  func put(_ text: String) {
    let octets = Array(text.utf8)
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { written += count } else if count == 0 || errno != EINTR { return }
    }
  }
}
