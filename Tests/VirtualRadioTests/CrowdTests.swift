import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("A crowded air")
struct CrowdTests {
  /// Runs advertisers of both kinds, scanners, a central with several links and a peripheral with two, all with loss, and hosts that send at
  /// random. Returns everything that the controllers sent, with its times.
  private func run(seed: UInt64) throws -> [[UInt8]] {
    let stage = Stage(seed: seed)
    var random = SplitMix64(seed: seed, stream: 77)
    let central = stage.add()
    let other = stage.add(.nimble)
    let peripherals = (0..<3).map { _ in stage.add() }
    for host in stage.hosts { try host.bringUp() }
    for (number, peripheral) in peripherals.enumerated() {
      for initiator in number == 0 ? [central, other] : [central] {
        try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
        try initiator.begin(
          LECreateConnection {
            $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0003 + UInt64(number))
            $0.intervalMinimum.rawValue = 12
            $0.intervalMaximum.rawValue = 12
            $0.supervisionTimeout.rawValue = 300
          })
        stage.run(.milliseconds(700))
      }
    }
    try crowd(stage)
    for from in stage.hosts {
      for to in stage.hosts where from !== to && random.upTo(2) == 0 {
        stage.air.setPacketLoss(from: from.id, to: to.id, fraction: 0.3)
      }
    }
    for _ in 0..<150 {
      let host = stage.hosts[Int(random.upTo(4))]
      for (link, side) in stage.air.controller(host.id)?.connections ?? [] where random.upTo(1) == 0 {
        host.sendData(link[side].handle, Array(repeating: UInt8(random.upTo(255)), count: Int(1 + random.upTo(100))))
      }
      stage.run(.microseconds(Int64(random.upTo(20_000))))
    }
    return stage.hosts.map(\.transcript)
      + stage.hosts.map { $0.events.flatMap { withUnsafeBytes(of: $0.at.nanoseconds, Array.init) } }
      + stage.hosts.map { $0.data.flatMap { withUnsafeBytes(of: $0.at.nanoseconds, Array.init) } }
  }

  private func crowd(_ stage: Stage) throws {
    for number in 0..<6 {
      let advertiser = stage.add()
      try advertiser.bringUp()
      if number % 2 == 0 {
        try advertiser.status(LESetAdvertisingParameters { $0.intervalMinimum.rawValue = 0x20 })
        try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
      } else {
        try advertiser.call(
          LESetExtendedAdvertisingParameters {
            $0.eventProperties = []
            $0.primaryIntervalMinimum.rawValue = 0x20
          })
        try advertiser.status(
          LESetExtendedAdvertisingEnable {
            $0.enable = true
            $0.sets = [AdvertisingSetActivation(advertisingHandle: 0)]
          })
      }
    }
    for _ in 0..<2 {
      let scanner = stage.add()
      try scanner.bringUp()
      var track = ScanningPHYParameters()
      track.scanType = .active
      try scanner.status(LESetExtendedScanParameters { $0.parameters = [track] })
      try scanner.status(LESetExtendedScanEnable { $0.enable = true })
    }
  }

  @Test("the same seed and the same inputs give the same octets at the same times", arguments: UInt64(1)...4)
  func repeats(seed: UInt64) throws {
    let first = try run(seed: seed)
    #expect(try run(seed: seed) == first)
    #expect(first.filter { $0.count > 500 }.count > 7, "too little happened")
    #expect(try run(seed: seed + 100) != first)
  }

  @Test("many listeners, senders and receivers come and go, and all are released")
  func lists() throws {
    let stage = Stage()
    let hosts = (0..<8).map { _ in stage.add() }
    for host in hosts.reversed() { try host.bringUp() }
    for number in [5, 1, 7, 3] { try hosts[number].status(LESetScanEnable { $0.enable = true }) }
    #expect(stage.air.listeners.map(\.id) == [1, 3, 5, 7].map { hosts[$0].id })
    try hosts[3].status(LESetScanEnable { $0.enable = false })
    try hosts[1].status(HCIReset())
    stage.air.removeController(hosts[7].id)
    #expect(stage.air.listeners.map(\.id) == [hosts[5].id])
    for number in [6, 2, 4] { stage.air.receive(HCIReset().h4.span, from: hosts[number].id, at: stage.air.now) }
    #expect(stage.air.controllersWithOutput == [2, 4, 6].map { hosts[$0].id })
    stage.air.removeController(hosts[4].id)
    #expect(stage.air.controllersWithOutput == [2, 6].map { hosts[$0].id })
  }
}
