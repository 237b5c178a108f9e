import Glibc
import Synchronization

/// Shows on standard error how far a soak has come, once a second, where a person looks on.
final class SoakProgressLine: Sendable {
  private let settings: SoakSettings
  /// When the line was last shown; nil before the first.
  private let shown = Mutex<time_t?>(nil)
  private let isWatched = isatty(STDERR_FILENO) == 1

  init(_ settings: SoakSettings) { self.settings = settings }

  /// Shows it in place of the line before, unless that is too young.
  func show(_ progress: SoakProgress) {
    let now = time(nil)
    let isDue = shown.withLock { last in
      guard last.map({ $0 < now }) ?? true else { return false }
      last = now
      return true
    }
    if isWatched, isDue { write("\r\u{1B}[K" + SoakTable.line(for: progress, of: settings)) }
  }

  /// Leaves nothing behind.
  func end() { if isWatched { write("\r\u{1B}[K") } }

  private func write(_ text: String) { _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) } }
}
