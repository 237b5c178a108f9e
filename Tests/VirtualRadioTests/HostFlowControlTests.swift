import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// Core 5.4 Vol 4 Part E 4.2, 7.3.38 to 7.3.40.
@Suite("Flow control from the controller to its host")
struct HostFlowControlTests {
  static let presets = CommandConformanceTests.presets
  static let timings = DataTests.timings

  private static let on = HCISetControllerToHostFlowControl { $0.flowControl = .acl }

  private static func size(_ count: UInt16, length: UInt16 = 251) -> HCIHostBufferSize {
    HCIHostBufferSize {
      $0.aclDataPacketLength = length
      $0.totalACLDataPackets = count
    }
  }

  private static func returned(_ entries: (handle: UInt16, count: UInt16)...) -> [UInt8] {
    HCIHostNumberOfCompletedPackets {
      $0.completed = entries.map { CompletedPackets(ConnectionHandle(rawValue: $0.handle), count: $0.count) }
    }.h4
  }

  private func preset(_ name: String) throws -> ControllerConfiguration {
    try #require(ControllerConfiguration.named(name)).conforming
  }

  private func knowsFlowControl(_ preset: String) -> Bool { preset != "nimble" }

  /// Returns a peripheral linked to centrals, after its host has announced buffers, and the peripheral's handles in the order of the centrals.
  private func scene(
    _ buffers: UInt16, length: UInt16 = 251, on configuration: ControllerConfiguration = .full, centrals: Int = 1,
    timing: AirConfiguration.Timing = .linkLayer
  ) throws -> (stage: Stage, peripheral: ScriptedHost, centrals: [ScriptedHost]) {
    let stage = Stage(timing: timing)
    let peripheral = stage.add(configuration)
    let centrals = (0..<centrals).map { _ in stage.add() }
    for host in stage.hosts { try host.bringUp() }
    #expect(try peripheral.status(Self.size(buffers, length: length)) == .success)
    #expect(try peripheral.status(Self.on) == .success)
    let address = DeviceAddress.randomStatic(from: 0x77)
    try peripheral.status(LESetRandomAddress { $0.address = address })
    try peripheral.status(LESetAdvertisingParameters { $0.ownAddressType = .random })
    for (number, central) in centrals.enumerated() {
      try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
      try central.begin(
        LECreateConnection {
          $0.peerAddressType = .random
          $0.peerAddress = address
        })
      #expect(stage.run { peripheral.connectionHandles.count == number + 1 })
    }
    // Lets the link layers finish their initial procedures.
    stage.run(.seconds(1))
    return (stage, peripheral, centrals)
  }

