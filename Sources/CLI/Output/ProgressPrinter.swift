import Glibc

/// Shows on standard error how far something has come, once a second, where a person looks on.
struct ProgressPrinter {
  private var last = time(nil)
  private var isShown = false
  private let isWatched = isatty(STDERR_FILENO) == 1

  /// Shows a line in place of the one before, unless that is too young.
  mutating func show(_ line: @autoclosure () -> String) {
    guard isWatched, time(nil) > last else { return }
    last = time(nil)
    isShown = true
    Terminal.replaceNote(line())
  }

  /// Leaves nothing behind.
  mutating func end() { if isShown { Terminal.replaceNote("") } }
}
