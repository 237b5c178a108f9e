import BLECore

/// The opening of a peripheral's receive window, as in Zephyr's link layer up to 3.5. It counts time in ticks of 32,768 Hz, and opens each
/// window earlier than the previous one by the drift of two clocks. After hearing its central, it moves the next window by a tick if
/// needed. If an event runs until the next one is prepared, the correction is too late for the next window and moves the one after it.
/// Windows are then moved twice, and some open after the anchor point. Those events are missed.
///
/// Zephyr 3.5.0, `ull_drift_ticks_get` in ll_sw/ull.c, with its constants. docs/radio.md compares it with the windows of a running
/// controller.
struct DriftCorrection {
  /// The time by which the window opens before the anchor point, in nanoseconds; negative if after it.
  private var lead: Int64 = 38_000
  /// The correction of the window after the next one.
  private var delayed: Int64 = 0
  /// The lead at the previous anchor point; nil if that was missed.
  private var before: Int64?
  private var lastAnchor: Instant?

  /// The time before its anchor point at which an event is prepared (EVENT_OVERHEAD_XTAL_US).
  private static let preparation = Duration.microseconds(1500)
  /// A tick of the clock.
  private static let tick: Int64 = 30_518
  /// The time that the receiver takes to report an access address.
  private static let reception: Int64 = 9_000
  /// A window opens earlier by the interval divided by this: the drift of two clocks of 50 ppm.
  private static let widening: Int64 = 10_000
  /// If a window opens earlier than this, the next one opens a tick later: three ticks, less preamble and access address.
  private static let longest = 3 * tick - 40_000 - reception
  /// If a window opens later than this, the next one opens a tick earlier: EVENT_JITTER_US, EVENT_TICKER_RES_MARGIN_US and 3 us of
  /// widening, less a tick.
  private static let shortest = 51_000 - tick - reception

  /// Returns whether the window of the event at `anchor` opens in time. The previous event ended at `end`.
  mutating func opens(at anchor: Instant, after end: Instant) -> Bool {
    defer { lastAnchor = anchor }
    let isLate = end + Self.preparation > anchor
    guard let lastAnchor, isLate || delayed != 0 || before == nil else {
      // With events that end early, the window stays in place.
      self = DriftCorrection()
      before = lead
      return true
    }
    lead += (anchor - lastAnchor).inNanoseconds / Self.widening + delayed
    delayed = 0
    if let before {
      let move = before >= Self.longest ? -Self.tick : before <= Self.shortest ? Self.tick : 0
      if isLate { delayed = move } else { lead += move }
    }
    before = lead >= 0 ? lead : nil
    return lead >= 0
  }
}
