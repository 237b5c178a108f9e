import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import BLESMP
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The dual-mode accessory and a central of BR/EDR without a host.
struct ClassicScene {
  let simulation = RadioSimulation()
  let accessory: SpecimenAccessory
  var central: ClassicCentral

  static let settings = ClassicSettings(name: Specimen.name, classOfDevice: 0x24_0418)

  /// The accessory, and what a test changes of it.
  static func configuration(
    _ settings: ClassicSettings = settings, security: PairingPolicy = .pairable(.offered, .displayYesNo),
    _ change: (inout HostConfiguration) -> Void = { _ in }
  ) -> HostConfiguration {
    var configuration = Specimen.configuration(
      advertising: AdvertisingSetDefinition(id: "main", data: [2, 1, 2], secondaryPHY: .le1M))
    configuration.identity = .publicAddress
    configuration.classic = settings
    configuration.security = security
    change(&configuration)
    return configuration
  }

  /// Creates both on the air. With `isSecure`, the central's host supports Secure Connections.
  init(
    _ configuration: HostConfiguration = configuration(), on controller: ControllerConfiguration = .dual,
    isSecure: Bool = true
  ) throws {
    accessory = try simulation.addSpecimen(configuration, on: .dual)
    accessory.user = .accepts()
    let id = simulation.air.addController(configuration: controller)
    let address = try #require(simulation.air.configuration(of: accessory.controller)?.publicAddress)
    central = try ClassicCentral(on: simulation, id, for: address)
    simulation.add(central)
    try central.start(isSecure: isSecure)
  }

  /// Creates both, connected.
  static func connected(_ configuration: HostConfiguration = configuration()) throws -> ClassicScene {
    let scene = try ClassicScene(configuration)
    try scene.central.connect()
    return scene
  }

  /// The accessory's link over BR/EDR.
  var state: LinkState? { accessory.stack.linkStates.first { $0.details.transport == .classic } }

  /// The bond of the accessory.
  var bond: Bond? { accessory.stack.bonds.first?.bond }

  /// Ends the central's link and connects again.
  func reconnect() throws {
    try central.disconnect()
    try central.connect()
  }

  // MARK: Channels

  /// Sends signalling in hexadecimal, and returns the answers that arrive within a while.
  func signal(_ packet: String) throws -> [String] {
    central.frames.removeAll { $0.channel == .classicSignalling }
    try central.send(packet, on: .classicSignalling)
    simulation.run(for: .milliseconds(500))
    return signalling()
  }

  /// Returns the signalling that has arrived.
  func signalling() -> [String] {
    defer { central.frames.removeAll { $0.channel == .classicSignalling } }
    return central.frames.filter { $0.channel == .classicSignalling }.map(\.payload.hexadecimal)
  }

  /// Requests a channel with CID 0070 at the central, and returns the result and the accessory's CID, once it is not pending.
  func request(_ psm: PSM) throws -> (result: UInt16, channel: ChannelID)? {
    central.frames.removeAll { $0.channel == .classicSignalling }
    try central.send(
      [0x02, 1, 4, 0] + psm.rawValue.littleEndianOctets + [0x70, 0], on: .classicSignalling)
    let final = { (frame: RawDevice.Frame) in
      frame.channel == .classicSignalling && frame.payload.first == 0x03 && frame.payload[8] != 1
    }
    simulation.run(until: { central.link == nil || central.frames.contains(where: final) }, limit: .seconds(40))
    guard let octets = central.frames.first(where: final)?.payload else { return nil }
    let channel = ChannelID(rawValue: UInt16(octets[4]) | UInt16(octets[5]) << 8)
    return (UInt16(octets[8]) | UInt16(octets[9]) << 8, channel)
  }

  /// Requests a channel; both sides are then in configuration, and the accessory's request has been accepted if `accepts` says so. Returns
  /// the accessory's CID and the octets of its request.
  func configure(_ psm: PSM, accepts: Bool = true) throws -> (channel: ChannelID, request: [UInt8]) {
    let answer = try request(psm)
    let (result, channel) = try #require(answer)
    try #require(result == 0)
    simulation.run(until: { signallingCodes.contains(0x04) }, limit: .seconds(5))
    let request = try #require(
      central.frames.first { $0.channel == .classicSignalling && $0.payload.first == 0x04 }?.payload)
    if accepts {
      try central.send(
        [0x05, request[1], 6, 0] + channel.rawValue.littleEndianOctets + [0, 0, 0, 0], on: .classicSignalling)
    }
    return (channel, request)
  }

  private var signallingCodes: [UInt8] {
    central.frames.filter { $0.channel == .classicSignalling }.compactMap(\.payload.first)
  }

  /// Opens a channel with CID 0070 and that MTU at the central, and returns the accessory's CID.
  func open(_ psm: PSM, mtu: UInt16 = 672) throws -> ChannelID {
    let channel = try configure(psm).channel
    let request = [0x04, 2, 8, 0] + channel.rawValue.littleEndianOctets + [0, 0, 1, 2] + mtu.littleEndianOctets
    let answers = try signal(request.hexadecimal)
    try #require(answers.contains { $0.hasPrefix("0502") })
    return channel
  }
}
