import AccessoryProfile
import BLECore
import BLEGATT
import Testing

@Suite("Generators")
struct GeneratorTests {
  /// A value in a profile, and its values at times in seconds.
  static let series: [(format: String, value: String, points: [(Double, String)])] = [
    ("u8", "{ constant: 7 }", [(0, "07"), (100, "07")]),
    (
      "u8", "{ wave: triangle, low: 0, high: 100, period: 10 s }",
      [(0, "00"), (2.5, "32"), (5, "64"), (7.5, "32"), (10, "00")]
    ),
    ("u8", "{ wave: square, low: 1, high: 9, period: 2 s }", [(0, "09"), (0.9, "09"), (1, "01"), (2, "09")]),
    (
      "u8", "{ wave: sine, low: 0, high: 200, period: 4 s }",
      [(0, "64"), (1, "c8"), (2, "64"), (3, "00"), (4, "64"), (0.5, "ab"), (2.5, "1d")]
    ),
    ("i16", "{ wave: sine, low: -100, high: 100, period: 4 s }", [(0, "0000"), (1, "6400"), (3, "9cff")]),
    ("u8", "{ ramp: { from: 100, to: 0, over: 10 s } }", [(0, "64"), (5, "32"), (10, "00"), (20, "00")]),
    ("u8", "{ ramp: { from: 0, to: 100, over: 1 h } }", [(0, "00"), (1800, "32"), (3600, "64")]),
    ("u16", "{ ramp: 1 kJ per 10 s }", [(0, "0000"), (9.9, "0000"), (10, "0100"), (25, "0200"), (10_000_000, "ffff")]),
    ("u16", "{ ramp: 2.5 per 1 s }", [(2, "0500")]),
    ("u8", "{ sequence: [1, 2, 3], every: 2 s }", [(0, "01"), (1.9, "01"), (2, "02"), (4, "03"), (6, "01")]),
    ("u8", "{ sequence: [1, 2], every: 1 s, repeat: false }", [(0, "01"), (1, "02"), (5, "02")]),
    ("utf8", "{ sequence: [a, b] }", [(0, "61"), (1, "62")]),
    ("hex", "{ sequence: [hex:00, hex:0102] }", [(0, "00"), (1, "0102")]),
    ("body-sensor-location", "{ sequence: [chest, foot] }", [(0, "01"), (1, "06")]),
    (
      "heart-rate-measurement", "{ sequence: [{ bpm: 60 }, { bpm: 300, contact: detected }] }",
      [(0, "003c"), (1, "072c01")]
    ),
    ("u8", "{ counter: { from: 250, to: 255, every: 1 s } }", [(0, "fa"), (5, "ff"), (6, "fa")]),
    ("u8", "{ counter: { from: 10, to: 0, step: -5, every: 1 s } }", [(0, "0a"), (1, "05"), (2, "00"), (3, "0a")]),
    ("u8", "{ counter: { from: 5, to: 3, every: 1 s } }", [(0, "05"), (2, "03"), (3, "05")]),
    (
      "{ number: u16, decimals: 2 }", "{ ramp: { from: 0, to: 1.5, over: 10 s } }",
      [(0, "0000"), (5, "4b00"), (10, "9600")]
    ),
    ("float", "{ wave: triangle, low: 36, high: 37, period: 100 s, round: 0.1 }", [(0, "24000000"), (7, "690100ff")]),
    ("u8", "{ ramp: { from: 0, to: 100, over: 100 s }, round: 5 }", [(2, "00"), (3, "05"), (8, "0a")]),
    ("{ struct: { a: u8, b: u16 } }", "{ a: 1, b: { ramp: 1 per 1 s } }", [(0, "010000"), (3, "010300")]),
    ("u32", "{ clock: utc }", [(0, "00aae065"), (1, "01aae065")]),
    ("date-time", "{ clock: local }", [(0, "e807021d120000"), (90, "e807021d12011e")]),
    ("time-zone", "{ clock: local }", [(0, "04")]),
    ("time-zone", "{ clock: utc }", [(0, "00")]),
    ("current-time", "{ clock: utc }", [(0, "e807021d10000004 00 00"), (1.5, "e807021d1000010480 00")]),
    ("local-time-information", "{ clock: local }", [(0, "0404")]),
    ("local-time-information", "{ clock: utc }", [(0, "0000")]),
  ]

  /// 29 February 2024, 16:00 UTC at zero, an hour east of UTC, and a different offset for summer, although it does not apply then.
  private static let clock = WallClock(
    nanosecondsAtZero: 1_709_222_400_000_000_000, standardOffsetMinutes: 60, daylightSavingMinutes: 60)

