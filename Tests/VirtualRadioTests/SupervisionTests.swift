import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Supervision")
struct SupervisionTests {
  static let timings: [AirConfiguration.Timing] = [.linkLayer, .immediate]

  @Test(
    "the peer of a removed controller reports 0x08 after the timeout", arguments: timings, [true, false])
  func removal(timing: AirConfiguration.Timing, removesCentral: Bool) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(timeout: 50)
    stage.run(.seconds(7))
    let gone = removesCentral ? pair.central : pair.peripheral
    let left = removesCentral ? pair.peripheral : pair.central
    let begin = stage.air.now
    stage.air.removeController(gone.id)
    #expect(stage.air.controllerIDs == [left.id])
    stage.run(.seconds(1))
    let lost = try #require(left.timed(HCIDisconnectionComplete.self).first)
    #expect(lost.event.reason == .connectionTimeout)
    #expect((Duration.milliseconds(469)...Duration.milliseconds(500)).contains(lost.at - begin))
    #expect(stage.air.nextDeadline == nil)
    stage.air.removeController(gone.id)
    stage.air.receive(HCIReset().h4.span, from: gone.id, at: stage.air.now)
    #expect(stage.air.configuration(of: gone.id) == nil)
  }

  @Test("being out of range for longer than the timeout ends the link on both sides; less does not", arguments: timings)
  func reachability(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(timeout: 100)
    stage.run(.seconds(2))
    stage.air.setReachable(pair.central.id, pair.peripheral.id, false)
    pair.central.sendData(pair.atCentral, [1])
    stage.run(.milliseconds(800))
    #expect(pair.peripheral.data.isEmpty)
    stage.air.setReachable(pair.central.id, pair.peripheral.id, true)
    stage.run(.seconds(5))
    #expect(pair.peripheral.data.map(\.octets) == [[1]])
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
    #expect(stage.air.nextDeadline == nil)
    stage.air.setReachable(pair.central.id, pair.peripheral.id, false)
    stage.run(.seconds(2))
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    }
  }

  @Test("a link that is disconnected while out of range ends with 0x16 here and 0x08 there")
  func terminateUnheard() throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 100)
    stage.run(.seconds(1))
    stage.air.setReachable(pair.central.id, pair.peripheral.id, false)
    try pair.central.begin(HCIDisconnect { $0.connectionHandle.rawValue = pair.atCentral })
    stage.run(.seconds(3))
    #expect(pair.central.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTerminatedByLocalHost])
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
  }

  @Test("one broken direction is enough to lose the link")
  func oneWay() throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 100)
    stage.run(.seconds(1))
    stage.air.setPacketLoss(from: pair.peripheral.id, to: pair.central.id, fraction: 1)
    stage.run(.seconds(3))
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    }
  }

  @Test("a link that loses many packets, but not all, survives", arguments: timings)
  func lossy(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(timeout: 300)
    stage.air.setPacketLoss(from: pair.peripheral.id, to: pair.central.id, fraction: 0.5)
    stage.run(.seconds(60))
    for host in [pair.central, pair.peripheral] { #expect(host.all(HCIDisconnectionComplete.self).isEmpty) }
  }

  @Test("an idle link costs nothing for a day, and still works afterwards")
  func idle() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 6, latency: 4)
    stage.run(.seconds(1))
    #expect(stage.air.nextDeadline == nil)
    stage.run(.seconds(86_400))
    pair.central.sendData(pair.atCentral, [1])
    pair.peripheral.sendData(pair.atPeripheral, [2])
    stage.run(.milliseconds(100))
    #expect(pair.peripheral.data.map(\.octets) == [[1]])
    #expect(pair.central.data.map(\.octets) == [[2]])
  }
}
