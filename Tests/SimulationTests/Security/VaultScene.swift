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
import VirtualRadio

/// An accessory with values and channels that need every kind of security.
enum Vault {
  static let address = DeviceAddress.randomStatic(from: 0x7A17)
  static let identity = TypedAddress(address: address, isRandom: true)
  static let open = CharacteristicIndex(0)
  static let encrypted = CharacteristicIndex(1)
  static let authenticated = CharacteristicIndex(2)
  static let secureConnections = CharacteristicIndex(3)
  static let longKey = CharacteristicIndex(4)
  static let alarm = CharacteristicIndex(5)
  static let openPSM = SPSM(rawValue: 0x80)
  static let encryptedPSM = SPSM(rawValue: 0x81)
  static let authenticatedPSM = SPSM(rawValue: 0x82)
  static let longKeyPSM = SPSM(rawValue: 0x83)

  static let service: ServiceDefinition = {
    func guarded(_ id: String, _ uuid: UInt16, _ requirement: AccessRequirement) -> CharacteristicDefinition {
      CharacteristicDefinition(
        id: id, uuid: BluetoothUUID(uuid), properties: [.read, .write],
        permissions: AttributePermissions(read: requirement, write: requirement), value: .stored([UInt8(uuid & 0xFF)]))
    }
    return ServiceDefinition(
      id: "vault", uuid: BluetoothUUID(0xFFF0),
      characteristics: [
        guarded("open", 0xFFF1, .open),
        guarded("encrypted", 0xFFF2, AccessRequirement(protection: .encrypted)),
        guarded("authenticated", 0xFFF3, AccessRequirement(protection: .authenticated)),
        guarded("secure-connections", 0xFFF4, AccessRequirement(protection: .secureConnections)),
        guarded("long-key", 0xFFF5, AccessRequirement(protection: .encrypted, minimumKeySize: 16)),
        CharacteristicDefinition(
          id: "alarm", uuid: BluetoothUUID(0xFFF6), properties: [.read, .notify, .indicate],
          permissions: AttributePermissions(read: AccessRequirement(protection: .encrypted), write: nil), value: .asked,
          configurationPermissions: AttributePermissions(
            read: .open, write: AccessRequirement(protection: .encrypted))),
      ])
  }()

  static func channel(_ psm: SPSM, _ requirement: AccessRequirement) -> PublishedChannel {
    PublishedChannel(psm: psm, parameters: ChannelParameters(mtu: 256, mps: 128), requirement: requirement)
  }

  static func configuration(
    _ security: PairingPolicy, requests: SecurityRequestTiming = .never, maximumConnections: Int = 1
  ) -> HostConfiguration {
    var configuration = HostConfiguration(
      name: "Vault", identity: .fixedStatic(address),
      advertising: [
        AdvertisingSetDefinition(
          id: "main", kind: .legacy, data: [2, 1, 6] + [6, 9] + Array("Vault".utf8), secondaryPHY: .le1M)
      ], connection: ConnectionPolicy(maximumConnections: maximumConnections), services: [service],
      gatt: GATTPolicy(canBond: true),
      channels: [
        channel(openPSM, .open), channel(encryptedPSM, AccessRequirement(protection: .encrypted)),
        channel(authenticatedPSM, AccessRequirement(protection: .authenticated)),
        channel(longKeyPSM, AccessRequirement(protection: .encrypted, minimumKeySize: 16)),
      ])
    configuration.security = security
    configuration.securityRequests = requests
    return configuration
  }
}

extension PairingPolicy {
  /// Returns a device that pairs, with those IO capabilities.
  static func pairable(
    _ ioCapability: IOCapability = .noInputNoOutput, _ secureConnections: SecureConnectionsSupport = .offered,
    authenticated: Bool = false
  ) -> PairingPolicy {
    var policy = PairingPolicy()
    policy.isPairable = true
    policy.ioCapability = ioCapability
    policy.secureConnections = secureConnections
    policy.prefersAuthentication = authenticated
    return policy
  }
}

