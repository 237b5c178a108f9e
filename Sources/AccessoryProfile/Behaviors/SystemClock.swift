import BLECore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension WallClock {
  /// Returns the machine's clock and time zone, given its monotonic clock's current time `now`. The UTC offset is the present one: a change
  /// to or from daylight saving time needs a new clock.
  package static func system(at now: Instant) -> WallClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var local = tm()
    var seconds = time.tv_sec
    localtime_r(&seconds, &local)
    let saving = local.tm_isdst > 0 ? 60 : 0
    return WallClock(
      nanosecondsAtZero: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) &- now.nanoseconds,
      standardOffsetMinutes: local.tm_gmtoff / 60 - saving, daylightSavingMinutes: saving)
  }
}
