import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("LE Coded on connections")
struct CodedTests {
  private func setPHY(_ handle: UInt16, options: UInt16) -> LESetPHY {
    LESetPHY {
      $0.connectionHandle.rawValue = handle
      $0.txPHYs = .leCoded
      $0.rxPHYs = .leCoded
      $0.options = options
    }
  }

  @Test(
    "the sender's host selects the coding, which determines how long packets are on the air",
    arguments: [(0, 2448), (1, 894), (2, 2448)] as [(UInt16, Int)])
  func coding(options: UInt16, microseconds: Int) throws {
    let stage = Stage()
    let pair = try stage.connected()
    try pair.central.begin(setPHY(pair.atCentral, options: options))
    stage.run(.seconds(1))
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(LEPHYUpdateComplete.self).map { [$0.txPHY, $0.rxPHY] } == [[.leCoded, .leCoded]])
    }
    pair.central.sendData(pair.atCentral, Array(repeating: 1, count: 27))
    let link = try #require(stage.air.links.values.first)
    var anchor = Instant.zero
    stage.run {
      if link.isInEvent { anchor = link.nextAnchor }
      return !pair.peripheral.data.isEmpty
    }
    #expect(try #require(pair.peripheral.data.first).at - anchor == .microseconds(microseconds))
    // The other direction keeps its own host's coding.
    #expect(link.peripheral.transmitPHY == .leCoded)
  }

  @Test("the coding changes at once on a link that already uses LE Coded; reserved options are refused")
  func change() throws {
    let stage = Stage()
    let pair = try stage.connected()
    let link = try #require(stage.air.links.values.first)
    try pair.central.begin(setPHY(pair.atCentral, options: 2))
    stage.run(.seconds(1))
    #expect(link.central.transmitPHY == .leCoded)
    try pair.central.begin(setPHY(pair.atCentral, options: 1))
    #expect(link.central.transmitPHY == .leCodedS2)
    var seen: Set<RadioPHY> = []
    stage.air.observer = { packet in if packet.direction == .toPeripheral { seen.insert(packet.phy) } }
    stage.run(.seconds(1))
    #expect(seen == [.leCodedS2])
    #expect(pair.central.all(LEPHYUpdateComplete.self).map(\.status) == [.success, .success])
    #expect(try pair.central.begin(setPHY(pair.atCentral, options: 3)) == .invalidHCICommandParameters)
  }

  @Test("the shortest time of a data PDU is longer on LE Coded, and the hosts are informed")
  func minimumTime() throws {
    let stage = Stage()
    let pair = try stage.connected()
    try pair.central.begin(setPHY(pair.atCentral, options: 0))
    stage.run(.seconds(1))
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(LEDataLengthChange.self).map { [$0.maximumTxTime, $0.maximumRxTime] } == [[2704, 2704]])
      #expect(host.all(LEDataLengthChange.self).map(\.maximumTxOctets) == [27])
    }
  }

  @Test(
    "the time of a data PDU limits its octets on every PHY",
    arguments: [
      (RadioPHY.le1M, 2120, 251), (.le1M, 1072, 120), (.le2M, 1064, 251), (.le2M, 592, 133), (.leCoded, 2704, 27),
      (.leCoded, 17_040, 251), (.leCodedS2, 4542, 251), (.leCodedS2, 2704, 136),
    ] as [(RadioPHY, Int, Int)])
  func octets(phy: RadioPHY, microseconds: Int, octets: Int) {
    #expect(phy.payload(withinMicroseconds: microseconds) == octets)
    // With its message integrity check it stays within that time, and one more octet would not.
    #expect(phy.airTime(payload: octets + 4) <= .microseconds(microseconds))
    #expect(phy.airTime(payload: octets + 5) > .microseconds(microseconds))
  }

  @Test("air times with S=2", arguments: [(0, 462), (27, 894), (251, 4478)] as [(Int, Int)])
  func airTime(payload: Int, microseconds: Int) {
    #expect(RadioPHY.leCodedS2.airTime(payload: payload) == .microseconds(microseconds))
    #expect(PHY(.leCodedS2) == .leCoded)
    #expect(RadioPHY(PHY(rawValue: 4)) == nil)
  }
}
