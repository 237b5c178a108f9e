import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Connections")
struct ConnectionTests {
  @Test(
    "both hosts learn of the link, in their roles, with the peer's address",
    arguments: [
      AirConfiguration.Timing.linkLayer, .immediate,
    ])
  func connect(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    let central = try #require(pair.central.connections.first)
    let peripheral = try #require(pair.peripheral.connections.first)
    #expect(central.status == .success)
    #expect(central.role == .central)
    #expect(central.peerAddressType == .random)
    #expect(central.peerAddress == .randomStatic(from: 0x1122_3344))
    #expect(central.interval.rawValue == 24)
    #expect(peripheral.role == .peripheral)
    #expect(peripheral.peerAddress == .randomStatic(from: 0x55))
    #expect(peripheral.connectionHandle == .zero)
    #expect(pair.peripheral.all(LEChannelSelectionAlgorithm.self).map(\.algorithm) == [1])
    #expect(pair.peripheral.all(LEConnectionComplete.self).isEmpty)
    stage.run(.seconds(20))
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
    #expect(stage.air.nextDeadline == nil)
  }

  @Test("if the enhanced event is masked, the plain one comes")
  func plainEvent() throws {
    let stage = Stage()
    let host = stage.add()
    try host.status(HCISetEventMask { $0.eventMask.insert(.leMeta) })
    try host.begin(LECreateConnection())
    try host.status(LECreateConnectionCancel())
    #expect(host.all(LEConnectionComplete.self).map(\.status) == [.unknownConnectionIdentifier])
    #expect(host.connections.isEmpty)
  }

