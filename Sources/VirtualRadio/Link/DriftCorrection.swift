import BLECore

/// When the receive window of a peripheral opens, as in Zephyr's link layer up to 3.5. It counts time in ticks of 32,768 Hz, and lets
/// each window open earlier than the one before by what two clocks can drift apart. Where it has heard its central, it moves the next
/// window by a tick when that is needed. An event that goes on until the next one is prepared is too late for that, and moves the
/// window after the next: then the windows are moved twice, and some open behind the anchor point. Those events are missed.
///
/// Zephyr 3.5.0, `ull_drift_ticks_get` in ll_sw/ull.c, with its constants; docs/radio.md shows the windows of a running one beside it.
struct DriftCorrection {
  /// How long before the anchor point the window opens, in nanoseconds; negative behind it.
  private var lead: Int64 = 38_000
  /// How the window is moved that comes after the next one.
  private var delayed: Int64 = 0
  /// The lead at the anchor point before; nil where that was missed.
  private var before: Int64?
  private var lastAnchor: Instant?

  /// How long before its anchor point an event is prepared (EVENT_OVERHEAD_XTAL_US).
  private static let preparation = Duration.microseconds(1500)
  /// A tick of the clock.
  private static let tick: Int64 = 30_518
  /// How long the receiver takes to report an access address.
  private static let reception: Int64 = 9_000
  /// The interval in this many parts is how much earlier a window opens: two clocks of 50 ppm.
  private static let widening: Int64 = 10_000
  /// A window that opens earlier than this opens a tick later next time: three ticks, less preamble and access address.
  private static let longest = 3 * tick - 40_000 - reception
  /// A window that opens later than this opens a tick earlier next time: EVENT_JITTER_US, EVENT_TICKER_RES_MARGIN_US and 3 us of
  /// widening, less a tick.
  private static let shortest = 51_000 - tick - reception

  /// Whether the window of the event at `anchor` is open in time. The event before ended at `end`.
  mutating func opens(at anchor: Instant, after end: Instant) -> Bool {
    defer { lastAnchor = anchor }
    let isLate = end + Self.preparation > anchor
    guard let lastAnchor, isLate || delayed != 0 || before == nil else {
      // Events that end early keep the window where it belongs.
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
