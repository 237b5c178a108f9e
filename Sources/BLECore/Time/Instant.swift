/// An instant on a monotonic clock, in nanoseconds since the zero of that clock.
///
/// Below `Transport`, time is always an argument: the poll loop passes its monotonic clock, tests and the virtual radio pass any time. It
/// costs half as much as `ContinuousClock.Instant`, which uses 128-bit attoseconds.
public struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's zero.
  public var nanoseconds: Int64

  /// The clock's zero.
  public static let zero = Instant(nanoseconds: 0)

  /// Creates an instant this many nanoseconds after the clock's zero.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Returns whether the left instant is earlier.
  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns an instant later by this duration, saturating: a deadline that never comes stays in the future.
  @inlinable
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let added = duration.inNanoseconds
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(added)
    return Instant(nanoseconds: overflow ? (added < 0 ? .min : .max) : sum)
  }

  /// Returns an instant earlier by this duration, saturating.
  @inlinable
  public static func - (instant: Instant, duration: Duration) -> Instant {
    Instant(nanoseconds: difference(instant.nanoseconds, duration.inNanoseconds))
  }

  /// Returns the time from `earlier` to `later`, saturating at about 292 years.
  @inlinable
  public static func - (later: Instant, earlier: Instant) -> Duration {
    .nanoseconds(difference(later.nanoseconds, earlier.nanoseconds))
  }

  @inlinable
  static func difference(_ minuend: Int64, _ subtrahend: Int64) -> Int64 {
    let (result, overflow) = minuend.subtractingReportingOverflow(subtrahend)
    return overflow ? (subtrahend < 0 ? .max : .min) : result
  }

  /// Moves the instant by this duration.
  @inlinable
  public static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

  /// Returns the earlier of two deadlines, each of which may be nil.
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

  /// The duration in seconds, for display and for waveforms.
  @inlinable
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
