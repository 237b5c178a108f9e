import BLECore
import BLEGAP

/// Ranges of durations that several keys share.
extension ValueType {
  /// The duration of something that a generator does.
  static let anyTime = ValueType.duration(.milliseconds(1)...(.seconds(3_153_600_000)))
  /// A time to wait for an answer, a retry or a pause.
  static let wait = ValueType.duration(.milliseconds(1)...(.seconds(3600)))
  /// A delay after something else, which may be zero.
  static let delay = ValueType.duration(.zero...(.seconds(3600)))
  /// The interval at which something is sent, or the delay of a fault.
  static let withinDay = ValueType.duration(.milliseconds(1)...(.seconds(86_400)))
  /// A duration that may be zero.
  static let upToDay = ValueType.duration(.zero...(.seconds(86_400)))
  /// The time between arming and firing a fault.
  static let faultDelay = ValueType.duration(.zero...(.seconds(8_640_000)))
  /// The duration of a wait in a scenario.
  static let span = ValueType.duration(.zero...(.seconds(31_536_000)))
  /// The adjustment of a clock.
  static let clockShift = ValueType.duration(.zero...(.seconds(315_360_000)))
  /// The time in limited discoverable mode.
  static let limitedTime = ValueType.duration(ClassicSettings.limitedTimes)
  /// The time until an accessory falls asleep or wakes up.
  static let sleepTime = ValueType.duration(.milliseconds(100)...(.seconds(31_536_000)))
  /// Core 5.4 Vol 6 Part B 4.5.1.
  static let connectionInterval = ValueType.duration(
    .microseconds(7500)...(.seconds(4)), step: .microseconds(1250))
  /// Core 5.4 Vol 6 Part B 4.5.2.
  static let supervisionTimeout = ValueType.duration(.milliseconds(100)...(.seconds(32)), step: .milliseconds(10))
  /// Core 5.4 Vol 6 Part B 4.4.2.2, restricted to the range that Vol 4 Part E 7.8.5 permits for all kinds of sets.
  static let advertisingInterval = ValueType.duration(
    .milliseconds(20)...(.milliseconds(10_240)), step: .microseconds(625))
}
