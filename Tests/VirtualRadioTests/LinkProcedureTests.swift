import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Link-layer procedures", .serialized)
struct LinkProcedureTests {
  static let timings: [AirConfiguration.Timing] = [.linkLayer, .immediate]

  @Test("features and versions of the peer, from both sides, and again from the cache", arguments: timings)
  func capabilities(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(peripheral: .zephyrHCIUART)
    for (host, handle) in [(pair.central, pair.atCentral), (pair.peripheral, pair.atPeripheral)] {
      for _ in 0..<2 {
        host.forget()
        #expect(try host.begin(LEReadRemoteFeatures { $0.connectionHandle.rawValue = handle }) == .success)
        #expect(try host.begin(HCIReadRemoteVersionInformation { $0.connectionHandle.rawValue = handle }) == .success)
        stage.run(.milliseconds(300))
        #expect(host.all(LEReadRemoteFeaturesComplete.self).map(\.status) == [.success])
        #expect(host.all(HCIReadRemoteVersionInformationComplete.self).count == 1)
      }
    }
    let features = try #require(pair.central.all(LEReadRemoteFeaturesComplete.self).first).features
    #expect(features.contains([.connectionParametersRequest, .phy2M]))
    #expect(!features.contains(.phyCoded))
    let version = try #require(pair.central.all(HCIReadRemoteVersionInformationComplete.self).first)
    #expect(version.manufacturer == .zephyr)
    #expect(version.version == .v5_3)
  }

  @Test("A shorter supervision timeout applies from its instant on", arguments: timings)
  func shorterSupervision(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected(timeout: 1000)
    // Packets may be lost, so both ends are supervised from the beginning.
    stage.air.setDefaultImpairment(PathImpairment(loss: .pattern([false, false, true])))
    stage.run(.seconds(1))
    _ = try pair.central.begin(
      LEConnectionUpdate {
        $0.connectionHandle.rawValue = pair.atCentral
        $0.intervalMinimum.rawValue = 24
        $0.intervalMaximum.rawValue = 24
        $0.supervisionTimeout.rawValue = 100
      })
    stage.run(.seconds(2))
    #expect(pair.central.all(LEConnectionUpdateComplete.self).count == 1)
    stage.air.setDefaultImpairment(PathImpairment(isReachable: false))
    let begin = stage.air.now
    stage.run(.seconds(15))
    for end in [pair.central, pair.peripheral] {
      let lost = try #require(end.timed(HCIDisconnectionComplete.self).first)
      #expect(lost.event.reason == .connectionTimeout)
      #expect((Duration.milliseconds(800)...Duration.milliseconds(1000)).contains(lost.at - begin))
    }
  }

  @Test("the central changes the timing; both hosts are informed once, at the instant", arguments: timings)
  func update(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    let update = LEConnectionUpdate {
      $0.connectionHandle.rawValue = pair.atCentral
      $0.intervalMinimum.rawValue = 80
      $0.intervalMaximum.rawValue = 90
      $0.maximumLatency = 2
      $0.supervisionTimeout.rawValue = 300
    }
    #expect(try pair.central.begin(update) == .success)
    stage.run(.seconds(2))
    let told = [pair.central, pair.peripheral].map { $0.timed(LEConnectionUpdateComplete.self) }
    for events in told {
      #expect(events.map(\.event.status) == [.success])
      #expect(events.map(\.event.interval.rawValue) == [80])
      #expect(events.map(\.event.latency) == [2])
      #expect(events.map(\.event.supervisionTimeout.rawValue) == [300])
    }
    #expect(told[0][0].at == told[1][0].at)
    // A request for the current parameters is confirmed only to the host that made it.
    #expect(try pair.central.begin(update) == .success)
    stage.run(.seconds(2))
    #expect(pair.central.all(LEConnectionUpdateComplete.self).count == 2)
    #expect(pair.peripheral.all(LEConnectionUpdateComplete.self).count == 1)
    stage.run(.seconds(10))
    #expect(pair.central.all(HCIDisconnectionComplete.self).isEmpty)
  }

