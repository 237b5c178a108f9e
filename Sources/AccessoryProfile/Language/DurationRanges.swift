import BLECore

/// Ranges of durations that several keys have.
extension ValueType {
  /// How long something lasts that values do by themselves.
  static let anyTime = ValueType.duration(.milliseconds(1)...(.seconds(3_153_600_000)))
  /// How long something waits: an answer, a retry, a pause.
  static let wait = ValueType.duration(.milliseconds(1)...(.seconds(3600)))
  /// How long after something else it happens, where that may be at once.
  static let delay = ValueType.duration(.zero...(.seconds(3600)))
  /// How often something is sent, or how long a fault waits.
  static let withinDay = ValueType.duration(.milliseconds(1)...(.seconds(86_400)))
  /// How long something takes that may take no time.
  static let upToDay = ValueType.duration(.zero...(.seconds(86_400)))
  /// How long after its arming a fault happens.
  static let faultDelay = ValueType.duration(.zero...(.seconds(8_640_000)))
  /// How long a scenario waits.
  static let span = ValueType.duration(.zero...(.seconds(31_536_000)))
  /// How far a clock is set.
  static let clockShift = ValueType.duration(.zero...(.seconds(315_360_000)))
  /// How long it is before an accessory falls asleep, or wakes up.
  static let sleepTime = ValueType.duration(.milliseconds(100)...(.seconds(31_536_000)))
  /// Core 5.4 Vol 6 Part B 4.5.1.
  static let connectionInterval = ValueType.duration(
    .microseconds(7500)...(.seconds(4)), step: .microseconds(1250))
  /// Core 5.4 Vol 6 Part B 4.5.2.
  static let supervisionTimeout = ValueType.duration(.milliseconds(100)...(.seconds(32)), step: .milliseconds(10))
  /// Core 5.4 Vol 6 Part B 4.4.2.2, as far as Vol 4 Part E 7.8.5 has it for all kinds of sets.
  static let advertisingInterval = ValueType.duration(
    .milliseconds(20)...(.milliseconds(10_240)), step: .microseconds(625))
}
