import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Throughput")
struct ThroughputTests {
  /// One saturated direction: the PHY, the interval in units of 1.25 ms, and the number of exchanges of a full data PDU and an empty one
  /// that fit into the interval.
  struct Case: CustomTestStringConvertible, Sendable {
    var phy: RadioPHY
    var interval: UInt16
    var exchanges: Int
    /// The share of the PHY's capacity without anchor points, in per mille.
    var share: Int

    /// A data PDU of 251 octets, an empty one, and T_IFS after each.
    var exchange: Duration {
      phy.airTime(payload: 251) + phy.airTime(payload: 0) + LinkLayerTime.interFrameSpace * 2
    }

    var testDescription: String { "\(phy) at \(Double(interval) * 1.25) ms" }
  }

  static let cases = [
    Case(phy: .le1M, interval: 12, exchanges: 6, share: 987), Case(phy: .le1M, interval: 24, exchanges: 12, share: 987),
    Case(phy: .le2M, interval: 12, exchanges: 10, share: 928),
    Case(phy: .le2M, interval: 24, exchanges: 21, share: 974),
    Case(phy: .le2M, interval: 9, exchanges: 8, share: 989), Case(phy: .le2M, interval: 40, exchanges: 35, share: 974),
  ]

  @Test("a host that keeps the buffers full fills every interval, either way", arguments: cases, [true, false])
  func saturated(setting: Case, fromCentral: Bool) throws {
    let stage = Stage()
    let pair = try stage.connected(interval: setting.interval)
    for (host, handle) in [(pair.central, pair.atCentral), (pair.peripheral, pair.atPeripheral)] {
      try host.status(
        LESetDataLength {
          $0.connectionHandle.rawValue = handle
          $0.txOctets = 251
          $0.txTime = 2120
        })
    }
    if setting.phy == .le2M {
      try pair.central.begin(
        LESetPHY {
          $0.connectionHandle.rawValue = pair.atCentral
          $0.txPHYs = .le2M
          $0.rxPHYs = .le2M
        })
    }
    stage.run(.seconds(1))
    let sender = fromCentral ? pair.central : pair.peripheral
    let receiver = fromCentral ? pair.peripheral : pair.central
    let handle = ConnectionHandle(rawValue: fromCentral ? pair.atCentral : pair.atPeripheral)
    // A write command or notification with a value of 244 octets, after seven octets of L2CAP and ATT.
    let value = 244
    let packet = Array(repeating: UInt8(1), count: 7 + value)
    let warmUp = Duration.milliseconds(200)
    let intervals = 40
    let start = stage.air.now + warmUp
    let end = start + .microseconds(Int(setting.interval) * 1250 * intervals)
    while stage.air.now < end {
      while let held = stage.air.controller(sender.id)?.connection(handle)?.end.heldPackets, held < 16 {
        sender.sendData(handle.rawValue, packet)
      }
      stage.air.advance(to: min(try #require(stage.air.nextDeadline), end))
      stage.collect()
    }
    let arrived = receiver.data.filter { $0.at > start }.count
    // The first and the last interval may be incomplete.
    #expect(abs(arrived - setting.exchanges * intervals) <= setting.exchanges / 2 + 1)
    let perInterval = setting.exchange * setting.exchanges
    let interval = Duration.microseconds(Int(setting.interval) * 1250)
    #expect(perInterval <= interval && perInterval + setting.exchange > interval)
    #expect(Int(perInterval * 1000 / interval) == setting.share)
  }

  @Test("the capacity of the PHYs without anchor points")
  func limits() {
    func octetsPerSecond(_ phy: RadioPHY) -> Int {
      let exchange = Case(phy: phy, interval: 6, exchanges: 1, share: 0).exchange
      return Int(244 * 1_000_000_000 / exchange.inNanoseconds)
    }
    #expect(octetsPerSecond(.le1M) == 98_865)
    #expect(octetsPerSecond(.le2M) == 175_287)
  }
}
