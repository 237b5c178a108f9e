import BLECore
import Glibc

/// The clocks of the machine, for the layers that may use them.
package enum SystemClock {
  /// Returns the monotonic clock, whose zero is about the start of the machine.
  package static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// Returns the wall clock: the time since 1970-01-01 00:00 UTC. It may jump, so use it only for timestamps that people read.
  package static func sinceEpoch() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .nanoseconds(Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// The wall clock at the zero of the monotonic clock: nanoseconds since 1970-01-01 00:00 UTC.
  package static var epochOfZero: Int64 { sinceEpoch().inNanoseconds &- now().nanoseconds }
}
