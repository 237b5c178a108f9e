import BLECore
import Glibc

/// The clocks of the machine, for the layers that may read them.
package enum SystemClock {
  /// The monotonic clock, whose zero is about when the machine started.
  package static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// The wall clock: the time since 1970-01-01 00:00 UTC. It may jump; use it for time stamps that people read only.
  package static func sinceEpoch() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .nanoseconds(Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}
