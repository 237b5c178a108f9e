import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Passed instants, and peers that do not answer")
struct LinkTimeoutTests {
  static let timings: [AirConfiguration.Timing] = [.linkLayer, .immediate]

  @Test("a peripheral that learns of a change after its instant disconnects with 0x28; the central hears no more")
  func instantPassed() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24, timeout: 200)
    stage.run(.seconds(1))
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 1)
    try pair.central.begin(
      LEConnectionUpdate {
        $0.connectionHandle.rawValue = pair.atCentral
        $0.intervalMinimum.rawValue = 40
        $0.intervalMaximum.rawValue = 40
        $0.supervisionTimeout.rawValue = 200
      })
    stage.run(.milliseconds(400))
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 0)
    stage.run(.seconds(5))
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).map(\.reason) == [.instantPassed])
    #expect(pair.central.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    #expect(pair.peripheral.all(LEConnectionUpdateComplete.self).isEmpty)
  }

  @Test("a loss that is shorter than the time until the instant does no harm")
  func instantReached() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24, timeout: 200)
    stage.run(.seconds(1))
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 1)
    try pair.central.begin(
      LEConnectionUpdate {
        $0.connectionHandle.rawValue = pair.atCentral
        $0.intervalMinimum.rawValue = 40
        $0.intervalMaximum.rawValue = 40
        $0.supervisionTimeout.rawValue = 200
      })
    stage.run(.milliseconds(120))
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 0)
    stage.run(.seconds(5))
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(HCIDisconnectionComplete.self).isEmpty)
      #expect(host.all(LEConnectionUpdateComplete.self).map(\.status) == [.success])
    }
  }

  /// The opcodes of requests, and the commands that make a central send them.
  private static let requests: [(opcode: UInt8, command: @Sendable (UInt16) -> [UInt8])] = [
    (0x08, { handle in LEReadRemoteFeatures { $0.connectionHandle.rawValue = handle }.h4 }),
    (0x0C, { handle in HCIReadRemoteVersionInformation { $0.connectionHandle.rawValue = handle }.h4 }),
    (
      0x14,
      { handle in
        LESetDataLength {
          $0.connectionHandle.rawValue = handle; $0.txOctets = 100
          $0.txTime = 2120
        }.h4
      }
    ),
    (
      0x16,
      { handle in
        LESetPHY {
          $0.connectionHandle.rawValue = handle; $0.txPHYs = .le2M
          $0.rxPHYs = .le2M
        }.h4
      }
    ),
  ]

  @Test("a peer that never answers a procedure is disconnected after 40 seconds with 0x22", arguments: timings, 0..<4)
  func unanswered(timing: AirConfiguration.Timing, number: Int) throws {
    let (opcode, command) = Self.requests[number]
    var deaf = ControllerConfiguration.full
    deaf.unansweredControlOpcodes = [opcode]
    let stage = Stage(timing: timing)
    let pair = try stage.connected(peripheral: deaf)
    stage.run(.seconds(1))
    let begin = stage.air.now
    pair.central.send(command(pair.atCentral))
    stage.run(.seconds(39))
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
    stage.run(.seconds(5))
    let lost = try #require(pair.central.timed(HCIDisconnectionComplete.self).first)
    #expect(lost.event.reason == .linkLayerResponseTimeout)
    #expect(lost.at - begin == .seconds(40))
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
    #expect(stage.air.nextDeadline == nil)
  }

  @Test("a host that leaves a parameter request unanswered also makes the peer lose the link", arguments: timings)
  func silentHost(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    try pair.peripheral.begin(
      LEConnectionUpdate {
        $0.connectionHandle.rawValue = pair.atPeripheral
        $0.intervalMinimum.rawValue = 12
        $0.intervalMaximum.rawValue = 12
        $0.supervisionTimeout.rawValue = 200
      })
    stage.run(.seconds(39))
    #expect(pair.central.all(LERemoteConnectionParameterRequest.self).count == 1)
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).isEmpty)
    stage.run(.seconds(5))
    #expect(pair.peripheral.all(HCIDisconnectionComplete.self).map(\.reason) == [.linkLayerResponseTimeout])
  }

  @Test("an answer in time ends the wait, even if packets are lost")
  func answered() throws {
    let stage = Stage(seed: 4)
    let pair = try stage.connected(timeout: 3200)
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 0.5)
    for _ in 0..<3 {
      try pair.central.begin(
        LESetPHY {
          $0.connectionHandle.rawValue = pair.atCentral; $0.txPHYs = .le2M
          $0.rxPHYs = .le2M
        })
      stage.run(.seconds(30))
    }
    #expect(pair.central.all(LEPHYUpdateComplete.self).count == 3)
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
  }

  @Test("a peripheral with latency that missed an event listens to every one until it receives")
  func latencyAfterLoss() throws {
    let stage = Stage()
    // It listens at every tenth event of 30 ms.
    let pair = try stage.connected(interval: 24, latency: 9, timeout: 600)
    stage.run(.seconds(2))
    let link = try #require(stage.air.links.values.first)
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 1)
    stage.run(.milliseconds(400))
    #expect(link.hasMissed)
    stage.air.setPacketLoss(from: pair.central.id, to: pair.peripheral.id, fraction: 0)
    pair.central.sendData(pair.atCentral, [1])
    stage.run(.milliseconds(31))
    #expect(pair.peripheral.data.map(\.octets) == [[1]])
    #expect(!link.hasMissed)
    // It sleeps again when the supervision of the silence has ended.
    stage.run(.seconds(7))
    #expect(stage.air.nextDeadline == nil)
    pair.peripheral.forget()
    var longest = Duration.zero
    for _ in 0..<12 {
      let begin = stage.air.now
      pair.central.sendData(pair.atCentral, [2])
      stage.run { !pair.peripheral.data.isEmpty }
      longest = max(longest, stage.air.now - begin)
      pair.peripheral.forget()
      stage.run(.milliseconds(37))
    }
    #expect(longest > .milliseconds(100) && longest <= .milliseconds(301))
  }
}