  @Test(arguments: series.indices)
  func followTheirSeries(_ index: Int) throws {
    let (format, value, points) = Self.series[index]
    let profile = try characteristic("properties: [read], format: \(format), value: \(value)")
    // The generators start at zero when the runtime starts; the clock counts from the zero of `Instant`.
    let isClock = value.contains("clock")
    let start = isClock ? Instant.zero : .ms(5_000_000)
    var runtime = ProfileRuntime(profile: profile, clock: Self.clock, startingAt: start)
    for (seconds, octets) in points {
      let now = start + .microseconds(Int64(seconds * 1_000_000))
      #expect(runtime.readOctets("x", at: now) == [UInt8](hexadecimal: octets), "\(value) after \(seconds) s")
    }
  }

  @Test(arguments: [
    "{ random: { low: 10, high: 20, every: 100 ms } }", "{ wave: random-walk, low: 10, high: 20, period: 8 s }",
  ])
  func randomValuesStayInRangeAndFollowFromTheSeed(_ value: String) throws {
    let profile = try characteristic("properties: [read], format: u8, value: \(value)")
    func series(_ seed: UInt64, step: Int) -> [UInt8] {
      var runtime = ProfileRuntime(profile: profile, seed: seed)
      return stride(from: 0, to: 60_000, by: step).compactMap { runtime.readOctets("x", at: .ms(Int64($0)))?.first }
    }
    let first = series(1, step: 100)
    #expect(first.count == 600 && first.allSatisfy { (10...20).contains($0) } && Set(first).count > 5)
    #expect(first == series(1, step: 100))
    #expect(first != series(2, step: 100))
    // The result does not depend on how often it is read.
    #expect(series(1, step: 1000) == stride(from: 0, to: 600, by: 10).map { first[$0] })
  }

  @Test func aWalkHasNoJumps() throws {
    let profile = try characteristic(
      "properties: [read], format: u8, value: { wave: random-walk, low: 0, high: 255, period: 80 s }")
    var runtime = ProfileRuntime(profile: profile, seed: 3)
    var last: Int?
    for second in 0..<600 {
      let value = Int(runtime.readOctets("x", at: .ms(Int64(second) * 100))?.first ?? 0)
      // At most a whole range in an eighth of the period of 10 s.
      if let last { #expect(abs(value - last) <= 4) }
      last = value
    }
  }

  @Test func aCounterWithoutTimeCountsReads() throws {
    let profile = try characteristic("properties: [read], format: u8, value: { counter: { to: 2 } }")
    var runtime = ProfileRuntime(profile: profile)
    #expect((0..<5).map { _ in runtime.readOctets("x", at: .zero) } == [[0], [1], [2], [0], [1]])
    // Inspecting a value is not reading it.
    let index = try #require(runtime.index(of: "x"))
    #expect(runtime.presentValue(of: index, at: .zero) == [1])
    #expect(runtime.presentValue(of: index, at: .ms(1)) == [1])
    #expect(runtime.readOctets("x", at: .ms(2)) == [2])
  }

  @Test func aPatternNumbersTheValuesOfEachClient() throws {
    let profile = try characteristic(
      "properties: [notify], value: { pattern: counter, length: 8 }, notify: { every: buffer }")
    #expect(profile.services[0].characteristics[0].notifiesContinuously)
    var runtime = ProfileRuntime(profile: profile)
    runtime.subscribe("x", notified: 2, at: .zero)
    #expect(runtime.nextDeadline == nil)
    #expect(runtime.readOctets("x", client: 1, at: .zero) == [0, 0, 0, 0, 4, 5, 6, 7])
    #expect(runtime.readOctets("x", client: 1, at: .zero) == [1, 0, 0, 0, 4, 5, 6, 7])
    #expect(runtime.readOctets("x", client: 2, at: .zero) == [0, 0, 0, 0, 4, 5, 6, 7])
    for _ in 2..<300 { _ = runtime.readOctets("x", client: 1, at: .zero) }
    #expect(runtime.readOctets("x", client: 1, at: .zero) == [0x2C, 1, 0, 0, 4, 5, 6, 7])
    runtime.subscribe("x", notified: 0, at: .zero)
    #expect(runtime.readOctets("x", client: 1, at: .zero) == [0, 0, 0, 0, 4, 5, 6, 7])
  }

  @Test func aPatternOnATimerIsTheSameForAll() throws {
    let profile = try characteristic(
      "properties: [notify], value: { pattern: counter, length: 4 }, notify: { every: 10 ms }")
    var runtime = ProfileRuntime(profile: profile)
    runtime.subscribe("x", notified: 2, at: .zero)
    for number in 0..<3 {
      #expect(runtime.run(until: .ms(Int64(number + 1) * 10)).count == 1)
      for client in [1, 2] as [ClientID] {
        #expect(runtime.readOctets("x", client: client, at: .ms(Int64(number + 1) * 10)) == [UInt8(number), 0, 0, 0])
      }
    }
  }
}