  @Test("advertising stops with the connection; the peripheral can advertise and be connected again")
  func severalLinks() throws {
    let stage = Stage()
    let pair = try stage.connected()
    let second = stage.add()
    try second.bringUp()
    let create = LECreateConnection {
      $0.peerAddressType = .random
      $0.peerAddress = .randomStatic(from: 0x1122_3344)
    }
    #expect(try second.begin(create) == .success)
    stage.run(.seconds(2))
    #expect(second.connections.isEmpty)
    #expect(try second.begin(create) == .commandDisallowed)
    try pair.peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    stage.run(.seconds(2))
    #expect(second.connections.map(\.status) == [.success])
    #expect(pair.peripheral.connections.map(\.connectionHandle.rawValue) == [0, 1])
    // The peripheral is at the same time a central to a third device.
    let third = stage.add()
    try third.bringUp()
    try third.status(LESetAdvertisingEnable { $0.enable = true })
    try pair.peripheral.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0004) })
    stage.run(.seconds(2))
    #expect(pair.peripheral.connections.map(\.role) == [.peripheral, .peripheral, .central])
    second.sendData(0, [2])
    third.sendData(0, [3])
    pair.central.sendData(0, [1])
    stage.run(.seconds(1))
    #expect(Set(pair.peripheral.data.map { [UInt8($0.handle)] + $0.octets }) == [[0, 1], [1, 2], [2, 3]])
    // A free handle is reused.
    try pair.peripheral.begin(HCIDisconnect { $0.connectionHandle.rawValue = 0 })
    stage.run(.seconds(1))
    try pair.peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    try pair.central.begin(create)
    stage.run(.seconds(2))
    #expect(pair.peripheral.connections.last?.connectionHandle.rawValue == 0)
  }

  @Test("handles begin at the configured number")
  func firstHandle() throws {
    let stage = Stage()
    let pair = try stage.connected(central: .nimble, peripheral: .zephyrHCIUART)
    #expect(pair.atCentral == 1)
    #expect(pair.atPeripheral == 0)
  }

  @Test("canceling ends with Connection Complete 0x02, after the answer; without an attempt it is refused")
  func cancel() throws {
    let stage = Stage()
    let host = stage.add()
    try host.bringUp()
    #expect(try host.status(LECreateConnectionCancel()) == .commandDisallowed)
    #expect(try host.begin(LECreateConnection()) == .success)
    host.forget()
    #expect(try host.status(LECreateConnectionCancel()) == .success)
    #expect(host.events.map(\.code) == [.commandComplete, .leMeta])
    #expect(host.connections.map(\.status) == [.unknownConnectionIdentifier])
    #expect(try host.begin(LECreateConnection()) == .success)
  }

  @Test("the filter accept list selects the peers to connect to")
  func acceptList() throws {
    let stage = Stage()
    let hosts = [stage.add(), stage.add()]
    for host in hosts {
      try host.bringUp()
      try host.status(LESetAdvertisingEnable { $0.enable = true })
    }
    let central = stage.add()
    try central.bringUp()
    let second = DeviceAddress(bits: 0x0012_3400_0002)
    try central.status(LEAddDeviceToFilterAcceptList { $0.address = second })
    try central.begin(LECreateConnection { $0.initiatorFilterPolicy = .filterAcceptList })
    #expect(try central.status(LEClearFilterAcceptList()) == .commandDisallowed)
    stage.run(.seconds(5))
    #expect(central.connections.map(\.peerAddress) == [second])
  }

  @Test("a second link to the same peer, too many links, and bad parameters are refused")
  func refusals() throws {
    let stage = Stage()
    var small = ControllerConfiguration.full
    small.maximumConnections = 1
    let pair = try stage.connected(central: small)
    #expect(try pair.central.begin(LECreateConnection()) == .connectionLimitExceeded)
    let again = LECreateConnection {
      $0.peerAddressType = .random
      $0.peerAddress = .randomStatic(from: 0x55)
    }
    #expect(try pair.peripheral.begin(again) == .connectionAlreadyExists)
    let bad: [LECreateConnection] = [
      LECreateConnection { $0.intervalMinimum.rawValue = 5 },
      LECreateConnection { $0.intervalMaximum.rawValue = 20 },
      LECreateConnection { $0.maximumLatency = 500 },
      LECreateConnection { $0.supervisionTimeout.rawValue = 5 },
      LECreateConnection {
        $0.maximumLatency = 400; $0.supervisionTimeout.rawValue = 100
      },
      LECreateConnection { $0.scanWindow.rawValue = 0x61 },
      LECreateConnection { $0.ownAddressType = OwnAddressType(rawValue: 9) },
    ]
    for command in bad { #expect(try pair.peripheral.begin(command) == .invalidHCICommandParameters) }
  }

  @Test("a directed advertiser takes only its target", arguments: [AdvertisingType.directedHighDuty, .directedLowDuty])
  func directed(type: AdvertisingType) throws {
    let stage = Stage()
    let advertiser = stage.add()
    let target = stage.add()
    let other = stage.add()
    for host in stage.hosts { try host.bringUp() }
    try advertiser.status(
      LESetAdvertisingParameters {
        $0.advertisingType = type
        $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0002)
      })
    try advertiser.status(LESetAdvertisingEnable { $0.enable = true })
    let create = LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001) }
    try other.begin(create)
    stage.run(.milliseconds(600))
    #expect(other.connections.isEmpty)
    try target.begin(create)
    stage.run(.seconds(5))
    #expect(target.connections.map(\.status) == [.success])
    #expect(other.connections.isEmpty)
  }

  @Test(
    "disconnecting: the peer gets the reason, this side 0x16",
    arguments: [
      AirConfiguration.Timing.linkLayer, .immediate,
    ], [ErrorCode.remoteUserTerminatedConnection, .remoteDeviceTerminatedPowerOff])
  func disconnect(timing: AirConfiguration.Timing, reason: ErrorCode) throws {
    for fromCentral in [true, false] {
      let stage = Stage(timing: timing)
      let pair = try stage.connected()
      let (host, handle) = fromCentral ? (pair.central, pair.atCentral) : (pair.peripheral, pair.atPeripheral)
      let peer = fromCentral ? pair.peripheral : pair.central
      let command = HCIDisconnect {
        $0.connectionHandle.rawValue = handle
        $0.reason = reason
      }
      #expect(try host.begin(command) == .success)
      stage.run(.milliseconds(100))
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.connectionTerminatedByLocalHost])
      #expect(peer.all(HCIDisconnectionComplete.self).map(\.reason) == [reason])
      #expect(try host.begin(command) == .unknownConnectionIdentifier)
      stage.run(.seconds(5))
      #expect(stage.air.nextDeadline == nil)
    }
  }

  @Test("an invalid disconnection reason, and an unknown handle")
  func badDisconnect() throws {
    let stage = Stage()
    let pair = try stage.connected()
    let bad = HCIDisconnect {
      $0.connectionHandle.rawValue = pair.atCentral
      $0.reason = .connectionTimeout
    }
    #expect(try pair.central.begin(bad) == .invalidHCICommandParameters)
    #expect(
      try pair.central.begin(HCIDisconnect { $0.connectionHandle.rawValue = 0x0EFF }) == .unknownConnectionIdentifier)
  }

  @Test("a connection request that the advertiser misses fails with 0x3E after six intervals")
  func notEstablished() throws {
    let stage = Stage()
    let peripheral = stage.add()
    let central = stage.add()
    for host in stage.hosts { try host.bringUp() }
    stage.air.setPacketLoss(from: central.id, to: peripheral.id, fraction: 1)
    try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001) })
    stage.run(.seconds(4))
    let made = try #require(central.timed(LEEnhancedConnectionComplete.self).first)
    let lost = try #require(central.timed(HCIDisconnectionComplete.self).first)
    #expect(made.event.status == .success)
    #expect(lost.event.reason == .connectionFailedToBeEstablished)
    #expect(lost.at - made.at == .milliseconds(180) + .microseconds(1250))
    #expect(peripheral.connections.isEmpty)
    // The advertiser has not stopped.
    stage.air.setPacketLoss(from: central.id, to: peripheral.id, fraction: 0)
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001) })
    stage.run(.seconds(4))
    #expect(peripheral.connections.map(\.status) == [.success])
  }

  @Test("a reset drops links silently; the peer detects it by its supervision timeout")
  func reset() throws {
    let stage = Stage()
    let pair = try stage.connected(timeout: 50)
    stage.run(.milliseconds(95))
    pair.central.forget()
    let begin = stage.air.now
    try pair.central.bringUp()
    stage.run(.seconds(2))
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
    let lost = try #require(pair.peripheral.timed(HCIDisconnectionComplete.self).first)
    #expect(lost.event.reason == .connectionTimeout)
    #expect((Duration.milliseconds(465)...Duration.milliseconds(500)).contains(lost.at - begin))
    #expect(stage.air.nextDeadline == nil)
  }
}
