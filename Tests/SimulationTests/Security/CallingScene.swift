import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// A vault with advertising sets for bonded centrals, a phone, and a stranger with its own keys.
final class CallingScene {
  let simulation: RadioSimulation
  let vault: SimulatedAccessory<CountingApplication>
  let phone: ScriptedCentral
  let stranger: ScriptedCentral
  /// The PDUs of the vault's advertising, as an observer of the air sees them.
  private(set) var pdus: [[UInt8]] = []

  static let strangerIdentity = TypedAddress(address: .randomStatic(from: 0x57A), isRandom: true)

  /// The sets replace the vault's usual ones.
  init(
    _ sets: [AdvertisingSetDefinition], privacy: PrivacyPolicy = PrivacyPolicy(), bonds: [BondRecord] = [],
    policy: PairingPolicy = .pairable(), maximumConnections: Int = 1, phoneOnAir: DeviceAddress? = nil,
    phoneResolves: Bool = true,
    on controller: ControllerConfiguration = .underTest
  ) throws {
    simulation = RadioSimulation(seed: 3)
    var configuration = Vault.configuration(policy, maximumConnections: maximumConnections)
    configuration.advertising = sets
    configuration.privacy = privacy
    configuration.identityResolvingKey = Self.vaultKey
    vault = try simulation.addAccessory(configuration, application: CountingApplication(), on: controller)
    vault.stack.bonds = bonds
    vault.user = .accepts()
    var phoneConfiguration = VaultScene.phone(.pairable(), onAir: phoneOnAir)
    phoneConfiguration.resolvesAddresses = phoneResolves
    phone = try simulation.addCentral(phoneConfiguration)
    var strange = CentralConfiguration(randomAddress: Self.strangerIdentity.address)
    strange.security = .pairable()
    strange.identityAddress = Self.strangerIdentity
    strange.identityResolvingKey = (0x50..<0x60).map { $0 }
    stranger = try simulation.addCentral(strange)
    for central in [phone, stranger] {
      central.user = .accepts()
      central.limit = .seconds(3)
      try central.start()
    }
    try vault.start()
    simulation.air.observer = { [unowned self] packet in
      if packet.sender == vault.controller, packet.direction == .advertising { pdus.append(packet.pdu) }
    }
  }

  static let vaultKey: [UInt8] = (1...16).map { $0 }

  /// The usual set, which is open to all.
  static let main = AdvertisingSetDefinition(
    id: "main", kind: .legacy, data: [2, 1, 6] + [6, 9] + Array("Vault".utf8), secondaryPHY: .le1M)

  /// A set directed to the bonded central that connected last.
  static func call(
    _ kind: AdvertisingSetDefinition.Kind = .legacy, isHighDuty: Bool = true, starts: Bool = true
  ) -> AdvertisingSetDefinition {
    var set = AdvertisingSetDefinition(
      id: "call", kind: kind, isScannable: false, data: [], secondaryPHY: .le1M, startsAutomatically: starts)
    set.target = .latest
    set.isHighDuty = isHighDuty
    return set
  }

  /// A set only for bonded centrals.
  static func members(
    connections: AdvertisingSetDefinition.Audience = .bonded, scans: AdvertisingSetDefinition.Audience = .bonded,
    starts: Bool = true
  ) -> AdvertisingSetDefinition {
    var set = main
    set.id = "members"
    set.startsAutomatically = starts
    set.scanResponse = [2, 0x0A, 4]
    (set.connectsTo, set.answersScansOf) = (connections, scans)
    return set
  }

  /// Returns a bond with the phone, as a vault with directed advertising stores it, and the phone's own bond.
  static func bonds(
    phoneOnAir: DeviceAddress? = nil, phoneResolves: Bool = true
  ) throws -> (vault: [BondRecord], phone: [BondRecord]) {
    let scene = try CallingScene([main, call(starts: false)], phoneOnAir: phoneOnAir, phoneResolves: phoneResolves)
    try scene.part(try scene.meet(scene.phone))
    return (scene.vault.stack.bonds, scene.phone.stack.bonds)
  }

  /// Connects and bonds.
  func meet(_ central: ScriptedCentral) throws -> ConnectionHandle {
    let (link, isBonded) = try pair(central)
    guard isBonded else { throw SimulationFailure.refused("not bonded") }
    return link
  }

  /// Connects and pairs; returns whether there is a bond. Waits for the actions that follow.
  func pair(_ central: ScriptedCentral) throws -> (link: ConnectionHandle, isBonded: Bool) {
    let link = try central.connect(to: central.find(ScanFilter(name: "Vault")).address)
    guard case .paired(_, let isBonded) = try central.pair(link, anew: true) else {
      throw SimulationFailure.refused("not paired")
    }
    simulation.run(for: .milliseconds(500))
    return (link, isBonded)
  }

  /// Ends a link, and waits until the vault has detected it.
  func part(_ link: ConnectionHandle, from central: ScriptedCentral? = nil) throws {
    try (central ?? phone).disconnect(link)
    simulation.run(until: { vault.stack.linkStates.isEmpty })
  }

  /// Clears the recorded PDUs, and lets time pass.
  func watch(for duration: Duration) {
    pdus = []
    simulation.run(for: duration)
  }

  /// The targets of ADV_DIRECT_IND, each once (Core 5.4 Vol 6 Part B 2.3.1.2).
  var targets: [DeviceAddress] {
    var targets: [DeviceAddress] = []
    for pdu in pdus where pdu[0] & 0x0F == 1 && pdu.count == 14 {
      let target = DeviceAddress(bits: pdu[8..<14].reversed().reduce(0) { $0 << 8 | UInt64($1) })
      if targets.last != target { targets.append(target) }
    }
    return targets
  }

  /// The vault's events about its advertising sets.
  var setEvents: [AdvertisingEvent] {
    vault.events.compactMap { if case .advertising(let event) = $0 { event } else { nil } }
  }

  /// Returns whether the vault accepts a connection from a central, which then stays connected. A controller that ignores a CONNECT_IND
  /// cannot report that, and the central detects it later.
  func connects(_ central: ScriptedCentral) -> Bool {
    guard (try? central.connect(to: Vault.address)) != nil else { return false }
    simulation.run(for: .milliseconds(500))
    return !vault.stack.linkStates.isEmpty
  }

  var turnedAway: Int { vault.events.count { if case .turnedAway = $0 { true } else { false } } }

  /// Errors of the vault's host at its controller.
  var hostFaults: [HostFault] { simulation.air.takeHostFaults(of: vault.controller) }
}

extension ControllerConfiguration {
  /// The same without extended advertising.
  var legacyOnly: ControllerConfiguration {
    var copy = self
    copy.features.remove(.extendedAdvertising)
    return copy
  }

  /// The same without a resolving list.
  var withoutPrivacy: ControllerConfiguration {
    var copy = self
    copy.features.remove(.privacy)
    return copy
  }
}
