/// Limits the drawing of a screen to 25 times per second, however often its content changes.
package struct ScreenPace: Sendable {
  /// The minimum time between two drawings, in nanoseconds.
  package static let frame: Int64 = 40_000_000

  private var drawn: Int64?
  private var isStale = true

  /// Creates the pace of a screen that has not been drawn yet.
  package init() {}

  /// Notes that the content has changed.
  package mutating func change() { isStale = true }

  /// Returns whether to draw now, and notes the drawing.
  package mutating func draws(at now: Int64) -> Bool {
    guard isStale, wait(at: now) == 0 else { return false }
    (drawn, isStale) = (now, false)
    return true
  }

  /// Returns how long to wait before drawing, in nanoseconds; nil if there is nothing to draw.
  package func wait(at now: Int64) -> Int64? {
    guard isStale else { return nil }
    return drawn.map { max(0, $0 + Self.frame - now) } ?? 0
  }
}
