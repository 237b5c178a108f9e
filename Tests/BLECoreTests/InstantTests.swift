import BLECore
import Testing

@Suite("Time")
struct InstantTests {
  @Test("Instants and durations add up in nanoseconds")
  func arithmetic() {
    let start = Instant(nanoseconds: 1_000)
    #expect(start + .microseconds(2) == Instant(nanoseconds: 3_000))
    #expect(start - .nanoseconds(1) == Instant(nanoseconds: 999))
    #expect(Instant(nanoseconds: 5) - Instant(nanoseconds: 2) == .nanoseconds(3))
    #expect(Instant(nanoseconds: 2) - Instant(nanoseconds: 5) == .nanoseconds(-3))
    var moving = Instant.zero
    moving += .seconds(1)
    #expect(moving == Instant(nanoseconds: 1_000_000_000))
    #expect(Instant.zero < moving)
  }

  @Test("A deadline that is too far away stays in the future")
  func saturatesForward() {
    let now = Instant(nanoseconds: 1_000_000_000)
    #expect(now + .seconds(Int64.max) == Instant(nanoseconds: .max))
    #expect(now + .nanoseconds(Int64.max) == Instant(nanoseconds: .max))
    #expect(now - .seconds(Int64.min) == Instant(nanoseconds: .max))
    var moving = now
    moving += .seconds(Int64.max)
    #expect(moving == Instant(nanoseconds: .max))
  }

  @Test("A time that is too long ago stays in the past")
  func saturatesBackward() {
    let early = Instant(nanoseconds: -1_000_000_000)
    #expect(early - .seconds(Int64.max) == Instant(nanoseconds: .min))
    #expect(early + .seconds(Int64.min) == Instant(nanoseconds: .min))
    #expect(Instant(nanoseconds: .max) - Instant(nanoseconds: -1) == .nanoseconds(Int64.max))
    #expect(Instant(nanoseconds: .min) - Instant(nanoseconds: 1) == .nanoseconds(Int64.min))
  }

  @Test("The earlier of two deadlines counts, and a missing one is ignored")
  func earliest() {
    let (first, second) = (Instant(nanoseconds: 1), Instant(nanoseconds: 2))
    #expect(Instant.earliest(first, second) == first)
    #expect(Instant.earliest(second, first) == first)
    #expect(Instant.earliest(nil, second) == second)
    #expect(Instant.earliest(first, nil) == first)
    #expect(Instant.earliest(nil, nil) == nil)
  }

  @Test(
    "Durations in whole nanoseconds, towards zero",
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(2), 2_000_000_000), (.seconds(-2), -2_000_000_000),
      (.milliseconds(-1), -1_000_000), (.microseconds(625), 625_000),
      (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
      (Duration(secondsComponent: 1, attosecondsComponent: 1_999_999_999), 1_000_000_001),
      (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min),
      (Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_808_000_000_000), .max),
      (Duration(secondsComponent: -9_223_372_036, attosecondsComponent: -854_775_809_000_000_000), .min),
      (.seconds(9_223_372_037), .max), (.seconds(-9_223_372_037), .min), (.seconds(Int64.max), .max),
      (.seconds(Int64.min), .min),
    ] as [(Duration, Int64)])
  func nanoseconds(duration: Duration, expected: Int64) {
    #expect(duration.inNanoseconds == expected)
  }

  @Test(
    "Durations in seconds",
    arguments: [
      (Duration.milliseconds(1500), 1.5), (.seconds(-2), -2.0), (.zero, 0.0), (.microseconds(625), 0.000625),
    ])
  func seconds(duration: Duration, expected: Double) {
    #expect(abs(duration.inSeconds - expected) < 1e-12)
  }
}
