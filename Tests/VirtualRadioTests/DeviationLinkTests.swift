import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

extension DeviationTests {
  // MARK: Links and data

  @Test("Disconnect for a handle without a link", arguments: [false, true])
  func disconnect(isOdd: Bool) throws {
    let host = try host(isOdd ? [.disallowsUnknownDisconnect] : []) { $0.maximumConnections = 4 }
    func disconnect(_ handle: UInt16) throws -> ErrorCode {
      try host.begin(HCIDisconnect { $0.connectionHandle.rawValue = handle })
    }
    #expect(try disconnect(3) == (isOdd ? .commandDisallowed : .unknownConnectionIdentifier))
    #expect(try disconnect(4) == .unknownConnectionIdentifier)
  }

  @Test(
    "commands with handle 0 from boot until HCI Reset, and again after a restart", arguments: [false, true])
  func firstHandle(isOdd: Bool) throws {
    var configuration = ControllerConfiguration.full
    configuration.deviations = isOdd ? [.knowsFirstHandleBeforeReset] : []
    let host = stage.add(configuration)
    func answers(_ handle: UInt16) throws -> [[UInt8]] {
      let handle = ConnectionHandle(rawValue: handle)
      let rssi = try host.call(HCIReadRSSI { $0.connectionHandle = handle })
      let phy = try host.call(LEReadPHY { $0.connectionHandle = handle })
      let map = try host.call(LEReadChannelMap { $0.connectionHandle = handle })
      guard rssi.status == .success else {
        return [rssi.status, phy.status, map.status].map { [$0.rawValue] }
      }
      #expect(rssi.connectionHandle == handle && phy.connectionHandle == handle && map.connectionHandle == handle)
      let channels = UInt8(truncatingIfNeeded: map.channelMap.bits)
      return [[UInt8(bitPattern: rssi.rssi)], [phy.txPHY.rawValue, phy.rxPHY.rawValue], [channels]]
    }
    let unknown: [[UInt8]] = [[2], [2], [2]]
    for _ in 0..<2 {
      #expect(try answers(0) == (isOdd ? [[0], [0, 0], [0]] : unknown))
      #expect(try answers(1) == unknown)
      #expect(try host.status(HCIReset()) == .success)
      #expect(try answers(0) == unknown)
      #expect(try answers(1) == unknown)
      stage.air.restartController(host.id, announcing: .silently)
    }
  }

  @Test("Disconnect twice", arguments: [false, true])
  func secondDisconnect(isLax: Bool) throws {
    var configuration = ControllerConfiguration.full
    configuration.deviations = isLax ? [.takesSecondDisconnect] : []
    let pair = try stage.connected(central: configuration)
    let disconnect = HCIDisconnect {
      $0.connectionHandle.rawValue = pair.atCentral
      $0.reason = .remoteUserTerminatedConnection
    }
    #expect(try pair.central.begin(disconnect) == .success)
    #expect(try pair.central.begin(disconnect) == (isLax ? .success : .commandDisallowed))
    stage.run(.seconds(2))
    #expect(pair.central.all(HCIDisconnectionComplete.self).count == 1)
  }

