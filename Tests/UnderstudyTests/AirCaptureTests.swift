import BLECore
import BLEHCI
import Capture
import Testing
import Understudy
import VirtualRadio

@Suite("Capturing the air")
struct AirCaptureTests {
  @Test("a packet of the virtual radio is kept with its time, place, octets and checksum")
  func packets() throws {
    let air = Air(configuration: AirConfiguration(seed: 3))
    var seen: [AirPacket] = []
    air.observer = { seen.append($0) }
    let advertiser = air.addController(
      configuration: .full.with(publicAddress: DeviceAddress(bits: 0x0012_3400_0001)))
    let scanner = air.addController(configuration: .full)
    air.receive(
      LESetAdvertisingData { $0.data = LegacyAdvertisingData([2, 1, 6]) ?? $0.data }.h4.span, from: advertiser,
      at: .zero)
    air.receive(LESetAdvertisingEnable { $0.enable = true }.h4.span, from: advertiser, at: .zero)
    air.receive(LESetScanEnable { $0.enable = true }.h4.span, from: scanner, at: .zero)
    air.setImpairment(PathImpairment(isReachable: false, strength: -70), from: advertiser, to: scanner)
    while let deadline = air.nextDeadline, deadline < .zero + .milliseconds(100) { air.advance(to: deadline) }
    try #require(seen.count >= 3)
    let wallClock: Int64 = 1_700_000_000_000_000_000
    let kept = seen.map { CapturedAirPacket($0, wallClock: wallClock) }
    #expect(kept.prefix(3).map(\.rfChannel) == [0, 12, 39])
    #expect(kept.map { $0.nanoseconds - wallClock } == seen.map(\.start.nanoseconds))
    #expect(kept[0].pdu == [0x20, 9, 1, 0, 0, 0x34, 0x12, 0, 2, 1, 6] && kept[0].crc == seen[0].crc)
    #expect(kept.allSatisfy { $0.kind == .advertising && $0.accessAddress == 0x8E89_BED6 && !$0.isDecrypted })
    // The scanner first listens on channel 37.
    #expect(kept.prefix(2).map(\.comment) == ["not received", nil])
    #expect(kept.prefix(2).map(\.signalStrength) == [-70, nil])
  }

  @Test(
    "the kinds of packets",
    arguments: [
      (AirPacket.Direction.toPeripheral, nil, .toPeripheral), (.toCentral, nil, .toCentral),
      (.advertising, nil, .advertising), (.advertising, .advertisement, .auxiliaryAdvertising),
      (.advertising, .exchange, .auxiliaryAdvertising), (.advertising, .chain, .auxiliaryChain),
      (.advertising, .scanResponse, .auxiliaryScanResponse),
    ] as [(AirPacket.Direction, AirPacket.AuxiliaryKind?, CapturedAirPacket.Kind)])
  func kinds(
    direction: AirPacket.Direction, auxiliary: AirPacket.AuxiliaryKind?, kind: CapturedAirPacket.Kind
  ) throws {
    let air = Air()
    var seen: AirPacket?
    air.observer = { seen = $0 }
    let advertiser = air.addController(configuration: .full)
    air.receive(LESetAdvertisingEnable { $0.enable = true }.h4.span, from: advertiser, at: .zero)
    air.advance(to: .zero + .milliseconds(50))
    var packet = try #require(seen)
    packet.direction = direction
    packet.auxiliary = auxiliary
    packet.isEncrypted = true
    packet.phy = .leCodedS2
    let kept = CapturedAirPacket(packet, wallClock: 0)
    #expect(kept.kind == kind && kept.isDecrypted && kept.phy == .leCoded && kept.isCodedWithS2)
  }
}
