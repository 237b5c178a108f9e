import Glibc
import Synchronization

/// Shows on standard error how far something has come, once a second, where a person looks on.
final class ProgressPrinter: Sendable {
  /// When the line was last shown; nil before the first.
  private let shown = Mutex<time_t?>(nil)
  private let isWatched = Terminal.isCapable(STDERR_FILENO)

  /// Shows a line in place of the one before, unless that is too young.
  func show(_ line: @autoclosure () -> String) {
    let now = time(nil)
    guard isWatched,
      shown.withLock({ last in
        guard last.map({ $0 < now }) ?? true else { return false }
        last = now
        return true
      })
    else { return }
    Terminal.replaceNote(TerminalText(line()))
  }

  /// Leaves nothing behind.
  func end() { if shown.withLock({ $0 != nil }) { Terminal.replaceNote("") } }
}