  @Test("data with flags that LE does not have uses up its buffer until the reset", arguments: [false, true])
  func badFlags(losesBuffers: Bool) throws {
    var configuration = ControllerConfiguration.full
    configuration.deviations = losesBuffers ? [.losesBufferOfBadFlags] : []
    configuration.aclPacketCount = 3
    let pair = try stage.connected(central: configuration)
    for _ in 0..<3 { pair.central.sendData(pair.atCentral, [1, 0, 4, 0, 9], boundary: .whole) }
    pair.central.sendData(pair.atCentral, [1, 0, 4, 0, 9])
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.count == (losesBuffers ? 0 : 1))
    #expect(pair.central.all(HCIDataBufferOverflow.self).count == (losesBuffers ? 1 : 0))
  }

  @Test("Host Buffer Size takes effect, although its status indicates an error")
  func hostBufferStatus() throws {
    let host = try host([.leavesHostBufferStatus])
    let size = HCIHostBufferSize {
      $0.aclDataPacketLength = 251
      $0.totalACLDataPackets = 9
    }
    #expect(try host.status(size) == .invalidHCICommandParameters)
    #expect(try host.status(HCISetControllerToHostFlowControl { $0.flowControl = .acl }) == .success)
    #expect(stage.air.controller(host.id)?.state.hostBufferLimit == 9)
  }

  @Test("a device that is not on the filter accept list", arguments: [false, true])
  func unlistedDevice(isStrict: Bool) throws {
    let host = try host(isStrict ? [.refusesUnlistedDevice] : [])
    #expect(
      try host.status(LERemoveDeviceFromFilterAcceptList())
        == (isStrict ? .unknownConnectionIdentifier : .success))
  }

  @Test("Host Buffer Size is accepted once before a reset", arguments: [false, true])
  func hostBufferSize(isStrict: Bool) throws {
    let host = try host(isStrict ? [.keepsHostBufferSize] : [])
    let size = HCIHostBufferSize {
      $0.aclDataPacketLength = 251
      $0.totalACLDataPackets = 9
    }
    #expect(try host.status(size) == .success)
    #expect(try host.status(size) == (isStrict ? .commandDisallowed : .success))
    #expect(try host.status(HCIReset()) == .success)
    #expect(try host.status(size) == .success)
  }

  @Test("the entries before the invalid one in Host Number Of Completed Packets count", arguments: [false, true])
  func hostBuffers(countsThem: Bool) throws {
    var configuration = ControllerConfiguration.full
    configuration.deviations = countsThem ? [.countsBuffersBeforeFault] : []
    let stage = Stage()
    let pair = try stage.connected(peripheral: configuration)
    let controller = try #require(stage.air.controller(pair.peripheral.id))
    controller.state.hostBufferCount = 2
    controller.state.hostFlowControl = true
    for _ in 0..<3 { pair.central.sendData(pair.atCentral, [1, 0, 4, 0, 9]) }
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.count == 2)
    pair.peripheral.send(
      HCIHostNumberOfCompletedPackets {
        $0.completed = [(pair.atPeripheral, 1), (0x0EFF, 1)].map {
          CompletedPackets(ConnectionHandle(rawValue: $0.0), count: UInt16($0.1))
        }
      }.h4)
    stage.run(.seconds(1))
    #expect(pair.peripheral.all(HCICommandComplete.self).last?.returnParameters == [0x12])
    #expect(controller.hostBuffers.usedCount == (countsThem ? 1 : 2))
  }

  // MARK: Commands

  @Test("parameters of the wrong length", arguments: [false, true])
  func parameterLength(isLax: Bool) throws {
    let host = try host(isLax ? [.ignoresParameterLength] : [])
    let packets: [[UInt8]] = [
      [0x01, 0x05, 0x20, 0x05, 0x01, 0x02, 0x03, 0x04, 0x05],
      [0x01, 0x05, 0x20, 0x07, 0x01, 0x02, 0x03, 0x04, 0x05, 0xC6, 0x07],
    ]
    for packet in packets {
      host.send(packet)
      #expect(host.all(HCICommandComplete.self).last?.returnParameters == [isLax ? 0x00 : 0x12])
      #expect(stage.air.takeHostFaults(of: host.id) == [.wrongParameterLength(.leSetRandomAddress)])
      let address = stage.air.controller(host.id)?.state.randomAddress
      #expect(address == (isLax ? DeviceAddress(bits: packet.count == 9 ? 0x05_0403_0201 : 0xC605_0403_0201) : nil))
    }
  }

  @Test("unknown commands are answered with Command Complete")
  func unknownCommand() throws {
    let host = try host([.completesUnknownCommands])
    host.send([0x01, 0x05, 0x10, 0x00])
    #expect(
      host.all(HCICommandComplete.self).last
        == HCICommandComplete {
          $0.opcode = .readBufferSize
          $0.returnParameters = [0x01]
        })
    #expect(host.all(HCICommandStatus.self).isEmpty)
  }

  // MARK: Assertions

  /// What the host receives from a controller that asserts.
  private static let nop: [UInt8] = [0x04, 0x0E, 0x03, 0x01, 0x00, 0x00]

  @Test("an octet that begins no packet resets a NimBLE controller")
  func packetType() throws {
    let host = stage.add(.nimble)
    try host.bringUp()
    try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 1) })
    let before = host.transcript.count
    host.send([0x55])
    #expect(Array(host.transcript[before...]) == Self.nop)
    #expect(stage.air.controller(host.id)?.state.randomAddress == nil)
    // It is in the state after power on.
    #expect(try host.status(HCIReset()) == .success)
    for octet in [UInt8(0x55), 0x05] {
      let zephyr = stage.add(.zephyrExtended)
      zephyr.send([octet, 0x00, 0x00, 0x00, 0x00])
      zephyr.send(HCIReset().h4)
      #expect(zephyr.all(HCICommandComplete.self).last?.opcode == .reset)
    }
  }

  @Test("a command before the answer to the previous one resets a NimBLE controller, but HCI Reset does not")
  func pipelining() throws {
    let host = stage.add(.nimble)
    host.send(HCIReset().h4 + HCIReset().h4)
    #expect(host.all(HCICommandComplete.self).map(\.opcode).suffix(2) == [.reset, .reset])
    let before = host.transcript.count
    host.send(HCIReadBDADDR().h4 + HCIReadBDADDR().h4)
    #expect(Array(host.transcript[before...]) == Self.nop)
    #expect(stage.air.takeHostFaults(of: host.id) == [.commandBeforeAnswer(.readBDADDR)])
    host.forget()
    let patient = stage.add()
    patient.send(HCIReadBDADDR().h4 + HCIReadBDADDR().h4)
    #expect(patient.all(HCICommandComplete.self).count == 2)
    #expect(stage.air.takeHostFaults(of: patient.id) == [.commandBeforeAnswer(.readBDADDR)])
  }

  @Test("of 14 commands at once, a Zephyr controller answers ten")
  func manyCommands() {
    let host = stage.add(.zephyrExtended)
    host.send(Array(repeating: HCIReadBDADDR().h4, count: 14).flatMap { $0 })
    #expect(host.all(HCICommandComplete.self).count == 10)
    host.send(HCIReadBDADDR().h4)
    #expect(host.all(HCICommandComplete.self).count == 11)
  }

  @Test("more data packets than buffers reset a NimBLE controller")
  func buffers() throws {
    let pair = try stage.connected(peripheral: .nimble)
    let before = pair.peripheral.transcript.count
    for _ in 0..<11 { pair.peripheral.sendData(pair.atPeripheral, [1, 0, 4, 0, 9]) }
    #expect(Array(pair.peripheral.transcript[before...]) == Self.nop)
    #expect(stage.run { !pair.central.all(HCIDisconnectionComplete.self).isEmpty })
  }

  @Test(
    "RootCanal aborts on a command that its mask has and that it cannot execute",
    arguments: [
      [0x01, 0x31, 0x0C, 0x01, 0x01], [0x01, 0x35, 0x0C, 0x01, 0x00], [0x01, 0x7B, 0x0C, 0x02, 0x00, 0x00],
      // The same after one with too few parameters.
      [0x01, 0x05, 0x20, 0x01, 0x01],
    ] as [[UInt8]])
  func death(packet: [UInt8]) throws {
    let pair = try stage.connected(peripheral: .rootcanal)
    let host = pair.peripheral
    let mask = try host.call(HCIReadLocalSupportedCommands()).supportedCommands
    #expect(mask.contains(CommandOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)))
    let before = host.transcript.count
    host.send(packet)
    for _ in 0..<3 { host.send(HCIReset().h4) }
    #expect(stage.run { !pair.central.all(HCIDisconnectionComplete.self).isEmpty })
    #expect(host.transcript.count == before)
    stage.air.restartController(host.id, announcing: .silently)
    #expect(try host.status(HCIReset()) == .success)
  }

  @Test("RootCanal's identification")
  func rootcanal() throws {
    let host = stage.add(.rootcanal)
    let version = try host.call(HCIReadLocalVersionInformation())
    #expect(version.manufacturer.rawValue == 0x00E0)
    #expect(version.hciVersion == .v5_3 && version.lmpVersion == .v5_3)
    #expect(version.hciSubversion == 0 && version.lmpSubversion == 0)
    #expect(try host.call(LEReadBufferSize()).aclDataPacketLength == 27)
    #expect(try host.call(LEReadBufferSize()).totalACLDataPackets == 20)
    #expect(try host.call(LEReadMaximumAdvertisingDataLength()).maximumLength == 512)
  }
}