  @Test("packets are split to fit the host's buffers", arguments: timings)
  func shortBuffers(timing: AirConfiguration.Timing) throws {
    let (stage, peripheral, centrals) = try scene(9, length: 10, timing: timing)
    let handle = try #require(centrals[0].connectionHandles.first)
    let octets = (0..<24).map { UInt8($0) }
    centrals[0].sendData(handle, octets)
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.octets.count) == [10, 10, 4])
    #expect(peripheral.data.flatMap(\.octets) == octets)
    #expect(peripheral.data.map(\.boundary) == [.firstFromController, .continuing, .continuing])
  }

  // MARK: The commands

  @Test("either all three commands are in the mask, or none", arguments: presets)
  func mask(name: String) throws {
    let mask = try Stage().add(preset(name)).call(HCIReadLocalSupportedCommands()).supportedCommands
    for opcode: CommandOpcode in [.setControllerToHostFlowControl, .hostBufferSize, .hostNumberOfCompletedPackets] {
      #expect(mask.contains(opcode) == knowsFlowControl(name), "\(opcode)")
    }
  }

  @Test("Host Buffer Size accepts any number of buffers of any length", arguments: presets)
  func bufferSizes(name: String) throws {
    let host = try Stage().add(preset(name))
    guard knowsFlowControl(name) else { return }
    try host.bringUp()
    let cases: [(count: UInt16, length: UInt16, status: ErrorCode)] = [
      (0, 251, .invalidHCICommandParameters), (1, 0, .invalidHCICommandParameters), (1, 1, .success),
      (0xFFFF, 0xFFFF, .success), (64, 251, .success),
    ]
    for (count, length, status) in cases {
      #expect(try host.status(Self.size(count, length: length)) == status, "\(count) x \(length)")
    }
  }

  @Test(
    "flow control can be set only after Host Buffer Size, only for ACL data, and is off after a reset",
    arguments: presets)
  func setting(name: String) throws {
    let host = try Stage().add(preset(name))
    guard knowsFlowControl(name) else { return }
    try host.bringUp()
    #expect(try host.status(Self.on) == .commandDisallowed)
    #expect(try host.status(HCISetControllerToHostFlowControl()) == .success)
    #expect(try host.status(Self.size(2)) == .success)
    for (mode, status): (ControllerToHostFlowControl, ErrorCode) in [
      (.acl, .success), (.off, .success), (.synchronous, .unsupportedFeatureOrParameterValue),
      (.both, .unsupportedFeatureOrParameterValue), (.acl, .success),
    ] { #expect(try host.status(HCISetControllerToHostFlowControl { $0.flowControl = mode }) == status, "\(mode)") }
    try host.bringUp()
    #expect(try host.status(Self.on) == .commandDisallowed)
  }

  @Test("returning more buffers than the host has is refused, and nothing of the command counts", arguments: presets)
  func wrongCounts(name: String) throws {
    guard knowsFlowControl(name) else { return }
    let (stage, peripheral, centrals) = try scene(2, on: try preset(name))
    let handle = peripheral.connectionHandles[0]
    for number in UInt8(0)..<5 { centrals[0].sendData(0, [number]) }
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.octets) == [[0], [1]])
    let known = ConnectionHandle(rawValue: handle)
    let unknown = ConnectionHandle(rawValue: 0x0EEE)
    let cases: [(packet: [UInt8], fault: HostFault)] = [
      (Self.returned((handle, 3)), .tooManyBuffersReturned(known, excess: 1)),
      (Self.returned((handle, 2), (handle, 1)), .tooManyBuffersReturned(known, excess: 1)),
      (Self.returned((handle, 0xFFFF)), .tooManyBuffersReturned(known, excess: 0xFFFD)),
      (Self.returned((0x0EEE, 1)), .buffersOfUnknownConnection(unknown)),
      (Self.returned((handle, 1), (0x0EEE, 0)), .buffersOfUnknownConnection(unknown)),
    ]
    for (packet, fault) in cases {
      peripheral.forget()
      peripheral.send(packet)
      #expect(
        peripheral.all(HCICommandComplete.self).map(\.opcode) == [.hostNumberOfCompletedPackets])
      #expect(peripheral.statuses == [.invalidHCICommandParameters])
      #expect(stage.air.takeHostFaults(of: peripheral.id) == [fault])
      stage.run(.milliseconds(100))
      #expect(peripheral.data.isEmpty)
    }
    peripheral.forget()
    peripheral.send(Self.returned((handle, 1), (handle, 1)))
    peripheral.send(Self.returned())
    stage.run(.milliseconds(100))
    #expect(peripheral.data.map(\.octets) == [[2], [3]])
    #expect(peripheral.statuses == [])
  }

  @Test("without flow control, returning buffers is disallowed, and data arrives unlimited", arguments: presets)
  func off(name: String) throws {
    guard knowsFlowControl(name) else { return }
    let stage = Stage()
    let pair = try stage.connected(peripheral: try preset(name))
    for number in UInt8(0)..<16 { pair.central.sendData(pair.atCentral, [number]) }
    stage.run(.seconds(1))
    #expect(pair.peripheral.data.map(\.octets) == (UInt8(0)..<16).map { [$0] })
    pair.peripheral.forget()
    pair.peripheral.send(Self.returned((pair.atPeripheral, 1)))
    #expect(pair.peripheral.statuses == [.commandDisallowed])
  }

  // MARK: Holding back

  @Test("a host gets as many packets as it has buffers, until it returns some", arguments: timings)
  func limit(timing: AirConfiguration.Timing) throws {
    let (stage, peripheral, centrals) = try scene(2, timing: timing)
    for number in UInt8(0)..<5 { centrals[0].sendData(0, [number]) }
    stage.run(.seconds(1))
    #expect(peripheral.data.flatMap(\.octets) == [0, 1])
    peripheral.send(Self.returned((0, 1)))
    #expect(peripheral.data.flatMap(\.octets) == [0, 1, 2])
    peripheral.send(Self.returned((0, 2)))
    #expect(peripheral.data.flatMap(\.octets) == [0, 1, 2, 3, 4])
    #expect(try peripheral.status(Self.on) == .commandDisallowed)
    #expect(try peripheral.status(Self.size(9)) == .commandDisallowed)
  }

  @Test("a controller may use fewer buffers than its host has")
  func fewer() throws {
    var configuration = ControllerConfiguration.full
    configuration.maximumHostBuffers = 3
    let (stage, peripheral, centrals) = try scene(64, on: configuration)
    for number in UInt8(0)..<5 { centrals[0].sendData(0, [number]) }
    stage.run(.seconds(1))
    #expect(peripheral.data.flatMap(\.octets) == [0, 1, 2])
  }

  /// Core 5.4 Vol 6 Part B 4.5.9: the controller does not acknowledge data that it cannot buffer, so the peer keeps it.
  @Test("a host that returns no buffers holds up its peer, which loses nothing", arguments: timings)
  func hostThatTakesNothing(timing: AirConfiguration.Timing) throws {
    let (stage, peripheral, centrals) = try scene(2, timing: timing)
    let central = centrals[0]
    let buffers = Int(ControllerConfiguration.full.aclPacketCount)
    var sent: UInt8 = 0
    // Sends as many packets as the central's controller accepts, repeatedly: it can transfer only as many as the peripheral buffers.
    for _ in 0..<20 {
      while let held = stage.air.controller(central.id)?.heldPackets, held < buffers {
        central.sendData(0, [sent])
        sent += 1
      }
      stage.run(.seconds(1))
    }
    #expect(peripheral.data.flatMap(\.octets) == [0, 1])
    #expect(Int(sent) <= 2 + HostBuffers.room + buffers)
    for _ in 0..<Int(sent) {
      if peripheral.data.count < Int(sent) || Int(sent) - peripheral.data.count < 2 {
        peripheral.send(Self.returned((0, 1)))
      }
      stage.run(.milliseconds(200))
    }
    #expect(peripheral.data.flatMap(\.octets) == Array(0..<sent))
    #expect(stage.air.takeHostFaults(of: peripheral.id) == [])
  }

  @Test("the links share the buffers, which are counted for each link")
  func links() throws {
    let (stage, peripheral, centrals) = try scene(3, centrals: 2)
    for _ in 0..<4 { centrals[0].sendData(0, [10]) }
    stage.run(.seconds(1))
    for _ in 0..<4 { centrals[1].sendData(0, [20]) }
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.handle) == [0, 0, 0])
    peripheral.send(Self.returned((1, 1)))
    #expect(
      stage.air.takeHostFaults(of: peripheral.id) == [
        .tooManyBuffersReturned(ConnectionHandle(rawValue: 1), excess: 1)
      ])
    peripheral.send(Self.returned((0, 3)))
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.handle) == [0, 0, 0, 0, 1, 1])
    peripheral.send(Self.returned((1, 2), (0, 1)))
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.handle) == [0, 0, 0, 0, 1, 1, 1, 1])
  }

  @Test("the buffers of a link that ends are free at once, and waiting packets are dropped")
  func disconnection() throws {
    let (stage, peripheral, centrals) = try scene(3, centrals: 2)
    for _ in 0..<6 { centrals[0].sendData(0, [10]) }
    stage.run(.seconds(1))
    for number in UInt8(0)..<4 { centrals[1].sendData(0, [20 + number]) }
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.handle) == [0, 0, 0])
    peripheral.forget()
    try centrals[0].begin(HCIDisconnect { $0.reason = .remoteUserTerminatedConnection })
    #expect(stage.run { !peripheral.all(HCIDisconnectionComplete.self).isEmpty })
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.octets) == [[20], [21], [22]])
    // No buffers are owed for the ended link: returning some is an error.
    peripheral.send(Self.returned((0, 1)))
    #expect(peripheral.statuses == [.invalidHCICommandParameters])
    peripheral.send(Self.returned((1, 3)))
    stage.run(.seconds(1))
    #expect(peripheral.data.map(\.octets) == [[20], [21], [22], [23]])
  }
}
