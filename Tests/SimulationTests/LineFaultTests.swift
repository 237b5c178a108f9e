import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

@Suite("Lines that lose, insert, change and delay octets")
struct LineFaultTests {
  @Test(
    "After each of 10,000 faults a phone reads the value written last",
    arguments: [
      (ControllerConfiguration.zephyrExtended.checkingLengths, AdvertisingSetDefinition.Kind.extended, UInt64(1)),
      (.zephyrHCIUART.checkingLengths, .legacy, 5),
    ])
  func tenThousand(
    _ controller: ControllerConfiguration, _ kind: AdvertisingSetDefinition.Kind, _ seed: UInt64
  ) throws {
    try endure(5000, FaultyScene(controller, kind: kind, seed: seed), seed: seed)
  }

  @Test(
    "The same over real terminals, read in any pieces",
    arguments: [
      (ControllerConfiguration.zephyrExtended.checkingLengths, AdvertisingSetDefinition.Kind.extended, UInt64(3)),
      (.zephyrHCIUART.checkingLengths, .legacy, 4),
    ])
  func terminals(
    _ controller: ControllerConfiguration, _ kind: AdvertisingSetDefinition.Kind, _ seed: UInt64
  ) throws {
    try endure(300, FaultyScene(controller, kind: kind, seed: seed, carrier: TerminalCarrier()), seed: seed)
  }

  /// Makes that many faults, one after another. The host reports each at most once, and exactly once if it certainly leaves
  /// octets that form no packets; a fault that hides the start of a connection may be reported twice. After each fault the phone
  /// is served, and reads the value that was last confirmed as written.
  private func endure(_ count: Int, _ scene: FaultyScene, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var longest = Duration.zero
    var unnoticed: [String] = []
    var doubles = 0
    #expect(scene.recover(limit: .seconds(10)) != nil)
    for number in 1...count {
      let fault = LineFault.allCases[Int(random.upTo(UInt64(LineFault.allCases.count - 1)))]
      let isTowardsHost = random.upTo(2) > 0
      // All effects of the last fault have ended by then.
      scene.simulation.run(for: FaultyScene.noticeTime)
      scene.forget()
      scene.line.order = FaultyLine.Order(fault: fault, isTowardsHost: isTowardsHost)
      // Until octets have passed that the fault could affect.
      var acts = 0
      while scene.line.made < number {
        acts += 1
        guard acts < 1000 else {
          Issue.record("fault \(number) never struck")
          return
        }
        scene.act(random.upTo(5))
      }
      guard let time = scene.recover(limit: .seconds(60)) else {
        Issue.record(
          "fault \(number), \(fault), towards host \(isTowardsHost): \(scene.lamp.events); \(scene.line.last)")
        return
      }
      longest = max(longest, time)
      #expect(!scene.hasFailed)
      scene.simulation.run(for: FaultyScene.noticeTime)
      let reports = scene.reports
      #expect(
        reports.count <= (scene.line.hidesConnection ? 2 : 1),
        "fault \(number), \(fault), \(isTowardsHost): \(reports); \(scene.line.last)")
      if reports.count > 1 { doubles += 1 }
      if scene.line.breaksFraming, reports.isEmpty { unnoticed.append("\(number) \(fault) \(scene.line.last)") }
      if number % 50 == 0 {
        #expect(scene.recover(limit: .seconds(60)) != nil)
        try scene.write(random.lineOctets(20))
      }
    }
    #expect(scene.line.made == count)
    #expect(unnoticed == [])
    #expect(doubles <= count / 100, "of connections whose beginning was lost")
    #expect(longest < .seconds(30))
  }
}

extension SplitMix64 {
  /// Returns random octets.
  mutating func lineOctets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
