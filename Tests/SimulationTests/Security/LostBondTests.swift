import BLEATT
import BLECore
import BLECryptography
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// One side has lost the bond: the most common problem of phones with accessories (CoreBluetooth's error 14, Peer removed pairing
/// information).
@Suite("A bond that one side has lost")
struct LostBondTests {
  @Test("The accessory has lost it: the phone learns that there is no key, and pairs again")
  func lostByAccessory() throws {
    let scene = try VaultScene()
    try scene.disconnect(try scene.meet())
    try scene.vault.perform(.removeBond(VaultScene.phoneIdentity))
    #expect(scene.vault.stack.bonds.isEmpty)
    #expect(throws: HostRequestError.unknownBond(VaultScene.phoneIdentity)) {
      try scene.vault.perform(.removeBond(VaultScene.phoneIdentity))
    }
    let link = try scene.connect()
    #expect(try scene.phone.pair(link) == .notEncrypted(.pinOrKeyMissing))
    let refused = scene.vault.events.filter {
      if case .encryptionFailed(_, .pinOrKeyMissing) = $0 { true } else { false }
    }
    #expect(refused.count == 1)
    #expect(scene.phone.stack.bonds.count == 1)
    #expect(scene.phone.links == [link])
    #expect(try scene.refusal(Vault.encrypted, on: link) == .insufficientAuthentication)
    guard case .paired(_, bonded: true) = try scene.phone.pair(link, anew: true) else {
      Issue.record("not paired")
      return
    }
    #expect(try scene.refusal(Vault.encrypted, on: link) == nil)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.vault.stack.bonds.count == 1 && scene.phone.stack.bonds.count == 1)
    try scene.disconnect(link)
    #expect(try scene.phone.pair(try scene.connect()) == .encrypted)
  }

  @Test("The phone has lost it: it pairs again, its bond is replaced, and it starts without subscriptions")
  func lostByPhone() throws {
    let scene = try VaultScene()
    try scene.disconnect(try scene.meet())
    let old = try #require(scene.vault.stack.bonds.first)
    try scene.phone.perform(.removeBond(Vault.identity))
    let link = try scene.connect()
    // The accessory still has a key (Core 5.4 Vol 3 Part C Table 10.2).
    #expect(try scene.refusal(Vault.encrypted, on: link) == .insufficientEncryption)
    guard case .paired(_, bonded: true) = try scene.phone.pair(link) else {
      Issue.record("not paired")
      return
    }
    scene.simulation.run(for: .seconds(1))
    let new = try #require(scene.vault.stack.bonds.first)
    #expect(scene.vault.stack.bonds.count == 1)
    #expect(new.peer == old.peer && new.bond.keyAsPeripheral != old.bond.keyAsPeripheral)
    #expect(new.gatt.configurations == [:] && scene.link?.subscriptions == [])
    try scene.disconnect(link)
    #expect(try scene.phone.pair(try scene.connect()) == .encrypted)
  }

  @Test("A bond is removed during its link: the link stays encrypted, and the next one has no key")
  func removedWhileConnected() throws {
    let scene = try VaultScene()
    let link = try scene.meet()
    try scene.vault.perform(.removeBond(VaultScene.phoneIdentity))
    #expect(scene.link?.bond == nil && scene.link?.security.protection == .encrypted)
    #expect(scene.link?.security.isBonded == false)
    #expect(try scene.refusal(Vault.encrypted, on: link) == nil)
    try scene.phone.configure(scene.handle(Vault.alarm), [], on: link)
    try scene.disconnect(link)
    #expect(scene.vault.stack.bonds.isEmpty)
    #expect(try scene.phone.pair(try scene.connect()) == .notEncrypted(.pinOrKeyMissing))
  }

  @Test("A bond that is added while its peer is connected is used at once")
  func setWhileConnected() throws {
    let scene = try VaultScene()
    try scene.disconnect(try scene.meet())
    let record = try #require(scene.vault.stack.bonds.first)
    try scene.vault.perform(.removeBond(record.peer))
    let link = try scene.connect()
    #expect(scene.link?.bond == nil)
    try scene.vault.perform(.setBond(record))
    #expect(scene.link?.bond == record.peer)
    #expect(try scene.phone.pair(link) == .encrypted)
    scene.simulation.run(for: .milliseconds(100))
    #expect(scene.link?.subscriptions.count == 1)
  }

  @Test("Another device with the same identity takes over the bond by pairing, and the first has no key any more")
  func sameIdentity() throws {
    let scene = try VaultScene(maximumConnections: 2)
    let link = try scene.meet()
    var random = SplitMix64(seed: 4)
    let key = try #require(IdentityResolvingKey(VaultScene.phoneResolvingKey))
    let twin = try scene.phoneAgain(onAir: key.makeAddress(random: &random))
    twin.stack.bonds = []
    let second = try twin.connect(to: Vault.address)
    #expect(scene.vault.stack.linkStates.map(\.bond) == [VaultScene.phoneIdentity, VaultScene.phoneIdentity])
    guard case .paired(_, bonded: true) = try twin.pair(second) else {
      Issue.record("not paired")
      return
    }
    scene.simulation.run(for: .seconds(1))
    #expect(scene.vault.stack.bonds.count == 1)
    #expect(scene.vault.stack.linkStates.map(\.bond) == [nil, VaultScene.phoneIdentity])
    // The first device now has no bond.
    try scene.phone.configure(scene.handle(Vault.alarm), [], on: link)
    #expect(scene.vault.stack.bonds.first?.gatt.configurations == [:])
    try scene.phone.disconnect(link)
    let again = try scene.connect()
    let outcome = try scene.phone.pair(again)
    #expect(outcome != .encrypted || scene.vault.stack.linkStates.last?.security.protection == LinkProtection.none)
  }
}
