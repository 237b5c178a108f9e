import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation
import Testing

/// Pairing by every association model, through two hosts and two controllers, and the resulting access
/// (Core 5.4 Vol 3 Part H 2.3.5, Part C 10.2, 10.3).
@Suite("Association models between two hosts")
struct AssociationModelTests {
  private static let fixedPasskey: UInt32 = 123_456

  enum Model: CaseIterable {
    case justWorks, comparison, vaultShows, phoneShows, bothType, outOfBand

    var capabilities: (vault: IOCapability, phone: IOCapability) {
      switch self {
      case .justWorks, .outOfBand: (.noInputNoOutput, .noInputNoOutput)
      case .comparison: (.displayYesNo, .displayYesNo)
      case .vaultShows: (.displayOnly, .keyboardOnly)
      case .phoneShows: (.keyboardOnly, .displayOnly)
      case .bothType: (.keyboardOnly, .keyboardOnly)
      }
    }

    /// Returns whether the model is authenticated. In legacy pairing, two displays are no better than none.
    func isAuthenticated(_ generation: SecureConnectionsSupport) -> Bool {
      self != .justWorks && !(self == .comparison && generation == .none)
    }
  }

  private func scene(_ model: Model, _ generation: SecureConnectionsSupport) throws -> VaultScene {
    let (vaultIO, phoneIO) = model.capabilities
    var vault = PairingPolicy.pairable(vaultIO, generation, authenticated: true)
    var phone = PairingPolicy.pairable(phoneIO, generation, authenticated: true)
    vault.fixedPasskey = Self.fixedPasskey
    phone.fixedPasskey = Self.fixedPasskey
    if model == .outOfBand {
      if generation == .none {
        var shared = OutOfBandData()
        shared.temporaryKey = (1...16).map { $0 }
        (vault.outOfBand, phone.outOfBand) = (shared, shared)
      } else {
        var random = SplitMix64(seed: 99)
        vault.ownOutOfBand = OutOfBandOffer(random: &random)
        phone.ownOutOfBand = OutOfBandOffer(random: &random)
        (vault.outOfBand, phone.outOfBand) = (phone.ownOutOfBand?.data, vault.ownOutOfBand?.data)
      }
    }
    let scene = try VaultScene(vault, phone: phone)
    scene.vault.user = .accepts(passkey: Self.fixedPasskey)
    scene.phone.user = .accepts(passkey: Self.fixedPasskey)
    return scene
  }

  @Test(
    "Each association model in both generations gives a bond, and the access that its key permits",
    arguments: Model.allCases, [SecureConnectionsSupport.none, .offered])
  func models(model: Model, generation: SecureConnectionsSupport) throws {
    let scene = try scene(model, generation)
    let link = try scene.connect()
    for guarded in [Vault.encrypted, Vault.authenticated, Vault.secureConnections] {
      #expect(try scene.refusal(guarded, on: link) == .insufficientAuthentication)
    }
    #expect(throws: SimulationFailure.self) { try scene.phone.openChannel(Vault.encryptedPSM, on: link) }

    guard case .paired(let bond, bonded: true) = try scene.phone.pair(link) else {
      Issue.record("not paired")
      return
    }
    let isAuthenticated = model.isAuthenticated(generation)
    let isSecure = generation == .offered
    #expect(
      bond.strength == KeyStrength(isAuthenticated: isAuthenticated, isSecureConnections: isSecure, keySize: 16))
    #expect(bond.peer == Vault.identity)
    scene.simulation.run(for: .seconds(1))
    #expect(scene.link?.security == scene.phone.security(of: link))
    #expect(try scene.refusal(Vault.encrypted, on: link) == nil)
    #expect(try scene.refusal(Vault.longKey, on: link) == nil)
    #expect(
      try scene.refusal(Vault.authenticated, on: link) == (isAuthenticated ? nil : .insufficientAuthentication))
    #expect(
      try scene.refusal(Vault.secureConnections, on: link)
        == (isAuthenticated && isSecure ? nil : .insufficientAuthentication))
    _ = try scene.phone.openChannel(Vault.encryptedPSM, on: link)
    if isAuthenticated {
      _ = try scene.phone.openChannel(Vault.authenticatedPSM, on: link)
    } else {
      #expect(throws: SimulationFailure.self) { try scene.phone.openChannel(Vault.authenticatedPSM, on: link) }
    }
    // Both have the same bond.
    let kept = try #require(scene.vault.stack.bonds.first?.bond)
    #expect(scene.vault.stack.bonds.count == 1 && scene.phone.stack.bonds.count == 1)
    #expect(kept.keyAsPeripheral == bond.keyAsCentral && kept.strength == bond.strength)
    #expect(kept.peer.address == scene.phone.stack.address)
  }

  @Test(
    "A wrong passkey, or a refused comparison, gives no bond, and no access",
    arguments: [Model.vaultShows, .phoneShows, .comparison], [SecureConnectionsSupport.none, .offered])
  func refused(model: Model, generation: SecureConnectionsSupport) throws {
    let scene = try scene(model, generation)
    guard model.isAuthenticated(generation) else { return }
    let wrong = model == .comparison ? PairingUser.refuses : .accepts(passkey: 654_321)
    if model == .phoneShows { scene.vault.user = wrong } else { scene.phone.user = wrong }
    let link = try scene.connect()
    guard case .failed(let reason, _) = try scene.phone.pair(link) else {
      Issue.record("paired")
      return
    }
    #expect(reason == (model == .comparison ? .numericComparisonFailed : .confirmValueFailed))
    scene.simulation.run(for: .seconds(1))
    #expect(scene.vault.stack.bonds.isEmpty && scene.phone.stack.bonds.isEmpty)
    #expect(scene.link?.security == .open)
    #expect(try scene.refusal(Vault.encrypted, on: link) == .insufficientAuthentication)
    // With the right passkey, the same link pairs.
    scene.vault.user = .accepts(passkey: Self.fixedPasskey)
    scene.phone.user = .accepts(passkey: Self.fixedPasskey)
    guard case .paired = try scene.phone.pair(link) else {
      Issue.record("not paired")
      return
    }
  }
}
