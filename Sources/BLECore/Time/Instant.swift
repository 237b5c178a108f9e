/// A point on a monotonic clock, in nanoseconds since that clock's own zero.
///
/// Time is an argument everywhere below `Transport`: the poll loop passes its monotonic clock, tests and the virtual
/// radio pass any time they like. Half the cost of `ContinuousClock.Instant`, whose arithmetic is in 128-bit attoseconds.
public struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's zero.
  public var nanoseconds: Int64

  /// The clock's zero.
  public static let zero = Instant(nanoseconds: 0)

  /// An instant that many nanoseconds after the clock's zero.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Whether the left one is earlier.
  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The instant that much later, saturating: a deadline that never comes stays in the future.
  @inlinable
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let added = duration.inNanoseconds
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(added)
    return Instant(nanoseconds: overflow ? (added < 0 ? .min : .max) : sum)
  }

  /// The instant that much earlier, saturating.
  @inlinable
  public static func - (instant: Instant, duration: Duration) -> Instant {
    Instant(nanoseconds: difference(instant.nanoseconds, duration.inNanoseconds))
  }

  /// The time from `earlier` to `later`, saturating at about 292 years.
  @inlinable
  public static func - (later: Instant, earlier: Instant) -> Duration {
    .nanoseconds(difference(later.nanoseconds, earlier.nanoseconds))
  }

  @inlinable
  static func difference(_ minuend: Int64, _ subtrahend: Int64) -> Int64 {
    let (result, overflow) = minuend.subtractingReportingOverflow(subtrahend)
    return overflow ? (subtrahend < 0 ? .max : .min) : result
  }

  /// Moves the instant that much later.
  @inlinable
  public static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

  /// The earlier of two deadlines, either of which may not exist.
  @inlinable
  public static func earliest(_ first: Instant?, _ second: Instant?) -> Instant? {
    guard let first else { return second }
    guard let second else { return first }
    return min(first, second)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, saturating at about 292 years.
  @inlinable
  public var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carried ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in seconds, for display and for wave forms.
  @inlinable
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
