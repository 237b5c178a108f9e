import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Parts of the air")
struct AirPartsTests {
  @Test("the timeline returns entries by time, and by order of scheduling if times are equal")
  func timeline() {
    var timeline = Timeline<Int>()
    var random = SplitMix64(seed: 3)
    var expected: [(Int64, Int)] = []
    for number in 0..<500 {
      let time = Int64(random.upTo(40))
      timeline.schedule(number, at: Instant(nanoseconds: time))
      expected.append((time, number))
    }
    expected.sort { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }
    #expect(timeline.next == .zero + .nanoseconds(expected[0].0))
    #expect(timeline.takeNext(upTo: Instant(nanoseconds: -1)) == nil)
    var taken: [(Int64, Int)] = []
    while let entry = timeline.takeNext(upTo: Instant(nanoseconds: 100)) {
      taken.append((entry.instant.nanoseconds, entry.event))
    }
    #expect(taken.map(\.1) == expected.map(\.1))
    #expect(timeline.next == nil)
  }

  @Test(
    "air times as in the specification",
    arguments: [
      (RadioPHY.le1M, 0, 80), (.le1M, 27, 296), (.le1M, 251, 2088), (.le2M, 0, 44), (.le2M, 251, 1048),
      (.leCoded, 0, 720), (.leCoded, 251, 16_784),
    ])
  func airTime(phy: RadioPHY, payload: Int, microseconds: Int) {
    #expect(phy.airTime(payload: payload) == .microseconds(microseconds))
  }

  @Test(
    "a listening track hears its channel, whole packets, in its window",
    arguments: [
      (0, 0, 100, true), (0, 9_900, 10_000, true), (0, 9_950, 10_050, false), (1, 0, 100, false),
      (1, 30_000, 30_100, true), (2, 60_000, 60_100, true), (0, 90_000, 90_100, true), (1, 40_000, 40_100, false),
    ])
  func track(channel: Int, start: Int64, end: Int64, hears: Bool) {
    let track = ListeningTrack(phy: .le1M, interval: .milliseconds(30), window: .milliseconds(10))
    let begin = Instant.zero + .seconds(5)
    #expect(
      track.hears(
        channel: channel, from: begin + .microseconds(start), to: begin + .microseconds(end), since: begin) == hears)
    #expect(!track.hears(channel: 0, from: .zero, to: .zero + .microseconds(1), since: begin))
  }

  @Test("random numbers stay in their bounds and reach them")
  func random() {
    var random = SplitMix64(seed: 1)
    let numbers = (0..<1000).map { _ in random.upTo(9) }
    #expect(Set(numbers) == Set(0...9))
    #expect((0..<1000).allSatisfy { _ in (0..<1).contains(random.fraction()) })
    var other = SplitMix64(seed: 1, stream: 1)
    var another = SplitMix64(seed: 1, stream: 2)
    #expect(other.next() != another.next())
  }

  @Test("host packets are split according to the limit at the time when they are sent")
  func queue() {
    var queue = HostPacketQueue()
    #expect(queue.takeFragment(limit: 10) == nil)
    queue.append(isStart: true, [1, 2, 3, 4, 5])
    queue.append(isStart: false, [6])
    var taken: [(Bool, [UInt8], Bool)] = []
    for limit in [2, 1, 5, 5] {
      if let fragment = queue.takeFragment(limit: limit) {
        taken.append((fragment.isStart, Array(fragment.octets), fragment.endsHostPacket))
      }
    }
    #expect(taken.map(\.0) == [true, false, false, false])
    #expect(taken.map(\.1) == [[1, 2], [3], [4, 5], [6]])
    #expect(taken.map(\.2) == [false, false, true, true])
    #expect(queue.isEmpty)
  }

  @Test("time never goes backward")
  func backward() {
    let air = Air()
    air.advance(to: .zero + .seconds(3))
    air.advance(to: .zero + .seconds(1))
    #expect(air.now == .zero + .seconds(3))
  }

  @Test("output is kept for its reader, once")
  func draining() {
    let air = Air()
    let first = air.addController(configuration: .nimble)
    let second = air.addController(configuration: .full)
    #expect(air.controllersWithOutput == [first])
    air.receive(HCIReset().h4.span, from: second, at: .zero)
    #expect(air.controllersWithOutput == [first, second])
    var buffer = OctetBuffer()
    air.drain(second, into: &buffer)
    #expect(buffer.copy() == HCICommandComplete(HCIReset.self, StatusReturn()).h4)
    #expect(air.controllersWithOutput == [first])
    buffer.removeAll()
    air.drain(second, into: &buffer)
    #expect(buffer.copy() == [])
  }
}
