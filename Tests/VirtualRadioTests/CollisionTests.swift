import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Procedures that collide")
struct CollisionTests {
  private func setPHY(_ handle: UInt16) -> LESetPHY {
    LESetPHY {
      $0.connectionHandle.rawValue = handle
      $0.txPHYs = .le2M
      $0.rxPHYs = .le2M
    }
  }

  private func update(_ handle: UInt16) -> LEConnectionUpdate {
    LEConnectionUpdate {
      $0.connectionHandle.rawValue = handle
      $0.intervalMinimum.rawValue = 16
      $0.intervalMaximum.rawValue = 16
      $0.supervisionTimeout.rawValue = 200
    }
  }

  @Test("the same procedure from both sides: the peripheral's is refused with 0x23, the central's continues")
  func sameProcedure() throws {
    let stage = Stage()
    let pair = try stage.connected()
    stage.run(.seconds(1))
    try pair.central.begin(setPHY(pair.atCentral))
    try pair.peripheral.begin(setPHY(pair.atPeripheral))
    stage.run(.seconds(2))
    #expect(pair.central.all(LEPHYUpdateComplete.self).map(\.status) == [.success])
    #expect(pair.peripheral.all(LEPHYUpdateComplete.self).map(\.status) == [.linkLayerProcedureCollision, .success])
  }

  @Test("different procedures from both sides: the peripheral's is refused with 0x2A")
  func differentProcedures() throws {
    let stage = Stage()
    let pair = try stage.connected()
    stage.run(.seconds(1))
    try pair.central.begin(update(pair.atCentral))
    try pair.peripheral.begin(setPHY(pair.atPeripheral))
    stage.run(.seconds(2))
    #expect(pair.central.all(LEConnectionUpdateComplete.self).map(\.status) == [.success])
    #expect(pair.peripheral.all(LEPHYUpdateComplete.self).map(\.status) == [.differentTransactionCollision])
  }

  @Test("the central delays a change until the one that it has announced has been made")
  func waiting() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24)
    stage.run(.seconds(1))
    try pair.peripheral.begin(setPHY(pair.atPeripheral))
    // The request has been received and the update announced, but its instant is six events away.
    stage.run(.milliseconds(70))
    try pair.central.begin(update(pair.atCentral))
    stage.run(.seconds(2))
    for host in [pair.central, pair.peripheral] {
      let phys = host.timed(LEPHYUpdateComplete.self)
      let timings = host.timed(LEConnectionUpdateComplete.self)
      #expect(phys.map(\.event.status) == [.success])
      #expect(timings.map(\.event.status) == [.success])
      #expect(try #require(phys.first).at < (try #require(timings.first)).at)
    }
  }

  @Test("a version exchange that waits while the peer makes a request blocks nothing")
  func waitingVersion() throws {
    let stage = Stage()
    let pair = try stage.connected(interval: 24)
    stage.run(.seconds(1))
    try pair.central.begin(setPHY(pair.atCentral))
    try pair.central.begin(HCIReadRemoteVersionInformation { $0.connectionHandle.rawValue = pair.atCentral })
    try pair.peripheral.begin(HCIReadRemoteVersionInformation { $0.connectionHandle.rawValue = pair.atPeripheral })
    try pair.central.begin(update(pair.atCentral))
    stage.run(.seconds(2))
    for host in [pair.central, pair.peripheral] {
      #expect(host.all(HCIReadRemoteVersionInformationComplete.self).count == 1)
      #expect(host.all(LEConnectionUpdateComplete.self).map(\.status) == [.success])
    }
  }

  @Test("an advertiser without room for another link ignores the initiator")
  func full() throws {
    let stage = Stage()
    var small = ControllerConfiguration.full
    small.maximumConnections = 1
    let pair = try stage.connected(peripheral: small)
    try pair.peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    let another = stage.add()
    try another.bringUp()
    try another.begin(
      LECreateConnection {
        $0.peerAddressType = .random
        $0.peerAddress = .randomStatic(from: 0x1122_3344)
      })
    stage.run(.seconds(5))
    #expect(another.connections.map(\.status) == [.success])
    #expect(another.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionFailedToBeEstablished])
    #expect(pair.peripheral.connections.count == 1)
  }

  @Test("an attempt canceled while its request is on the air has no effect, even if another has begun")
  func givenUp() throws {
    let stage = Stage()
    let peripheral = stage.add()
    let central = stage.add()
    for host in stage.hosts { try host.bringUp() }
    try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001) })
    let isConnecting = stage.run {
      guard let set = stage.air.controller(peripheral.id)?.state.sets.first, let progress = set.progress,
        case .connecting = progress.stage
      else { return false }
      return true
    }
    #expect(isConnecting)
    try central.status(LECreateConnectionCancel())
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x99) })
    stage.run(.seconds(5))
    #expect(central.connections.map(\.status) == [.unknownConnectionIdentifier])
    #expect(peripheral.connections.isEmpty)
    try central.status(LECreateConnectionCancel())
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001) })
    stage.run(.seconds(5))
    #expect(central.connections.last?.status == .success)
  }
}
