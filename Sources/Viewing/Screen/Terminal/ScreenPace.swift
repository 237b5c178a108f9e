/// When a screen is drawn: at most 25 times a second, however often what it shows changes.
package struct ScreenPace: Sendable {
  /// The time between two drawings, in nanoseconds.
  package static let frame: Int64 = 40_000_000

  private var drawn: Int64?
  private var isStale = true

  /// A screen that was not drawn yet.
  package init() {}

  /// Says that there is something else to be seen.
  package mutating func change() { isStale = true }

  /// Whether to draw now, which then is done.
  package mutating func draws(at now: Int64) -> Bool {
    guard isStale, wait(at: now) == 0 else { return false }
    (drawn, isStale) = (now, false)
    return true
  }

  /// How long to wait before drawing, in nanoseconds; nil when there is nothing to be drawn.
  package func wait(at now: Int64) -> Int64? {
    guard isStale else { return nil }
    return drawn.map { max(0, $0 + Self.frame - now) } ?? 0
  }
}