  @Test("the peripheral makes a request, the central's host answers", arguments: timings, [true, false])
  func parameterRequest(timing: AirConfiguration.Timing, isAccepted: Bool) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    let ask = LEConnectionUpdate {
      $0.connectionHandle.rawValue = pair.atPeripheral
      $0.intervalMinimum.rawValue = 12
      $0.intervalMaximum.rawValue = 24
      $0.supervisionTimeout.rawValue = 200
    }
    #expect(try pair.peripheral.begin(ask) == .success)
    stage.run(.milliseconds(200))
    let request = try #require(pair.central.all(LERemoteConnectionParameterRequest.self).first)
    #expect(request.connectionHandle.rawValue == pair.atCentral)
    #expect(request.intervalMinimum.rawValue == 12 && request.intervalMaximum.rawValue == 24)
    if isAccepted {
      let reply = LERemoteConnectionParameterRequestReply {
        $0.connectionHandle = request.connectionHandle
        $0.intervalMinimum = request.intervalMinimum
        $0.intervalMaximum = request.intervalMaximum
        $0.timeout = request.timeout
      }
      #expect(try pair.central.status(reply) == .success)
      #expect(try pair.central.status(reply) == .commandDisallowed)
    } else {
      #expect(
        try pair.central.status(
          LERemoteConnectionParameterRequestNegativeReply { $0.connectionHandle = request.connectionHandle })
          == .success)
    }
    stage.run(.seconds(2))
    let told = pair.peripheral.all(LEConnectionUpdateComplete.self)
    #expect(told.map(\.status) == [isAccepted ? .success : .unacceptableConnectionParameters])
    #expect(told.map(\.interval.rawValue) == [isAccepted ? 12 : 24])
    #expect(pair.central.all(LEConnectionUpdateComplete.self).count == (isAccepted ? 1 : 0))
  }

  @Test("a central's host that masks the event refuses thereby")
  func maskedParameterRequest() throws {
    let stage = Stage()
    let pair = try stage.connected()
    try pair.central.status(
      LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max).subtracting(.remoteConnectionParameterRequest) })
    try pair.peripheral.begin(
      LEConnectionUpdate {
        $0.intervalMinimum.rawValue = 12
        $0.intervalMaximum.rawValue = 24
        $0.supervisionTimeout.rawValue = 200
      })
    stage.run(.seconds(1))
    #expect(pair.peripheral.all(LEConnectionUpdateComplete.self).map(\.status) == [.unsupportedRemoteFeature])
  }

  @Test("the data length becomes the maximum of both sides, and both hosts learn of the change", arguments: timings)
  func dataLength(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    var half = ControllerConfiguration.full
    half.maximumDataOctets = 120
    half.maximumDataTime = 1072
    let pair = try stage.connected(peripheral: half)
    let command = LESetDataLength {
      $0.connectionHandle.rawValue = pair.atCentral
      $0.txOctets = 251
      $0.txTime = 2120
    }
    for _ in 0..<2 {
      #expect(try pair.central.status(command) == .success)
      stage.run(.milliseconds(300))
    }
    let atCentral = pair.central.all(LEDataLengthChange.self)
    let atPeripheral = pair.peripheral.all(LEDataLengthChange.self)
    #expect(atCentral.map(\.maximumTxOctets) == [120])
    #expect(atCentral.map(\.maximumTxTime) == [1072])
    #expect(atCentral.map(\.maximumRxOctets) == [27])
    #expect(atPeripheral.map(\.maximumRxOctets) == [120])
    #expect(atPeripheral.map(\.maximumTxOctets) == [27])
    #expect(try pair.central.status(LESetDataLength { $0.txOctets = 26 }) == .invalidHCICommandParameters)
    #expect(
      try pair.central.status(LESetDataLength { $0.connectionHandle.rawValue = 0x123 }) == .unknownConnectionIdentifier)
  }

  @Test("a previously suggested default data length makes the controller request it by itself")
  func suggestedDataLength() throws {
    let stage = Stage()
    let central = stage.add()
    let peripheral = stage.add()
    for host in stage.hosts {
      try host.bringUp()
      try host.status(
        LEWriteSuggestedDefaultDataLength {
          $0.maximumTxOctets = 200; $0.maximumTxTime = 2120
        })
    }
    try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0002) })
    stage.run(.seconds(3))
    for host in stage.hosts {
      let change = try #require(host.all(LEDataLengthChange.self).last)
      #expect(change.maximumTxOctets == 200 && change.maximumRxOctets == 200)
    }
  }

  @Test("a suggestion above the controller's maximum counts as the maximum")
  func suggestionTooLong() throws {
    let stage = Stage()
    let peripheral = stage.add()
    let central = stage.add(.zephyrHCIUART)
    for host in stage.hosts { try host.bringUp() }
    try central.status(
      LEWriteSuggestedDefaultDataLength {
        $0.maximumTxOctets = 251
        $0.maximumTxTime = 2120
      })
    #expect(try central.call(LEReadSuggestedDefaultDataLength()).maximumTxOctets == 251)
    try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0001) })
    stage.run(.seconds(3))
    #expect(central.connections.count == 1)
    #expect(central.all(LEDataLengthChange.self).isEmpty)
    try peripheral.status(
      LESetDataLength {
        $0.txOctets = 251
        $0.txTime = 2120
      })
    stage.run(.seconds(1))
    #expect(central.all(LEDataLengthChange.self).isEmpty)
  }

  @Test("the same command twice in a row is reported twice, or refused", arguments: timings)
  func twice(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    for host in [pair.central, pair.peripheral] { host.forget() }
    let update = LEConnectionUpdate {
      $0.connectionHandle.rawValue = pair.atCentral
      $0.intervalMinimum.rawValue = 40
      $0.intervalMaximum.rawValue = 40
      $0.supervisionTimeout.rawValue = 300
    }
    let phy = LESetPHY {
      $0.connectionHandle.rawValue = pair.atCentral
      $0.txPHYs = .le2M
      $0.rxPHYs = .le2M
    }
    for _ in 0..<2 {
      #expect(try pair.central.begin(update) == .success)
      #expect(try pair.central.begin(phy) == .success)
    }
    stage.run(.seconds(5))
    #expect(pair.central.all(LEConnectionUpdateComplete.self).map(\.status) == [.success, .success])
    #expect(pair.central.all(LEPHYUpdateComplete.self).map(\.status) == [.success, .success])
    #expect(pair.peripheral.all(LEConnectionUpdateComplete.self).count == 1)
    #expect(pair.peripheral.all(LEPHYUpdateComplete.self).count == 1)
    if timing == .linkLayer {
      let features = LEReadRemoteFeatures { $0.connectionHandle.rawValue = pair.atCentral }
      #expect(try pair.central.begin(features) == .success)
      #expect(try pair.central.begin(features) == .commandDisallowed)
      let version = HCIReadRemoteVersionInformation { $0.connectionHandle.rawValue = pair.atCentral }
      #expect(try pair.central.begin(version) == .success)
      #expect(try pair.central.begin(version) == .commandDisallowed)
    }
  }

  @Test("both directions of the PHY change, or one", arguments: timings)
  func phy(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    #expect(
      try pair.peripheral.begin(
        LESetPHY {
          $0.connectionHandle.rawValue = pair.atPeripheral
          $0.txPHYs = .le2M
          $0.rxPHYs = .le1M
        }) == .success)
    stage.run(.seconds(1))
    #expect(pair.peripheral.all(LEPHYUpdateComplete.self).map { [$0.txPHY, $0.rxPHY] } == [[.le2M, .le1M]])
    #expect(pair.central.all(LEPHYUpdateComplete.self).map { [$0.txPHY, $0.rxPHY] } == [[.le1M, .le2M]])
    let read = try pair.central.call(LEReadPHY { $0.connectionHandle.rawValue = pair.atCentral })
    #expect(read.txPHY == .le1M && read.rxPHY == .le2M)
    // Nothing changes: only the host that made the request is informed.
    #expect(
      try pair.central.begin(
        LESetPHY {
          $0.connectionHandle.rawValue = pair.atCentral
          $0.txPHYs = .le1M
          $0.rxPHYs = .le2M
        }) == .success)
    stage.run(.seconds(1))
    #expect(pair.central.all(LEPHYUpdateComplete.self).count == 2)
    #expect(pair.peripheral.all(LEPHYUpdateComplete.self).count == 1)
    pair.central.sendData(pair.atCentral, [9])
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.map(\.octets) == [[9]])
  }

  @Test("a peer without other PHYs, or a PHY that this controller does not support")
  func unsupportedPHY() throws {
    let stage = Stage()
    var old = ControllerConfiguration.full
    old.features.subtract([.phy2M, .phyCoded])
    let pair = try stage.connected(peripheral: old)
    try pair.central.begin(
      LESetPHY {
        $0.txPHYs = .le2M; $0.rxPHYs = .le2M
      })
    stage.run(.seconds(1))
    #expect(pair.central.all(LEPHYUpdateComplete.self).map(\.status) == [.unsupportedRemoteFeature])
    #expect(try pair.peripheral.begin(LESetPHY()) == .unknownHCICommand)
    #expect(try pair.central.begin(LESetPHY()) == .invalidHCICommandParameters)
    let other = try Stage().connected(peripheral: .zephyrHCIUART)
    let coded = LESetPHY {
      $0.txPHYs = .leCoded
      $0.rxPHYs = .le1M
    }
    #expect(try other.peripheral.begin(coded) == .unsupportedFeatureOrParameterValue)
  }

  @Test("the central's host removes channels from the map; the peripheral follows")
  func channelMap() throws {
    let stage = Stage()
    let pair = try stage.connected()
    try pair.central.status(LESetHostChannelClassification { $0.channelMap = ChannelMap(bits: 0xFF) })
    stage.run(.seconds(1))
    for (host, handle) in [(pair.central, pair.atCentral), (pair.peripheral, pair.atPeripheral)] {
      let map = try host.call(LEReadChannelMap { $0.connectionHandle.rawValue = handle })
      #expect(map.channelMap.bits == 0xFF)
      #expect(map.connectionHandle.rawValue == handle)
    }
    let none = LESetHostChannelClassification { $0.channelMap = ChannelMap(bits: 0) }
    #expect(try pair.central.status(none) == .invalidHCICommandParameters)
  }

  @Test("simultaneous procedures of both sides all complete", arguments: timings)
  func collisions(timing: AirConfiguration.Timing) throws {
    let stage = Stage(timing: timing)
    let pair = try stage.connected()
    for (host, handle) in [(pair.central, pair.atCentral), (pair.peripheral, pair.atPeripheral)] {
      try host.begin(
        LESetPHY {
          $0.connectionHandle.rawValue = handle; $0.txPHYs = .le2M; $0.rxPHYs = .le2M
        })
      try host.begin(
        LEConnectionUpdate {
          $0.connectionHandle.rawValue = handle
          $0.intervalMinimum.rawValue = 16
          $0.intervalMaximum.rawValue = 16
          $0.supervisionTimeout.rawValue = 200
        })
      try host.status(
        LESetDataLength {
          $0.connectionHandle.rawValue = handle; $0.txOctets = 251; $0.txTime = 2120
        })
      try host.begin(LEReadRemoteFeatures { $0.connectionHandle.rawValue = handle })
      try host.begin(HCIReadRemoteVersionInformation { $0.connectionHandle.rawValue = handle })
    }
    stage.run(.seconds(5))
    if let request = pair.central.all(LERemoteConnectionParameterRequest.self).last {
      try pair.central.status(
        LERemoteConnectionParameterRequestNegativeReply { $0.connectionHandle = request.connectionHandle })
    }
    // Long enough that no answer is awaited any more.
    stage.run(.seconds(45))
    for host in [pair.central, pair.peripheral] {
      #expect(!host.all(LEPHYUpdateComplete.self).isEmpty)
      #expect(!host.all(LEConnectionUpdateComplete.self).isEmpty)
      #expect(host.all(LEDataLengthChange.self).last?.maximumTxOctets == 251)
      #expect(host.all(LEReadRemoteFeaturesComplete.self).count == 1)
      #expect(host.all(HCIReadRemoteVersionInformationComplete.self).count == 1)
      #expect(host.all(HCIDisconnectionComplete.self).isEmpty)
    }
    let read = try pair.central.call(LEReadPHY { $0.connectionHandle.rawValue = pair.atCentral })
    #expect(read.txPHY == .le2M && read.rxPHY == .le2M)
    #expect(stage.air.nextDeadline == nil)
  }
}
