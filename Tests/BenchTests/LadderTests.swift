import AccessoryProfile
import BLECore
import Testing
import VirtualRadio

@testable import Bench

/// The limits of the link layer, from the numbers of the Core Specification alone.
private enum FirstPrinciples {
  /// Preamble, access address, header and CRC: 1 + 4 + 2 + 3 octets of 8 us.
  static func packet1M(_ payload: Int) -> Double { Double(10 + payload) * 8 }
  /// The preamble has two octets, and each octet takes 4 us.
  static func packet2M(_ payload: Int) -> Double { Double(11 + payload) * 4 }
  /// One packet, T_IFS, an empty packet, T_IFS, in microseconds.
  static func exchange1M(_ payload: Int) -> Double { packet1M(payload) + 150 + packet1M(0) + 150 }
  static func exchange2M(_ payload: Int) -> Double { packet2M(payload) + 150 + packet2M(0) + 150 }

  /// Returns the limit of a step in kbit/s, which are bits per millisecond.
  static func limit(_ number: Int) -> Double {
    switch number {
    case 1: 20 * 8 / 60
    case 2: 20 * 8 / 30
    case 3: 20 * 8 / exchange1M(27) * 1000
    // 182 octets, 3 of ATT and 4 of L2CAP take seven packets of 27.
    case 4: 182 * 8 / (7 * exchange1M(27)) * 1000
    case 5: 244 * 8 / exchange1M(251) * 1000
    // An SDU of 4938 octets and its length of two fill 20 frames of 247.
    case 6, 7: 4938 * 8 / (20 * exchange1M(251)) * 1000
    default: 4938 * 8 / (20 * exchange2M(251)) * 1000
    }
  }
}

@Suite("Ladder on the virtual radio")
struct LadderTests {
  @Test("an exchange takes the documented time")
  func exchanges() {
    #expect(FirstPrinciples.exchange1M(27) == 676)
    #expect(FirstPrinciples.exchange1M(251) == 2468)
    #expect(FirstPrinciples.exchange2M(251) == 1392)
  }

  @Test(
    "every step comes close to the limit of the link layer",
    arguments: [
      (1, 20_000, 0.995...1.001), (2, 20_000, 0.995...1.002), (3, 60_000, 0.985...1.0), (4, 60_000, 0.985...1.0),
      (5, 200_000, 0.975...1.0), (6, 200_000, 0.975...1.0), (7, 200_000, 0.975...1.0), (8, 200_000, 0.98...1.0),
    ])
  func limits(_ number: Int, _ octets: Int, _ range: ClosedRange<Double>) throws {
    let ladder = SimulatedLadder(try throughputProfile(), seed: 1)
    let transfer = try ladder.transfer(number, octets: octets)
    #expect(range.contains(transfer.kbps / FirstPrinciples.limit(number)), "\(transfer.kbps) kbit/s")
    #expect(abs(transfer.limitKbps / FirstPrinciples.limit(number) - 1) < 0.003)
    #expect(transfer.percent <= 100)
    #expect(transfer.octets == octets)
    #expect(transfer.notes == [])
    #expect(transfer.link == (try step(number).link))
  }

  @Test(
    "what bounds a step is measured",
    arguments: [
      (1, ThroughputBound.interval, 0.5), (2, .interval, 1), (3, .air, 44), (4, .air, 44),
      (5, .air, 12), (6, .air, 12), (7, .air, 6), (8, .air, 32),
    ])
  func bounds(_ number: Int, _ bound: ThroughputBound, _ packets: Double) throws {
    let ladder = SimulatedLadder(try throughputProfile(), seed: 1)
    let transfer = try ladder.transfer(number, octets: number < 3 ? 4000 : 60_000)
    #expect(transfer.bound == bound)
    #expect(abs(transfer.packetsPerEvent - packets) < packets * 0.02 + 0.01)
  }

  @Test("a phone with events of 7 packets and 7.5 ms gives the figures of the talk", arguments: Ladder.stepsOfTheTalk)
  func talk(_ step: LadderStep) throws {
    var ladder = SimulatedLadder(try throughputProfile(), seed: 1)
    ladder.centralController = Ladder.phoneOfTheTalk
    let transfer = try ladder.play(step, octets: step.number < 3 ? 4000 : 40_000).outcome.get()
    guard let apple = step.appleKbps else { return }
    // The talk rounds 2.67 and 5.33 down to 2.5 and 5.
    #expect(abs(transfer.kbps / apple - 1) < (step.number < 3 ? 0.08 : 0.03), "\(transfer.kbps) kbit/s")
    #expect(transfer.bound == (step.number < 3 ? .interval : .packetsPerEvent))
  }

  @Test("each step of the talk is faster than the previous one")
  func order() throws {
    #expect(Ladder.steps.map(\.number) == Array(1...8))
    #expect(Ladder.steps.compactMap(\.appleKbps) == [2.5, 5, 37, 48, 135, 197, 394])
    var ladder = SimulatedLadder(try throughputProfile())
    ladder.centralController = Ladder.phoneOfTheTalk
    let figures = try Ladder.stepsOfTheTalk.map { try ladder.play($0, octets: 8000).outcome.get().kbps }
    #expect(figures == figures.sorted())
  }