/// A vault and a phone on one air, both ready.
final class VaultScene {
  let simulation: RadioSimulation
  let vault: SimulatedAccessory<CountingApplication>
  let phone: ScriptedCentral

  init(
    _ vaultPolicy: PairingPolicy = .pairable(), phone phonePolicy: PairingPolicy = .pairable(),
    requests: SecurityRequestTiming = .never, phoneRequests: SecurityRequestTiming = .never,
    vaultOn controller: ControllerConfiguration = .underTest, phoneOn: ControllerConfiguration = .full,
    maximumConnections: Int = 1, seed: UInt64 = 1
  ) throws {
    simulation = RadioSimulation(seed: seed)
    vault = try simulation.addAccessory(
      Vault.configuration(vaultPolicy, requests: requests, maximumConnections: maximumConnections),
      application: CountingApplication(), on: controller)
    phone = try simulation.addCentral(Self.phone(phonePolicy, requests: phoneRequests), on: phoneOn)
    vault.user = .accepts()
    phone.user = .accepts()
    try vault.start()
    try phone.start()
  }

  /// The keys of the phone, whatever address it uses.
  static let phoneIdentity = TypedAddress(address: .randomStatic(from: 0xF0E), isRandom: true)
  static let phoneResolvingKey: [UInt8] = (0x30..<0x40).map { $0 }

  /// Adds a phone that uses its identity address on the air, or another one.
  static func phone(
    _ policy: PairingPolicy, requests: SecurityRequestTiming = .never, onAir address: DeviceAddress? = nil
  ) -> CentralConfiguration {
    var configuration = CentralConfiguration(randomAddress: address ?? phoneIdentity.address)
    configuration.security = policy
    configuration.securityRequests = requests
    configuration.identityAddress = phoneIdentity
    configuration.identityResolvingKey = phoneResolvingKey
    return configuration
  }

  /// Adds the phone again, under another address, with its bonds.
  func phoneAgain(
    _ policy: PairingPolicy = .pairable(), requests: SecurityRequestTiming = .never, onAir address: DeviceAddress? = nil
  ) throws -> ScriptedCentral {
    let again = try simulation.addCentral(Self.phone(policy, requests: requests, onAir: address))
    again.stack.bonds = phone.stack.bonds
    again.user = .accepts()
    try again.start()
    return again
  }

  /// Returns the handle of a value.
  func handle(_ index: CharacteristicIndex) -> UInt16 { vault.stack.server.database[index].value }

  /// The vault's link to the phone.
  var link: LinkState? { vault.stack.linkStates.first }

  func connect() throws -> ConnectionHandle { try phone.connect(to: Vault.address) }

  /// Connects, pairs and subscribes to the alarm.
  func meet() throws -> ConnectionHandle {
    let link = try connect()
    guard case .paired(_, bonded: true) = try phone.pair(link) else { throw SimulationFailure.refused("not paired") }
    try phone.discover(on: link)
    try phone.configure(handle(Vault.alarm), .notification, on: link)
    return link
  }

  /// Ends the link, and waits until the vault has detected it.
  func disconnect(_ link: ConnectionHandle) throws {
    try phone.disconnect(link)
    simulation.run(until: { vault.stack.linkStates.isEmpty })
  }

  /// Returns the error of reading a value; nil if it succeeds.
  func refusal(_ index: CharacteristicIndex, on link: ConnectionHandle) throws -> ATTErrorCode? {
    do {
      _ = try phone.read(handle(index), on: link)
      return nil
    } catch GATTFailure.refused(let code, _, _) {
      return code
    }
  }

  /// Returns the vault host's reports of bond changes.
  func bondChanges() -> [BondRecord] {
    vault.events.compactMap { if case .bondChanged(let record) = $0 { record } else { nil } }
  }

  /// Returns the events of the Security Managers.
  static func security(_ events: [HostEvent]) -> [SecurityEvent] {
    events.compactMap { if case .security(_, let event) = $0 { event } else { nil } }
  }
}
