import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation
import Testing
import VirtualRadio

/// This project's central over BR/EDR, and a device without a host that it calls.
struct CallingScene {
  let simulation = RadioSimulation()
  let central: ScriptedCentral
  let device: ClassicResponder
  /// The device's address.
  static let address = DeviceAddress(bits: 0x00A0_9608_0001)
  /// The device's CID of each channel.
  static let end = ChannelID(rawValue: 0x70)

  /// Creates both on the air. The device scans if `isFound` says so; with `isSecure`, its host supports Secure Connections.
  init(
    _ security: PairingPolicy = .pairable(.offered, .displayYesNo), on controller: ControllerConfiguration = .dual,
    isSecure: Bool = true, isFound: Bool = true
  ) throws {
    let address = DeviceAddress(bits: 0x00A0_9608_0002)
    var configuration = CentralConfiguration(name: "Phone")
    configuration.security = security
    central = try simulation.addDualCentral(configuration, address: address)
    central.user = .accepts()
    let id = simulation.air.addController(configuration: controller.with(publicAddress: Self.address))
    device = try ClassicResponder(on: simulation, id, for: address)
    simulation.add(device)
    try device.start(isSecure: isSecure)
    if isFound { try device.scan() }
    try central.start()
  }

  /// Connects, and returns the central's name for the link.
  func connect() throws -> ConnectionHandle {
    let link = try central.page(InquiredDevice(Self.address))
    simulation.run(for: .milliseconds(200))
    return link
  }

  // MARK: Signalling

  /// Sends signalling in hexadecimal.
  func signal(_ packet: String) throws { try device.send(packet, on: .classicSignalling) }

  /// Returns the octets of the central's next signalling packet with that code; nil if none arrives within that time.
  func next(_ code: SignallingCode, within limit: Duration = .seconds(2)) -> [UInt8]? {
    let fits = { (frame: RawDevice.Frame) in
      frame.channel == .classicSignalling && frame.payload.first == code.rawValue
    }
    simulation.run(until: { device.frames.contains(where: fits) }, limit: limit)
    return device.frames.firstIndex(where: fits).map { device.frames.remove(at: $0).payload }
  }

  /// A request of the central for a channel.
  struct ChannelRequest {
    var identifier: UInt8
    var psm: UInt16
    var source: UInt16

    /// The CID on the central's side, as octets in hexadecimal.
    var id: String { source.littleEndianOctets.hexadecimal }
  }

  /// Returns the central's next request for a channel.
  func channelRequest(within limit: Duration = .seconds(2)) throws -> ChannelRequest {
    let found = next(.connectionRequest, within: limit)
    let octets = try #require(found)
    try #require(octets.count == 8)
    return ChannelRequest(
      identifier: octets[1], psm: UInt16(octets[4]) | UInt16(octets[5]) << 8,
      source: UInt16(octets[6]) | UInt16(octets[7]) << 8)
  }

  /// Accepts a channel, by a response with this identifier.
  func accept(_ request: ChannelRequest, identifier: UInt8? = nil) throws {
    try signal("03 \([identifier ?? request.identifier].hexadecimal) 0800 7000 \(request.id) 0000 0000")
  }

  /// Accepts the central's request for the configuration of a channel, with options, and returns the request's octets.
  @discardableResult
  func acceptConfiguration(of request: ChannelRequest, _ options: String = "") throws -> [UInt8] {
    let found = next(.configurationRequest)
    let octets = try #require(found)
    let count = try #require([UInt8](hexadecimal: options)).count
    try signal("05 \([octets[1]].hexadecimal) \([UInt8(6 + count)].hexadecimal)00 \(request.id) 0000 0000 \(options)")
    return octets
  }

  /// Requests a configuration of a channel, and returns the central's response: flags, result and options.
  func configure(_ request: ChannelRequest, _ options: String = "", identifier: UInt8 = 0x60) throws -> String {
    let count = try #require([UInt8](hexadecimal: options)).count
    try signal("04 \([identifier].hexadecimal) \([UInt8(4 + count)].hexadecimal)00 \(request.id) 0000 \(options)")
    let found = next(.configurationResponse)
    let octets = try #require(found)
    #expect(octets[1] == identifier && Array(octets[4..<6]) == Self.end.rawValue.littleEndianOctets)
    return octets[6...].hexadecimal
  }

  /// Accepts the central's next request for a channel, and configures the channel.
  func open() throws -> ChannelRequest {
    let request = try channelRequest()
    try accept(request)
    try acceptConfiguration(of: request)
    #expect(try configure(request).hasPrefix("00000000"))
    return request
  }
}
