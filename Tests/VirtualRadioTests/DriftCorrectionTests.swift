import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Late correction of a peripheral's clock")
struct DriftCorrectionTests {
  /// Returns which of the given number of events are missed, if each ends that long before the next anchor point.
  private func missed(_ count: Int, every interval: Duration, margin: Duration) -> [Int] {
    var drift = DriftCorrection()
    var (anchor, end) = (Instant.zero + .seconds(1), Instant.zero)
    return (0..<count).filter { _ in
      defer { (anchor, end) = (anchor + interval, anchor + interval - margin) }
      return !drift.opens(at: anchor, after: end)
    }
  }

  // The behavior of Zephyr 3.5.0's link layer with full events at 30 ms: seven received, three missed, repeatedly.
  @Test("full events at 30 ms: three of ten are missed, one after another")
  func full() {
    let missed = missed(100, every: .milliseconds(30), margin: .microseconds(406))
    #expect((27...33).contains(missed.count))
    var runs: [Int] = []
    for (index, number) in missed.enumerated() {
      if index > 0, missed[index - 1] == number - 1 { runs[runs.count - 1] += 1 } else { runs.append(1) }
    }
    #expect(Set(runs.dropLast()).isSubset(of: [3, 4]) && runs.first == 3)
  }

  @Test("events that end before the next one is prepared are all received", arguments: [1501, 20_000])
  func short(margin: Int64) {
    #expect(missed(1000, every: .milliseconds(30), margin: .microseconds(margin)) == [])
  }

  @Test("shorter intervals are affected more, long ones not at all")
  func intervals() {
    let counts = [15, 30, 100].map {
      missed(400, every: .milliseconds(Int64($0)), margin: .microseconds(400)).count
    }
    #expect(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] == 0)
  }

  /// Returns the number of packets of 27 octets that arrive within three seconds from a central with endless data, and the number of missed events.
  private func throughput(_ isLate: Bool, at side: LinkSide) throws -> (packets: Int, missed: Int) {
    var configuration = ControllerConfiguration.v4_0
    configuration.correctsDriftLate = isLate
    let stage = Stage()
    let pair = try stage.connected(
      central: side == .central ? configuration : .v4_0, peripheral: side == .peripheral ? configuration : .v4_0)
    let end = stage.air.now + .seconds(3)
    var (sent, completed) = (0, 0)
    while stage.air.now < end {
      while sent - completed < 8 {
        pair.central.sendData(pair.atCentral, [23, 0, 4, 0] + Array(repeating: 0, count: 23))
        sent += 1
      }
      stage.run(.microseconds(600))
      completed += pair.central.completed(pair.atCentral)
      pair.central.forget()
    }
    let id = side == .central ? pair.central.id : pair.peripheral.id
    return (pair.peripheral.data.count, stage.air.controller(id)?.missedAnchors ?? 0)
  }

  @Test("a controller without it receives every event, and so does a central with it")
  func ideal() throws {
    for (isLate, side) in [(false, LinkSide.peripheral), (true, .central)] {
      let (packets, missed) = try throughput(isLate, at: side)
      #expect(missed == 0)
      // 44 exchanges of 676 us in each of 100 events.
      #expect(packets > 4200)
    }
  }

  @Test("a peripheral with it loses three tenths of the throughput, and no packet")
  func peripheral() throws {
    let (packets, missed) = try throughput(true, at: .peripheral)
    #expect((27...33).contains(missed))
    #expect((2850...3250).contains(packets))
  }
}
