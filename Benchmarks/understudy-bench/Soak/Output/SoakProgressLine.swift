import Glibc
import Synchronization

/// A line on standard error that shows once a second how far a soak has come, when a person is watching.
final class SoakProgressLine: Sendable {
  private let settings: SoakSettings
  /// When the line was last shown; nil before the first time.
  private let shown = Mutex<time_t?>(nil)
  private let isWatched = isatty(STDERR_FILENO) == 1

  init(_ settings: SoakSettings) { self.settings = settings }

  /// Shows the line in place of the previous one, unless a second has not passed yet.
  func show(_ progress: SoakProgress) {
    let now = time(nil)
    let isDue = shown.withLock { last in
      guard last.map({ $0 < now }) ?? true else { return false }
      last = now
      return true
    }
    if isWatched, isDue { write("\r\u{1B}[K" + SoakTable.line(for: progress, of: settings)) }
  }

  /// Clears the line.
  func end() { if isWatched { write("\r\u{1B}[K") } }

  private func write(_ text: String) { _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) } }
}
