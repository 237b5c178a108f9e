import BLECore
import BLEHCI

/// When a scanning device hears one that sends on alternating halves of the frequencies, its trains (Core 5.4 Vol 2 Part B 8.3, 8.4).
struct ScanWindows {
  /// A train takes 16 slots.
  static let train = Duration.milliseconds(10)

  let scan: ClassicSettings.Scan
  /// A window starts here.
  let phase: Instant

  init(_ scan: ClassicSettings.Scan, phase: Instant) {
    self.scan = scan
    self.phase = phase
  }

  /// Returns when a sender that has sent since `start` is heard first, not before `earliest`. It changes its train every `trainChange`;
  /// `isSecond` tells whether the scan begins on its second one. The scanner hears both if its scan is interlaced.
  func firstHearing(
    from start: Instant, notBefore earliest: Instant, trainChange: Duration, isSecond: Bool, random: inout SplitMix64
  ) -> Instant {
    let interval = max(scan.interval.duration, Duration.milliseconds(10))
    let within = Duration.microseconds(Int64(random.upTo(UInt64(min(window, Self.train).inNanoseconds / 1000))))
    if scan.isContinuous || scan.type == .interlaced {
      return opening(notBefore: earliest, interval) + within
    }
    var opening = opening(notBefore: earliest, interval)
    // A sender has changed its train after at most this many windows.
    for _ in 0..<Int(trainChange.inNanoseconds / interval.inNanoseconds + 2) {
      let changes = (opening - start).inNanoseconds / max(trainChange.inNanoseconds, 1)
      if (changes % 2 == 1) == isSecond { break }
      opening += interval
    }
    return opening + within
  }

  private var window: Duration { scan.window.duration }

  /// Returns the start of the first window from `instant` on. A scan that never stops is always open.
  private func opening(notBefore instant: Instant, _ interval: Duration) -> Instant {
    guard !scan.isContinuous else { return instant }
    let since = (instant - phase).inNanoseconds
    let period = interval.inNanoseconds
    let rest = ((since % period) + period) % period
    return rest == 0 ? instant : instant + .nanoseconds(period - rest)
  }
}
