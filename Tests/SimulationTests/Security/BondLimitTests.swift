import BLECore
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// The maximum number of bonds of an accessory.
@Suite("The limit of bonds")
struct BondLimitTests {
  private static let strength = KeyStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16)

  private func removed(_ scene: CallingScene) -> [TypedAddress] {
    scene.vault.events.compactMap { if case .bondRemoved(let peer) = $0 { peer } else { nil } }
  }

  @Test("One bond too many replaces that of the central that connected least recently")
  func replacement() throws {
    var policy = PairingPolicy.pairable()
    policy.maximumBonds = 2
    let phone = try CallingScene.bonds()
    var older = BondRecord(
      bond: Bond(peer: TypedAddress(address: .randomStatic(from: 0x01D), isRandom: true), strength: Self.strength))
    older.recency = phone.vault[0].recency + 1
    let scene = try CallingScene([CallingScene.main], bonds: phone.vault + [older], policy: policy)
    scene.phone.stack.bonds = phone.phone
    // The phone connects once more, so that the other one is the oldest.
    let link = try scene.phone.connect(to: Vault.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    try scene.part(link)
    try scene.part(try scene.meet(scene.stranger), from: scene.stranger)
    #expect(removed(scene) == [older.peer])
    #expect(Set(scene.vault.stack.bonds.map(\.peer)) == [VaultScene.phoneIdentity, CallingScene.strangerIdentity])
    // A central that pairs again replaces its own bond.
    try scene.part(try scene.meet(scene.phone))
    #expect(removed(scene) == [older.peer] && scene.vault.stack.bonds.count == 2)
  }

  @Test("The bond of a connected central is replaced last")
  func connected() throws {
    var policy = PairingPolicy.pairable()
    policy.maximumBonds = 2
    let phone = try CallingScene.bonds()
    var newer = BondRecord(
      bond: Bond(peer: TypedAddress(address: .randomStatic(from: 0x01D), isRandom: true), strength: Self.strength))
    let scene = try CallingScene(
      [CallingScene.main], bonds: phone.vault, policy: policy, maximumConnections: 2)
    scene.phone.stack.bonds = phone.phone
    let link = try scene.phone.connect(to: Vault.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    newer.recency = (scene.vault.stack.bonds.first?.recency ?? 0) + 1
    try scene.vault.perform(.setBond(newer))
    _ = try scene.pair(scene.stranger)
    #expect(removed(scene) == [newer.peer])
    #expect(Set(scene.vault.stack.bonds.map(\.peer)) == [VaultScene.phoneIdentity, CallingScene.strangerIdentity])
  }

  /// Core 5.4 Vol 3 Part C 9.4.2: non-bondable mode.
  @Test("An accessory that replaces no bond pairs without one when it is full, but a bonded central can pair again")
  func refusal() throws {
    var policy = PairingPolicy.pairable()
    (policy.maximumBonds, policy.replacesBonds) = (1, false)
    let scene = try CallingScene([CallingScene.main], policy: policy)
    try scene.part(try scene.meet(scene.phone))
    let (link, isBonded) = try scene.pair(scene.stranger)
    #expect(!isBonded)
    try scene.part(link, from: scene.stranger)
    #expect(scene.vault.stack.bonds.map(\.peer) == [VaultScene.phoneIdentity] && removed(scene) == [])
    try scene.part(try scene.meet(scene.phone))
    #expect(scene.vault.stack.bonds.map(\.peer) == [VaultScene.phoneIdentity])
  }
}
