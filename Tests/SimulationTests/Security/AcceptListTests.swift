import BLECore
import BLECryptography
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

/// Advertising only for bonded centrals (Core 5.4 Vol 6 Part B 4.3.2, Vol 3 Part C 9.3.5).
@Suite("Advertising for bonded centrals")
struct AcceptListTests {
  /// Returns whether an active scanner gets a scan response of the set.
  private func isAnswered(_ central: ScriptedCentral) throws -> Bool {
    try central.scan(for: .seconds(1)).contains(where: \.isScanResponse)
  }

  @Test("Only a bonded central can connect", arguments: [false, true])
  func connections(hides: Bool) throws {
    var random = SplitMix64(seed: 9)
    let key = try #require(IdentityResolvingKey(VaultScene.phoneResolvingKey))
    let onAir = hides ? key.makeAddress(random: &random) : nil
    let bonds = try CallingScene.bonds(phoneOnAir: onAir)
    // Under a new address the next time.
    let scene = try CallingScene(
      [CallingScene.members()], bonds: bonds.vault, phoneOnAir: hides ? key.makeAddress(random: &random) : nil,
      on: .full)
    scene.phone.stack.bonds = bonds.phone
    #expect(!scene.connects(scene.stranger))
    #expect(try !isAnswered(scene.stranger))
    #expect(try isAnswered(scene.phone))
    let link = try scene.phone.connect(to: Vault.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    #expect(scene.turnedAway == 0 && scene.setEvents.allSatisfy { if case .unfiltered = $0 { false } else { true } })
    #expect(scene.hostFaults == [])
  }

  @Test(
    "Either of the two can be open to all",
    arguments: [
      (AdvertisingSetDefinition.Audience.everybody, AdvertisingSetDefinition.Audience.bonded), (.bonded, .everybody),
    ])
  func halves(connections: AdvertisingSetDefinition.Audience, scans: AdvertisingSetDefinition.Audience) throws {
    let scene = try CallingScene([CallingScene.members(connections: connections, scans: scans)], on: .full)
    #expect(try isAnswered(scene.stranger) == (scans == .everybody))
    #expect(scene.connects(scene.stranger) == (connections == .everybody))
    #expect(scene.hostFaults == [])
  }

  @Test("The lists follow the bonds while the accessory runs")
  func following() throws {
    let scene = try CallingScene([CallingScene.members(starts: false), CallingScene.main], on: .full)
    try scene.part(try scene.meet(scene.phone))
    try scene.vault.perform(.advertise(set: "main", isOn: false))
    try scene.vault.perform(.advertise(set: "members", isOn: true))
    #expect(!scene.connects(scene.stranger))
    let link = try scene.phone.connect(to: Vault.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    try scene.part(link)
    try scene.vault.perform(.removeBond(VaultScene.phoneIdentity))
    scene.simulation.run(for: .milliseconds(100))
    #expect(!scene.connects(scene.phone))
    #expect(scene.hostFaults == [])
  }

  @Test(
    "If the controller cannot resolve private addresses, or has no lists, the host ends the links of others",
    arguments: [ControllerConfiguration.full.withoutPrivacy, ControllerConfiguration.full.withoutPrivacy.legacyOnly])
  func byHost(controller: ControllerConfiguration) throws {
    let bonds = try CallingScene.bonds()
    let scene = try CallingScene([CallingScene.members()], bonds: bonds.vault, on: controller)
    scene.phone.stack.bonds = bonds.phone
    scene.simulation.run(for: .milliseconds(100))
    let told = scene.setEvents.filter { if case .unfiltered = $0 { true } else { false } }
    #expect(
      told == [
        .unfiltered(
          set: "members", reason: "the controller has no resolving list, and bonded centrals use private addresses")
      ])
    try scene.stranger.connect(to: Vault.address)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.turnedAway == 1 && scene.vault.stack.linkStates.isEmpty)
    #expect(scene.stranger.ends == [.authenticationFailure])
    let link = try scene.phone.connect(to: Vault.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    #expect(scene.turnedAway == 1)
    #expect(scene.hostFaults == [])
  }

  @Test(
    "A bond for which the controller's list has no room replaces another, so that the set stays restricted")
  func fullList() throws {
    var controller = ControllerConfiguration.full
    controller.filterAcceptListSize = 1
    let scene = try CallingScene([CallingScene.main, CallingScene.members(starts: false)], on: controller)
    try scene.part(try scene.meet(scene.phone))
    try scene.part(try scene.meet(scene.stranger), from: scene.stranger)
    #expect(scene.vault.stack.bonds.map(\.peer) == [CallingScene.strangerIdentity])
    #expect(scene.setEvents.allSatisfy { if case .unfiltered = $0 { false } else { true } })
    #expect(scene.hostFaults == [])
  }

  @Test("With more restored bonds than the controller's list holds, the host ends the links of others")
  func tooManyBonds() throws {
    var controller = ControllerConfiguration.full
    controller.filterAcceptListSize = 1
    var bonds = try CallingScene.bonds().vault
    bonds.append(BondRecord(bond: Bond(peer: CallingScene.strangerIdentity, strength: bonds[0].bond.strength)))
    let scene = try CallingScene([CallingScene.members()], bonds: bonds, on: controller)
    scene.simulation.run(for: .milliseconds(100))
    #expect(
      scene.setEvents.contains(
        .unfiltered(set: "members", reason: "the controller's filter accept list holds 1, but there are 2 bonds")))
    #expect(scene.hostFaults == [])
  }
}
