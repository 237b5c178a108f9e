import BLECore

/// The receive windows of a peripheral in Zephyr's link layer up to 3.5, and what its next connection event takes away from the current one.
///
/// It counts time in ticks of 32,768 Hz, and opens each window earlier than the previous one by the drift of two clocks. After an event in
/// which it heard its central, it moves the next window by whole ticks if that opens too early or too late. An event that still runs when
/// the next one is prepared is corrected too late for that one: the correction moves the window after it. Windows are then moved twice, and
/// some open after the anchor point. Those events are missed, until the windows are early enough again.
///
/// An event that still runs when the next one needs the radio is aborted, with the packet that is on the air.
///
/// Zephyr 3.x, below subsys/bluetooth/controller/ll_sw: `ull_drift_ticks_get` in ull.c, `prepare_cb` in nordic/lll/lll_peripheral.c,
/// `preempt_ticker_start` and `preempt` in nordic/lll/lll.c, with their constants. docs/radio.md compares it with a running controller.
struct DriftCorrection {
  /// The time by which the window opens before the anchor point, in nanoseconds; negative if after it.
  private var lead = initialLead
  /// The sum of the widenings since the central was last heard, in microseconds.
  private var widening: Int64 = 0
  /// By how many ticks a later window must open later, as measured in the current event.
  private var measured: Int64 = 0
  /// The correction that came too late for the current event, and moves the next one.
  private var delayed: Int64 = 0
  private var last: (anchor: Instant, interval: Duration)?
  /// The time before its window at which an event takes the radio, in nanoseconds: its overhead in whole ticks, and the ramp-up of the
  /// receiver.
  private let start: Int64

  /// Creates the windows of a controller whose events take the radio that long before they start (EVENT_OVERHEAD_START_US).
  init(overhead: Duration) {
    start = overhead.inNanoseconds / Self.tick * Self.tick + Self.rampUp
  }

  /// Returns whether the window of the event at `anchor` is open then, on a link with this interval. The previous event ended at `end`.
  mutating func opens(at anchor: Instant, every interval: Duration, after end: Instant) -> Bool {
    if let last, last.interval == interval, anchor - last.anchor == interval {
      advance(to: anchor, every: interval, after: end)
    } else {
      // The events between, which were not played, have been heard and corrected in time.
      lead = Self.initialLead
      (widening, measured, delayed) = (0, 0, 0)
    }
    last = (anchor, interval)
    widening += Self.periodicWidening(interval)
    return lead >= 0 && lead <= Self.microsecond * 2 * (Self.margin + widening)
  }

  /// Notes that the central, which sends on `phy`, was heard at the anchor point.
  mutating func hear(on phy: RadioPHY) {
    measured = correction(on: phy)
    widening = 0
  }

  /// Returns when the next event ends the current one, if that still runs.
  func preemption() -> Instant? {
    last.map { $0.anchor + $0.interval - .nanoseconds(nextLead($0.interval) + start) }
  }

  private mutating func advance(to anchor: Instant, every interval: Duration, after end: Instant) {
    lead = nextLead(interval)
    delayed = 0
    if end + .nanoseconds(lead + start + Self.preparation) > anchor {
      delayed = measured
    } else {
      lead -= measured * Self.tick
    }
    measured = 0
  }

  /// Returns the lead of the next window without the correction of the current event.
  private func nextLead(_ interval: Duration) -> Int64 {
    lead + Self.periodicWidening(interval) * Self.microsecond - delayed * Self.tick
  }

  /// Returns by how many ticks a later window must open later (`ull_drift_ticks_get`). The radio's timer counts whole microseconds.
  private func correction(on phy: RadioPHY) -> Int64 {
    let address = Self.addressTime(phy)
    let actual = lead / Self.microsecond + address + Self.reception(phy)
    let expected = Self.margin + address
    if actual <= expected + widening {
      return Self.ticks(widening) - Self.ticks(expected + widening - actual)
    }
    return Self.ticks(actual) - Self.ticks(expected)
  }
}

// The constants, in microseconds unless noted.
extension DriftCorrection {
  private static let microsecond: Int64 = 1000
  /// A tick, in nanoseconds.
  private static let tick: Int64 = 30_518
  /// How early a window opens in addition to the widening: EVENT_JITTER_US and EVENT_TICKER_RES_MARGIN_US.
  private static let margin: Int64 = 16 + 32
  /// The lead of the first window, in nanoseconds. Corrections in time keep it near that.
  private static let initialLead: Int64 = 38_000
  /// The ramp-up of the receiver, in nanoseconds.
  private static let rampUp = 40 * microsecond
  /// The time before `start` at which an event is prepared, in nanoseconds: EVENT_OVERHEAD_XTAL_US in whole ticks.
  private static let preparation = ticks(1500) * tick

  /// Returns the whole ticks of a time (`HAL_TICKER_US_TO_TICKS`).
  private static func ticks(_ microseconds: Int64) -> Int64 { microseconds * microsecond / tick }

  /// Returns the widening for one interval: the drift of two clocks of 50 ppm, rounded up.
  private static func periodicWidening(_ interval: Duration) -> Int64 {
    (interval.inNanoseconds + 9_999_999) / 10_000_000
  }

  /// Returns the air time of preamble and access address.
  private static func addressTime(_ phy: RadioPHY) -> Int64 {
    switch phy {
    case .le1M: 40
    case .le2M: 24
    case .leCoded, .leCodedS2: 336
    }
  }

  /// Returns the time that the receiver takes to report an access address, as on the controller that was measured.
  private static func reception(_ phy: RadioPHY) -> Int64 {
    switch phy {
    case .le1M: 8
    case .le2M: 4
    case .leCoded, .leCodedS2: 29
    }
  }
}