  @Test("with a fifth of the packets lost everything arrives, later", arguments: [1, 3, 4, 5, 6, 8])
  func loss(_ number: Int) throws {
    let octets = number < 3 ? 2000 : 40_000
    var ladder = SimulatedLadder(try throughputProfile(), seed: 3)
    let clean = try ladder.transfer(number, octets: octets)
    ladder.impairment.loss = .fraction(0.2)
    let lossy = try ladder.transfer(number, octets: octets)
    #expect(lossy.octets == octets)
    #expect(lossy.kbps < clean.kbps * 0.9)
    #expect(lossy.kbps > clean.kbps * 0.02)
  }

  @Test("the same seed gives the same figures")
  func determinism() throws {
    func figures(seed: UInt64) throws -> [Transfer] {
      var ladder = SimulatedLadder(try throughputProfile(), seed: seed)
      ladder.impairment.loss = .fraction(0.1)
      return try [3, 6].map { try ladder.transfer($0, octets: 20_000) }
    }
    #expect(try figures(seed: 5) == figures(seed: 5))
    #expect(try figures(seed: 5) != figures(seed: 6))
  }

  @Test("a controller with short packets goes as far as it can, and reports it")
  func shortPackets() throws {
    var ladder = SimulatedLadder(try throughputProfile(), seed: 1)
    ladder.accessoryController = .zephyrHCIUART
    for number in [5, 8] {
      let transfer = try ladder.transfer(number, octets: 40_000)
      #expect(transfer.link.dataLength == 27)
      #expect(transfer.notes.contains("data PDUs stay at 27 octets"))
      #expect(transfer.kbps < 700)
    }
  }

  // The throughputs and the shares of missed events of Zephyr's link layer: docs/radio.md.
  @Test(
    "a Zephyr controller is as slow as a real one",
    arguments: [
      (3, 124.0, 0.4...0.47), (4, 168, 0.4...0.47), (5, 439.5, 0.4...0.47), (6, 453, 0.4...0.47),
      (7, 537, 0.17...0.2), (8, 1406, 0...0),
    ])
  func zephyr(_ number: Int, _ kbps: Double, _ missed: ClosedRange<Double>) throws {
    var ladder = SimulatedLadder(try throughputProfile(), seed: 1)
    ladder.accessoryController = .zephyrExtended
    let transfer = try ladder.transfer(number, octets: 200_000)
    #expect(abs(transfer.kbps / kbps - 1) < 0.05, "\(transfer.kbps) kbit/s")
    #expect(missed.contains(transfer.missedEvents), "\(transfer.missedEvents)")
    #expect(transfer.bound == (number == 8 ? .air : .missedEvents))
    ladder.accessoryController.correctsDriftLate = false
    let ideal = try ladder.transfer(number, octets: 200_000)
    #expect(ideal.bound == .air)
    #expect(ideal.missedEvents == 0)
  }

  @Test("a Zephyr controller misses nothing if one value in each event leaves enough time")
  func zephyrAtLeisure() throws {
    var ladder = SimulatedLadder(try throughputProfile(), seed: 1)
    ladder.accessoryController = .zephyrExtended
    let transfer = try ladder.transfer(2, octets: 2000)
    #expect(transfer.bound == .interval)
    #expect(transfer.missedEvents == 0)
  }

  @Test("without LE 2M the last step runs on LE 1M")
  func oldController() throws {
    var ladder = SimulatedLadder(try throughputProfile(), seed: 1)
    ladder.accessoryController = .v4_2
    let transfer = try ladder.transfer(8, octets: 40_000)
    #expect(transfer.link.phy == .le1M)
    #expect(transfer.notes == ["the PHY stays as it was"])
  }

  @Test("an accessory that is slow to give credits is detected")
  func credits() throws {
    let path = try #require(ShippedProfiles.path(named: "throughput"))
    var profile = try Profile.load(contentsOf: path)
    profile.channels[0].handler = .sink(octetsPerSecond: 20_000, hashes: true)
    let transfer = try SimulatedLadder(profile, seed: 1).transfer(6, octets: 200_000)
    #expect(transfer.bound == .credits)
    #expect(transfer.kbps < 300)
  }

  @Test("an accessory without the characteristic fails a step with a reason")
  func wrongAccessory() throws {
    let battery = try Profile.load(contentsOf: #require(ShippedProfiles.path(named: "battery")))
    let result = SimulatedLadder(battery).play(try step(3), octets: 100)
    #expect(result.transfer == nil)
    guard case .failure(let failure) = result.outcome else { return }
    #expect(failure.reason.contains("no characteristic"))
  }

  @Test("changed data is a failure")
  func arrival() {
    let sent = Arrival(sending: [1, 2, 3])
    #expect(Arrival(sending: [1, 2, 3]).fault(comparedTo: sent) == nil)
    #expect(Arrival(sending: [1, 2]).fault(comparedTo: sent)?.reason == "2 of 3 octets arrived")
    #expect(Arrival(sending: [1, 2, 4]).fault(comparedTo: sent)?.reason.contains("not as they were sent") == true)
  }
}
