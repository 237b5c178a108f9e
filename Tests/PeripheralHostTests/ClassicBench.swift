import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Testing

/// A dual-mode accessory on a fake controller, and a peer over BR/EDR.
struct ClassicBench {
  static let handle: UInt16 = 0x0B
  static let peer = DeviceAddress(bits: 0x00A0_9608_1234)
  static let identity = TypedAddress(address: peer, isRandom: false)
  static let key = [UInt8](1...16)

  let bench: Bench

  /// Creates a host that is on the air.
  init(
    _ settings: ClassicSettings = ClassicSettings(name: "Dual"), script: ControllerScript = .dual,
    connection: ConnectionPolicy = ConnectionPolicy(), enhancedBearers: Int = 0,
    bond: Bond? = nil,
    _ change: (inout PairingPolicy) -> Void = { _ in }
  ) throws {
    var configuration = TestAccessory.configuration(identity: .publicAddress, connection: connection)
    configuration.classic = settings
    configuration.gatt.enhancedBearers = enhancedBearers
    configuration.security.isPairable = true
    change(&configuration.security)
    bench = try Bench(script, configuration)
    if let bond { bench.stack.bonds = [BondRecord(bond: bond)] }
    bench.start()
    try #require(bench.events.tags.contains { $0.hasPrefix("ready") })
  }

  /// Returns a bond with a link key of this strength.
  static func bond(isAuthenticated: Bool = true, isSecureConnections: Bool = true) -> Bond {
    let strength = KeyStrength(isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections, keySize: 16)
    var bond = Bond(peer: identity, strength: strength)
    bond.linkKey = key
    bond.linkKeyStrength = strength
    return bond
  }

  /// The opcodes of the commands since `forget`.
  var opcodes: [CommandOpcode] { bench.commands.map(\.opcode) }

  /// Returns the parameters of the last command with that opcode.
  func last(_ opcode: CommandOpcode) throws -> [UInt8] {
    try #require(bench.commands.last { $0.opcode == opcode }?.parameters)
  }

  func request(_ kind: BasebandLinkType = .acl) {
    bench.forget()
    bench.event(
      HCIConnectionRequest {
        $0.address = Self.peer
        $0.linkType = kind
      })
  }

  func connect(_ address: DeviceAddress = peer, _ handle: UInt16 = handle) {
    bench.event(
      HCIConnectionComplete {
        $0.connectionHandle.rawValue = handle
        $0.address = address
        $0.linkType = .acl
      })
    bench.forget()
  }

  func exchangeCapabilities(
    _ capability: SimplePairingIOCapability = .displayYesNo,
    _ requirements: AuthenticationRequirements = .generalBondingMITM
  ) {
    bench.event(
      HCIIOCapabilityResponse {
        $0.address = Self.peer
        $0.ioCapability = capability
        $0.requirements = requirements
      })
    bench.event(HCIIOCapabilityRequest { $0.address = Self.peer })
  }

  func confirm(_ number: UInt32 = 123_456) {
    bench.event(
      HCIUserConfirmationRequest {
        $0.address = Self.peer
        $0.number = NumericValue(rawValue: number)
      })
  }

  /// Ends a pairing with a key of that type.
  func complete(_ type: LinkKeyType, key: [UInt8] = key) {
    bench.event(HCISimplePairingComplete { $0.address = Self.peer })
    bench.event(
      HCILinkKeyNotification {
        $0.address = Self.peer
        $0.linkKey = key
        $0.type = type
      })
  }

  func encrypt() {
    bench.event(
      HCIEncryptionChange {
        $0.connectionHandle.rawValue = Self.handle
        $0.encryption = .on
      })
  }

  /// Pairs and encrypts.
  func pair(_ type: LinkKeyType = .authenticatedP256) {
    exchangeCapabilities()
    complete(type)
    encrypt()
  }

  // MARK: Channels

  /// Sends signalling, and returns the data of the answers.
  @discardableResult
  func signal(_ packet: some SignallingPacket, _ identifier: UInt8) -> [[UInt8]] {
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    let before = bench.frames.count
    bench.send(buffer.copy(), channel: 1, Self.handle)
    return bench.frames[before...].filter { $0.octets[2] == 1 }.map { Array($0.octets[4...]) }
  }

  /// Opens a channel to a PSM with CID 0x70 at the peer, and returns its CID at the accessory. The peer asks for further options.
  func open(_ psm: PSM, mtu: UInt16 = 100, options: [ConfigurationOption] = []) throws -> UInt16 {
    let answers = signal(ChannelConnectionRequest(psm: psm, source: ChannelID(rawValue: 0x70)), 1)
    let response = try #require(answers.first { $0[0] == SignallingCode.connectionResponse.rawValue })
    let local = UInt16(response[4]) | UInt16(response[5]) << 8
    try #require(response[8] == 0, "result \(response[8])")
    // The peer requests its configuration, upon which the accessory requests its own, and accepts that.
    let all = [ConfigurationOption(MTUOption(mtu: mtu))] + options
    signal(ConfigurationRequest(destination: ChannelID(rawValue: local), options: all), 2)
    let request = try #require(
      bench.frames.last { $0.octets[4] == SignallingCode.configurationRequest.rawValue }?.octets)
    signal(ConfigurationResponse(source: ChannelID(rawValue: local)), request[5])
    return local
  }

  /// Sends an SDU on a channel, and returns the SDUs that the accessory then sends to CID 0x70.
  @discardableResult
  func exchange(_ sdu: [UInt8], on channel: UInt16) -> [[UInt8]] {
    let before = bench.frames.count
    bench.send(sdu, channel: channel, Self.handle)
    return received(from: before)
  }

  /// Returns the SDUs that the accessory has sent to CID 0x70.
  func received(from start: Int = 0) -> [[UInt8]] {
    bench.frames[start...].filter { $0.handle == Self.handle && $0.octets[2] == 0x70 }.map { Array($0.octets[4...]) }
  }
}
