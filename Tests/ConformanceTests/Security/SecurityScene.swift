import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// The accessory of the security tests. Its service begins at a fixed handle, so that transcripts can name handles.
enum Guarded {
  /// Value 0012: for encrypted links.
  static let encrypted = CharacteristicIndex(0)
  /// Value 0014: for authenticated links.
  static let authenticated = CharacteristicIndex(1)
  /// Value 0016: for authenticated links with LE Secure Connections.
  static let secureConnections = CharacteristicIndex(2)
  /// Value 0018: for links with keys of 16 octets; longer than a response at the default MTU.
  static let longKey = CharacteristicIndex(3)
  /// Value 001A, configuration 001B: notified.
  static let notified = CharacteristicIndex(4)
  /// Value 001D, configuration 001E: indicated.
  static let indicated = CharacteristicIndex(5)
  static let encryptedPSM = SPSM(rawValue: 0x81)
  static let longKeyPSM = SPSM(rawValue: 0x82)
  static let passkey: UInt32 = 123_456

  static let service: ServiceDefinition = {
    func guarded(
      _ id: String, _ uuid: UInt16, _ requirement: AccessRequirement, value: [UInt8] = [7]
    ) -> CharacteristicDefinition {
      CharacteristicDefinition(
        id: id, uuid: BluetoothUUID(uuid), properties: [.read, .write],
        permissions: AttributePermissions(read: requirement, write: requirement), value: .stored(value),
        maximumLength: 40)
    }
    return ServiceDefinition(
      id: "guarded", uuid: BluetoothUUID(0xFFF0),
      characteristics: [
        guarded("encrypted", 0xFFF1, AccessRequirement(protection: .encrypted)),
        guarded("authenticated", 0xFFF2, AccessRequirement(protection: .authenticated)),
        guarded("secure-connections", 0xFFF3, AccessRequirement(protection: .secureConnections)),
        guarded(
          "long-key", 0xFFF4, AccessRequirement(protection: .encrypted, minimumKeySize: 16), value: [UInt8](1...40)),
        CharacteristicDefinition(
          id: "notified", uuid: BluetoothUUID(0xFFF5), properties: [.read, .notify], value: .asked),
        CharacteristicDefinition(
          id: "indicated", uuid: BluetoothUUID(0xFFF6), properties: [.read, .indicate], value: .asked),
      ], handle: 0x0010)
  }()

  static func configuration(_ security: PairingPolicy, requests: SecurityRequestTiming) -> HostConfiguration {
    let parameters = ChannelParameters(mtu: 100, mps: 50)
    var configuration = HostConfiguration(
      name: Specimen.name, identity: .fixedStatic(Specimen.address), advertising: [Specimen.advertising],
      services: [service], gatt: GATTPolicy(serviceChanged: .present, canBond: true, hasRobustCaching: true),
      channels: [
        PublishedChannel(
          psm: encryptedPSM, parameters: parameters, requirement: AccessRequirement(protection: .encrypted)),
        PublishedChannel(
          psm: longKeyPSM, parameters: parameters,
          requirement: AccessRequirement(protection: .encrypted, minimumKeySize: 16)),
      ])
    configuration.security = security
    configuration.securityRequests = requests
    return configuration
  }
}

extension PairingPolicy {
  /// Returns a device that pairs.
  static func pairable(
    _ generation: SecureConnectionsSupport = .offered, _ ioCapability: IOCapability = .noInputNoOutput,
    _ change: (inout PairingPolicy) -> Void = { _ in }
  ) -> PairingPolicy {
    var policy = PairingPolicy()
    policy.isPairable = true
    policy.ioCapability = ioCapability
    policy.secureConnections = generation
    policy.prefersAuthentication = ioCapability != .noInputNoOutput
    policy.fixedPasskey = Guarded.passkey
    change(&policy)
    return policy
  }
}

/// The accessory and a phone, connected; both users accept everything and type the right passkey.
final class SecurityScene {
  let simulation = RadioSimulation()
  let accessory: SpecimenAccessory
  let phone: ScriptedCentral
  private(set) var link: ConnectionHandle

  init(
    _ policy: PairingPolicy = .pairable(), phone phonePolicy: PairingPolicy = .pairable(),
    requests: SecurityRequestTiming = .never, phoneRequests: SecurityRequestTiming = .never,
    phoneServices: [ServiceDefinition] = []
  ) throws {
    accessory = try simulation.addSpecimen(Guarded.configuration(policy, requests: requests))
    var configuration = CentralConfiguration(randomAddress: .randomStatic(from: 0xF0E), services: phoneServices)
    configuration.security = phonePolicy
    configuration.securityRequests = phoneRequests
    configuration.identityResolvingKey = [UInt8](1...16)
    phone = try simulation.addCentral(configuration)
    accessory.user = .accepts(passkey: Guarded.passkey)
    phone.user = .accepts(passkey: Guarded.passkey)
    try phone.start()
    link = try phone.connect(to: Specimen.address)
  }

  /// Ends the link and connects again.
  func reconnect() throws {
    try phone.disconnect(link)
    simulation.run(until: { accessory.stack.linkStates.isEmpty })
    link = try phone.connect(to: Specimen.address)
  }

  /// Pairs, and returns the phone's bond.
  @discardableResult
  func pair(anew: Bool = false) throws -> Bond {
    guard case .paired(let bond, _) = try phone.pair(link, anew: anew) else {
      throw SimulationFailure.refused("not paired")
    }
    simulation.run(for: .milliseconds(100))
    return bond
  }

  /// Encrypts with the bond's key; returns whether that has succeeded.
  func encrypt() throws -> Bool {
    let isEncrypted = try phone.pair(link) == .encrypted
    simulation.run(for: .milliseconds(200))
    return isEncrypted
  }

  func handle(_ index: CharacteristicIndex) -> UInt16 { accessory.stack.server.database[index].value }

  /// Returns the error of reading a value; nil if it succeeds.
  func refusal(_ index: CharacteristicIndex) throws -> ATTErrorCode? {
    do {
      _ = try phone.read(handle(index), on: link)
      return nil
    } catch GATTFailure.refused(let code, _, _) { return code }
  }

  /// The accessory's link.
  var state: LinkState? { accessory.stack.linkStates.first }

  /// The reports of the accessory's Security Manager.
  var events: [SecurityEvent] {
    accessory.events.compactMap { if case .security(_, let event) = $0 { event } else { nil } }
  }

  /// The Security Requests that the phone has received.
  var requests: [PairingRequirements] {
    phone.events.compactMap { if case .security(_, .requested(let requirements)) = $0 { requirements } else { nil } }
  }

  /// The bond of the accessory.
  var bond: Bond? { accessory.stack.bonds.first?.bond }
}
