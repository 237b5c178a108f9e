import BLEATT
import BLECore
import BLECryptography
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import Foundation
import PeripheralHost
import Simulation
import Testing

/// Rules for the reconnection of a bonded peer (Core 5.4 Vol 3 Part C 10.3.1.2, Part G 2.5.2, 3.3.3.3).
@Suite("Reconnection of a bonded peer")
struct BondedReconnectionTests {
  @Test("Its subscriptions are restored when the link is encrypted with the bond's key, and not before")
  func restored() throws {
    let scene = try VaultScene()
    try scene.disconnect(try scene.meet())
    let kept = try #require(scene.vault.stack.bonds.first)
    #expect(kept.gatt.configurations == ["alarm": 1] && kept.peer == VaultScene.phoneIdentity)

    let link = try scene.connect()
    #expect(scene.link?.security == LinkSecurity(protection: .none, isBonded: true))
    #expect(scene.link?.bond == VaultScene.phoneIdentity && scene.link?.subscriptions == [])
    #expect(try scene.refusal(Vault.encrypted, on: link) == .insufficientEncryption)
    #expect(throws: HostRequestError.self) { try scene.vault.perform(.notify(Vault.alarm)) }

    #expect(try scene.phone.pair(link) == .encrypted)
    scene.simulation.run(for: .milliseconds(100))
    #expect(try scene.refusal(Vault.encrypted, on: link) == nil)
    #expect(scene.link?.subscriptions.map(\.characteristic) == [Vault.alarm])
    try scene.vault.perform(.notify(Vault.alarm))
    scene.simulation.run(for: .milliseconds(100))
    #expect(scene.phone.pushed(of: scene.handle(Vault.alarm), on: link).count == 1)
  }

  @Test("Each change of a bond's stored data is reported once")
  func reported() throws {
    let scene = try VaultScene()
    let link = try scene.meet()
    #expect(scene.bondChanges().map(\.gatt.configurations) == [[:], ["alarm": 1]])
    _ = try scene.phone.read(scene.handle(Vault.encrypted), on: link)
    try scene.phone.configure(scene.handle(Vault.alarm), .notification, on: link)
    try scene.disconnect(link)
    #expect(scene.bondChanges().count == 2)
    #expect(scene.bondChanges().last == scene.vault.stack.bonds.first)
  }

  @Test("A bond that was stored and read again after a restart works")
  func stored() throws {
    let scene = try VaultScene()
    try scene.disconnect(try scene.meet())
    let octets = try JSONEncoder().encode(scene.vault.stack.bonds)
    try scene.vault.restart(Vault.configuration(.pairable()), application: CountingApplication())
    scene.vault.stack.bonds = try JSONDecoder().decode([BondRecord].self, from: octets)
    let link = try scene.connect()
    #expect(try scene.phone.pair(link) == .encrypted)
    scene.simulation.run(for: .milliseconds(100))
    try scene.vault.perform(.notify(Vault.alarm))
    scene.simulation.run(for: .milliseconds(100))
    #expect(scene.phone.pushed(of: scene.handle(Vault.alarm), on: link).count == 1)
  }

  @Test("A central with resolvable private addresses is recognized, and one with another key is not")
  func privateAddresses() throws {
    var random = SplitMix64(seed: 4)
    let scene = try VaultScene()
    let key = try #require(IdentityResolvingKey(VaultScene.phoneResolvingKey))
    let first = try scene.phoneAgain(onAir: key.makeAddress(random: &random))
    let link = try first.connect(to: Vault.address)
    #expect(scene.link?.bond == nil)
    guard case .paired = try first.pair(link) else {
      Issue.record("not paired")
      return
    }
    #expect(scene.vault.stack.bonds.map(\.peer) == [VaultScene.phoneIdentity])
    try first.disconnect(link)
    scene.phone.stack.bonds = first.stack.bonds

    for _ in 0..<3 {
      let again = try scene.phoneAgain(onAir: key.makeAddress(random: &random))
      let link = try again.connect(to: Vault.address)
      #expect(scene.link?.bond == VaultScene.phoneIdentity)
      #expect(try again.pair(link) == .encrypted)
      #expect(scene.link?.security.protection == .encrypted)
      try again.disconnect(link)
    }
    let other = IdentityResolvingKey(random: &random)
    let foreign = try scene.phoneAgain(onAir: other.makeAddress(random: &random))
    _ = try foreign.connect(to: Vault.address)
    #expect(scene.link?.bond == nil && scene.link?.security == .open)
  }

  @Test("A peer with only the address of a bond has no access to it, and the bond's subscriptions do not change")
  func impostor() throws {
    let scene = try VaultScene()
    try scene.disconnect(try scene.meet())
    scene.phone.stack.bonds[0].bond.keyAsCentral?.key[0] ^= 1
    let link = try scene.connect()
    scene.simulation.run(for: .seconds(1))
    let events = scene.vault.events.count
    // The first encrypted packet reveals a wrong key (Core 5.4 Vol 6 Part B 5.1.3).
    let outcome = try scene.phone.pair(link)
    #expect(outcome == .cut || outcome == .notEncrypted(.connectionTerminatedDueToMICFailure), "\(outcome)")
    scene.simulation.run(for: .seconds(5))
    #expect(scene.vault.stack.linkStates.isEmpty)
    #expect(scene.vault.stack.bonds.first?.gatt.configurations == ["alarm": 1])
    #expect(scene.vault.events.count == events + 2)
  }

  @Test("A database change in the meantime is indicated after encryption")
  func changedMeanwhile() throws {
    let scene = try VaultScene()
    let link = try scene.meet()
    let serviceChanged = try #require(
      scene.phone.stack.remoteDatabase(of: link)?.characteristic(.serviceChanged)?.value)
    try scene.phone.configure(serviceChanged, .indication, on: link)
    try scene.disconnect(link)
    try scene.vault.perform(.edit(.add(ServiceDefinition(id: "new", uuid: BluetoothUUID(0xFFE0), characteristics: []))))
    let again = try scene.connect()
    scene.simulation.run(for: .seconds(1))
    #expect(scene.phone.pushed(of: serviceChanged, on: again).isEmpty)
    #expect(try scene.phone.pair(again) == .encrypted)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.phone.pushed(of: serviceChanged, on: again).count == 1)
    #expect(scene.vault.stack.bonds.first?.gatt.unreportedChange == [])
  }
}
