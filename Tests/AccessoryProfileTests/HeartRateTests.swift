import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("Heart rate")
struct HeartRateTests {
  private func runtime(_ bpm: String = "60", _ further: String = "") throws -> ProfileRuntime {
    let profile = try profile(
      """
      services:
        - include: heart-rate
          measurement: { bpm: \(bpm), contact: detected, energy: { ramp: 1 kJ per 1 s }, rr: { intervals: bpm } }
      \(further)
      """)
    return ProfileRuntime(profile: profile, startingAt: .ms(1000))
  }

  /// Returns the measurements that are notified up to a time, with their times in milliseconds.
  private func measurements(_ runtime: inout ProfileRuntime, until end: Int64) -> [(Int64, ProfileValue)] {
    guard let index = runtime.index(of: "heart-rate-measurement") else { return [] }
    var result: [(Int64, ProfileValue)] = []
    while let deadline = runtime.nextDeadline, deadline <= .ms(end) {
      var actions: [ApplicationAction] = []
      runtime.advance(to: deadline, actions: &actions)
      guard actions == [.notify(index)], case .value(let octets) = runtime.read(index, for: 1, at: deadline),
        case .value(let again) = runtime.read(index, for: 2, at: deadline), octets == again
      else { return [] }
      result.append((deadline.nanoseconds / 1_000_000, runtime.decode(octets, of: index)))
    }
    return result
  }

  private func fields(_ value: ProfileValue) -> [String: ProfileValue] {
    if case .object(let fields) = value { return fields }
    return [:]
  }

  @Test func isSentOnceASecondWithEnergyInEveryTenth() throws {
    var runtime = try runtime()
    #expect(runtime.nextDeadline == nil)
    runtime.subscribe("heart-rate-measurement", notified: 1, at: .ms(5500))
    let sent = measurements(&runtime, until: 26_500)
    #expect(sent.map(\.0) == (0..<21).map { 6500 + $0 * 1000 })
    #expect(sent.enumerated().filter { fields($0.element.1)["energy"] != nil }.map(\.offset) == [0, 10, 20])
    #expect(fields(sent[0].1)["energy"] == .int(5) && fields(sent[20].1)["energy"] == .int(25))
    #expect(sent.allSatisfy { fields($0.1)["rr"] == .array([.int(1024)]) && fields($0.1)["bpm"] == .int(60) })
    runtime.subscribe("heart-rate-measurement", notified: 0, at: .ms(26_500))
    #expect(runtime.nextDeadline == nil)
  }

  @Test(arguments: [30, 50, 75, 150, 220] as [Int64])
  func intervalsFillTheTime(_ bpm: Int64) throws {
    var runtime = try runtime("\(bpm)")
    runtime.subscribe("heart-rate-measurement", notified: 1, at: .ms(1000))
    let sent = measurements(&runtime, until: 61_000)
    let intervals = sent.flatMap { value -> [ProfileValue] in
      if case .array(let list) = fields(value.1)["rr"] { return list }
      return []
    }
    #expect(sent.count == 60 && abs(intervals.count - Int(bpm)) <= 1)
    #expect(Set(intervals) == [.int((60 * 1024 + bpm / 2) / bpm)])
    let total = intervals.compactMap(\.number).reduce(0, +) / 1024
    #expect(abs(total - 60) <= 60 / Double(bpm) + 0.2)
  }

  @Test func aWriteOfOneResetsTheEnergyAndOthersAreRefused() throws {
    var runtime = try runtime()
    let point = try #require(runtime.index(of: "heart-rate-control-point"))
    runtime.subscribe("heart-rate-measurement", notified: 1, at: .ms(1000))
    let before = measurements(&runtime, until: 11_000)
    #expect(before.count == 10)
    #expect(runtime.write([2], to: point, for: 1, at: .ms(11_400)).error?.rawValue == 0x80)
    #expect(runtime.write([1], to: point, for: 1, at: .ms(11_500)) == .accepted)
    #expect(fields(measurements(&runtime, until: 12_000)[0].1)["energy"] == .int(0))
  }

  @Test func fieldsThatAreSetStayAndTheOthersGoOn() throws {
    var runtime = try runtime("{ ramp: { from: 100, to: 200, over: 100 s } }")
    let index = try #require(runtime.index(of: "heart-rate-measurement"))
    runtime.subscribe("heart-rate-measurement", notified: 1, at: .ms(1000))
    #expect(
      try runtime.set(index, to: .object(["bpm": .int(190), "contact": .string("not-detected")]), at: .ms(1000)) == [])
    let sent = measurements(&runtime, until: 12_000).map { fields($0.1) }
    #expect(sent.allSatisfy { $0["bpm"] == .int(190) && $0["contact"] == .string("not-detected") })
    #expect(sent[10]["energy"] == .int(11))
    _ = try runtime.set(index, to: .object(["bpm": .null]), at: .ms(12_000))
    let resumed = fields(try #require(measurements(&runtime, until: 13_000).first).1)
    #expect(resumed["bpm"] == .int(112) && resumed["contact"] == .string("not-detected"))
    _ = runtime.resume(index, at: .ms(13_000))
    #expect(fields(measurements(&runtime, until: 14_000)[0].1)["contact"] == .string("detected"))
    #expect(throws: ProfileValueError("there is no field 'bmp', did you mean 'bpm'? (known: contact, bpm, energy, rr)"))
    {
      try runtime.set(index, to: .object(["bmp": .int(1)]), at: .zero)
    }
    #expect(throws: ProfileValueError("bpm: 70000 is not within 0...65535")) {
      try runtime.set(index, to: .object(["bpm": .int(70_000)]), at: .zero)
    }
  }

  @Test func octetsReplaceTheWholeMeasurement() throws {
    var runtime = try runtime()
    let index = try #require(runtime.index(of: "heart-rate-measurement"))
    runtime.subscribe("heart-rate-measurement", notified: 1, at: .ms(1000))
    _ = try runtime.set(index, to: .octets([0x06, 0x50]), at: .ms(1000))
    #expect(measurements(&runtime, until: 4000).map { fields($0.1)["bpm"] } == [.int(80), .int(80), .int(80)])
    #expect(runtime.typedValue(of: index, at: .ms(4000)) == .object(["bpm": .int(80), "contact": .string("detected")]))
  }

  @Test func lateTimersDoNotPileUp() throws {
    var runtime = try runtime()
    runtime.subscribe("heart-rate-measurement", notified: 1, at: .ms(1000))
    var actions: [ApplicationAction] = []
    runtime.advance(to: .ms(7300), actions: &actions)
    #expect(actions.count == 1 && runtime.nextDeadline == .ms(8300))
    // A small delay keeps the average.
    actions = []
    runtime.advance(to: .ms(8400), actions: &actions)
    #expect(actions.count == 1 && runtime.nextDeadline == .ms(9300))
    runtime.advance(to: .ms(9299), actions: &actions)
    #expect(actions.count == 1)
  }
}
