import BLECore
import BLESMP
import Testing

/// Which bonds a pairing may replace: the peer states its identity in phase 3 (Core 5.4 Vol 3 Part H 2.4.3.1, 3.6.5).
@Suite("Replacing bonds")
struct BondReplacementTests {
  private static let victim = PairedManagers.identities.initiator.address

  private func pairing(
    replacing old: KeyStrength, _ secureConnections: SecureConnectionsSupport = .offered, takesWeaker: Bool = false,
    keySizes: ClosedRange<Int> = 7...16
  ) -> PairedManagers {
    let initiator = PairingPolicy.pairable(secureConnections: secureConnections) { $0.keySizes = keySizes }
    let responder = PairingPolicy.pairable(secureConnections: secureConnections) {
      $0.refusesWeakerKeys = !takesWeaker
    }
    var pair = PairedManagers(initiator: initiator, responder: responder)
    pair.managers.responder.bondStrengths = [Self.victim: old]
    pair.pair()
    return pair
  }

  @Test(
    "A peer that claims the identity of a stronger bond is refused",
    arguments: [
      (KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16), .offered, 16),
      (KeyStrength(isAuthenticated: true, isSecureConnections: false, keySize: 7), .offered, 16),
      (KeyStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16), .none, 16),
      (KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 16), .none, 15),
    ] as [(KeyStrength, SecureConnectionsSupport, Int)])
  func refused(old: KeyStrength, secureConnections: SecureConnectionsSupport, keySize: Int) {
    let pair = pairing(replacing: old, secureConnections, keySizes: 7...keySize)
    #expect(pair.failures(.responder) == [.failed(.keyRejected, byPeer: false)])
    // The initiator's keys are sent last: its pairing is complete when the refusal arrives.
    #expect(pair.sent(.pairingFailed, by: .responder) == [[0x05, 0x0F]])
    #expect(pair.paired(.responder) == nil && pair[.responder].bond == nil)
  }

  @Test("An equal bond is replaced, and a stronger one if the profile permits it", arguments: [false, true])
  func replaced(takesWeaker: Bool) {
    let old = KeyStrength(isAuthenticated: takesWeaker, isSecureConnections: true, keySize: 16)
    let pair = pairing(replacing: old, takesWeaker: takesWeaker)
    #expect(pair.paired(.responder)?.isBonded == true && pair[.responder].bond?.peer == Self.victim)
  }

  @Test(
    "A bond with an unrecognizable peer is only for its connection", arguments: [0x40, 0x00, 0xC0] as [UInt64])
  func privateAddress(top: UInt64) {
    var pair = PairedManagers(initiator: .pairable { $0.distributes = [.encryption] }, responder: .pairable())
    let address = TypedAddress(address: DeviceAddress(bits: top << 40 | 0x1234), isRandom: true)
    let own = PairedManagers.addresses.responder
    pair.managers.initiator = SecurityManager(
      role: .initiator, own: address, peer: own, identity: PairedManagers.identities.initiator,
      policy: pair[.initiator].policy)
    pair.managers.responder = SecurityManager(
      role: .responder, own: own, peer: address, identity: PairedManagers.identities.responder, policy: .pairable())
    pair.pair()
    #expect(pair.paired(.responder)?.isBonded == (top == 0xC0))
    #expect((pair[.responder].bond == nil) == (top != 0xC0))
    #expect(pair[.responder].security.protection == .encrypted)
  }
}
