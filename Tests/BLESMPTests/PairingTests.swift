import BLECore
import BLECryptography
import BLESMP
import Testing

/// Successful pairings: the packets, their order, and the resulting keys.
@Suite("Pairing")
struct PairingTests {
  typealias Role = SecurityManager.Role
  private static let all: KeyKinds = [.encryption, .identity, .signing]

  // MARK: The course (Core 5.4 Vol 3 Part H Appendix C)

  @Test("Legacy Just Works: the packets and their order, and the Short Term Key by c1 and s1")
  func legacyCourse() throws {
    var pair = PairedManagers(
      initiator: .pairable(secureConnections: .none) {
        $0.distributes = Self.all; $0.wants = Self.all
      },
      responder: .pairable(secureConnections: .none) {
        $0.distributes = Self.all; $0.wants = Self.all
      })
    pair.pair()
    #expect(
      pair.packets.map { $0.octets[0] } == [
        0x01, 0x02, 0x03, 0x03, 0x04, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x06, 0x07, 0x08, 0x09, 0x0A,
      ])
    #expect(
      pair.packets.map(\.from).suffix(10) == Array(repeating: .responder, count: 5)
        + Array(repeating: .initiator, count: 5))
    let (request, response) = (pair.packets[0].octets, pair.packets[1].octets)
    #expect(request == [0x01, 0x03, 0x00, 0x01, 16, 0x07, 0x07])
    #expect(response == [0x02, 0x03, 0x00, 0x01, 16, 0x07, 0x07])
    let (mrand, srand) = (Array(pair.packets[4].octets.dropFirst()), Array(pair.packets[5].octets.dropFirst()))
    let zeros = [UInt8](repeating: 0, count: 16)
    for (random, confirm) in [(mrand, pair.packets[2].octets), (srand, pair.packets[3].octets)] {
      let expected = SecurityToolbox.c1(
        key: zeros, random: random, request: request, response: response,
        initiator: PairedManagers.addresses.initiator, responder: PairedManagers.addresses.responder)
      #expect(Array(confirm.dropFirst()) == expected)
    }
    #expect(pair.usedKeys == [LongTermKey(key: SecurityToolbox.s1(key: zeros, r1: srand, r2: mrand))])
    try expectSameKeys(pair)
    let bond = try #require(pair[.initiator].bond)
    #expect(bond.keyAsCentral?.key == Array(pair.sent(.encryptionInformation, by: .responder)[0].dropFirst()))
    #expect(bond.keyAsPeripheral?.key == Array(pair.sent(.encryptionInformation, by: .initiator)[0].dropFirst()))
    #expect(bond.keyAsCentral != bond.keyAsPeripheral)
    #expect(bond.ownSigning?.counter == 0)
  }

  @Test("Secure Connections: the Long Term Key is f5's, the digits are g2's, the checks f6's")
  func secureCourse() throws {
    // The key pairs are the specification's samples, supplied through out-of-band data that is otherwise unused.
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo, authentication: true),
      responder: .pairable(.displayYesNo, authentication: true))
    pair.pair()
    #expect(
      pair.packets.map { $0.octets[0] } == [
        0x01, 0x02, 0x0C, 0x0C, 0x03, 0x04, 0x04, 0x0D, 0x0D, 0x08, 0x09, 0x08, 0x09,
      ])
    let content = { (index: Int) in Array(pair.packets[index].octets.dropFirst()) }
    let (keyA, keyB) = (Array(content(2).prefix(32)), Array(content(3).prefix(32)))
    let (nonceA, nonceB) = (content(5), content(6))
    #expect(content(4) == SecurityToolbox.f4(u: keyB, v: keyA, x: nonceB, z: 0))
    let digits = SecurityToolbox.digits(of: SecurityToolbox.g2(u: keyA, v: keyB, x: nonceA, y: nonceB))
    for role in [Role.initiator, .responder] {
      #expect(pair.events[role].contains(.asked(.comparison(digits))))
    }
    try expectSameKeys(pair)
    #expect(pair.usedKeys.map(\.random) == [0] && pair.usedKeys.map(\.diversifier) == [0])
    #expect(pair[.initiator].bond?.keyAsCentral == pair.usedKeys.first)
    #expect(pair[.initiator].bond?.keyAsPeripheral == pair.usedKeys.first)
  }

  @Test("With debug keys, the Long Term Key can be computed from the packets")
  func debugKeys() throws {
    var pair = PairedManagers(
      initiator: .pairable { $0.usesDebugKeys = true }, responder: .pairable { $0.usesDebugKeys = true })
    pair.pair()
    let debug = try #require(KeyPair.debug)
    let secret = try #require(debug.sharedSecret(with: debug.publicKey))
    let keys = SecurityToolbox.f5(
      w: secret, n1: Array(pair.packets[5].octets.dropFirst()), n2: Array(pair.packets[6].octets.dropFirst()),
      a1: PairedManagers.addresses.initiator, a2: PairedManagers.addresses.responder)
    #expect(pair.usedKeys == [LongTermKey(key: keys.longTermKey)])
    #expect(pair.paired(.responder)?.isBonded == true)
    let zeros = [UInt8](repeating: 0, count: 16)
    let check = SecurityToolbox.f6(
      w: keys.macKey, n1: Array(pair.packets[5].octets.dropFirst()), n2: Array(pair.packets[6].octets.dropFirst()),
      r: zeros, inputOutput: [0x03, 0x00, 0x29], a1: PairedManagers.addresses.initiator,
      a2: PairedManagers.addresses.responder)
    #expect(pair.sent(.pairingDHKeyCheck, by: .initiator) == [[0x0D] + check])
  }

  @Test("A bond that only the peer's debug key protects is not stored")
  func peersDebugKey() throws {
    var pair = PairedManagers(initiator: .pairable { $0.usesDebugKeys = true }, responder: .pairable())
    pair.pair()
    #expect(pair.paired(.responder)?.isBonded == false)
    #expect(pair[.responder].bond == nil)
    #expect(pair[.responder].security.protection == .encrypted)
    #expect(pair.paired(.initiator)?.isBonded == true)
  }

  @Test("Twenty rounds of Passkey Entry, each with a bit of the passkey")
  func passkeyRounds() throws {
    var pair = PairedManagers(
      initiator: .pairable(.keyboardOnly, authentication: true),
      responder: .pairable(.displayOnly, authentication: true) { $0.fixedPasskey = 123_456 })
    pair.pair()
    #expect(pair.shown(on: .responder) == 123_456)
    let keyA = Array(pair.sent(.pairingPublicKey, by: .initiator)[0][1...32])
    let keyB = Array(pair.sent(.pairingPublicKey, by: .responder)[0][1...32])
    for (role, u, v) in [(Role.initiator, keyA, keyB), (.responder, keyB, keyA)] {
      let confirms = pair.sent(.pairingConfirm, by: role)
      let randoms = pair.sent(.pairingRandom, by: role)
      #expect(confirms.count == 20 && randoms.count == 20)
      for round in 0..<20 {
        let bit = 0x80 | UInt8(123_456 >> round & 1)
        let expected = SecurityToolbox.f4(u: u, v: v, x: Array(randoms[round].dropFirst()), z: bit)
        #expect(Array(confirms[round].dropFirst()) == expected)
      }
    }
    try expectSameKeys(pair)
    #expect(pair.events[.responder].last { $0 == .questionEnded } != nil)
  }

  // MARK: Key distribution (3.6.1)

  @Test("Each side sends the keys that both agree on, in both generations", arguments: 0..<16, 0..<16)
  func masks(first: Int, second: Int) throws {
    let (offered, wanted) = (KeyKinds(rawValue: UInt8(first)), KeyKinds(rawValue: UInt8(second)))
    for support in [SecureConnectionsSupport.none, .offered] {
      var pair = PairedManagers(
        initiator: .pairable(secureConnections: support) {
          $0.distributes = offered; $0.wants = wanted
        },
        responder: .pairable(secureConnections: support) {
          $0.distributes = Self.all; $0.wants = [.encryption, .signing]
        })
      pair.pair()
      #expect(pair.packets[1].octets[5] == UInt8(first & 0x05))
      #expect(pair.packets[1].octets[6] == UInt8(second & 0x07))
      let encryption: [UInt8] = support == .none ? [0x06, 0x07] : []
      let initiators = (first & 1 == 0 ? [] : encryption) + (first & 4 == 0 ? [] : [0x0A])
      let responders =
        (second & 1 == 0 ? [] : encryption) + (second & 2 == 0 ? [] : [0x08, 0x09]) + (second & 4 == 0 ? [] : [0x0A])
      let keys = pair.packets.filter { (0x06...0x0A).contains($0.octets[0]) }.map { $0.octets[0] }
      #expect(keys == responders + initiators)
      try expectSameKeys(pair)
      #expect((pair[.initiator].bond?.identityResolvingKey != nil) == (second & 2 != 0))
      #expect(pair[.responder].bond?.identityResolvingKey == nil)
    }
  }

  @Test("For a device without an Identity Resolving Key, only the address is stored")
  func noResolvingKey() throws {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.managers.responder.identity.identityResolvingKey = nil
    pair.pair()
    #expect(pair.sent(.identityInformation, by: .responder) == [[0x08] + Array(repeating: 0, count: 16)])
    #expect(pair[.initiator].bond?.identityResolvingKey == nil)
    #expect(pair[.initiator].bond?.peer == PairedManagers.identities.responder.address)
  }

  // MARK: Key sizes (2.3.4)

  @Test("Keys are shortened to the smaller size", arguments: 7...16, [SecureConnectionsSupport.none, .offered])
  func keySizes(size: Int, support: SecureConnectionsSupport) throws {
    var pair = PairedManagers(
      initiator: .pairable(secureConnections: support) {
        $0.distributes = Self.all; $0.wants = Self.all
      },
      responder: .pairable(secureConnections: support) { $0.keySizes = 7...size })
    pair.pair()
    for role in [Role.initiator, .responder] {
      #expect(pair[role].security.keySize == size)
      #expect(pair[role].bond?.strength.keySize == size)
    }
    try expectSameKeys(pair)
    let bond = try #require(pair[.initiator].bond)
    for key in [bond.keyAsCentral, bond.keyAsPeripheral, pair.usedKeys[0]] {
      #expect(key?.key.count == 16)
      #expect(key?.key.suffix(16 - size).allSatisfy { $0 == 0 } == true)
      #expect(key?.key[size - 1] != 0 || size == 7, "the octets before are the key's")
    }
  }

  @Test("A level 4 link needs 16 octets")
  func shortSecureKey() {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo, authentication: true) { $0.keySizes = 7...15 },
      responder: .pairable(.displayYesNo, authentication: true))
    pair.pair()
    #expect(pair[.responder].security == LinkSecurity(protection: .authenticated, keySize: 15, isBonded: true))
  }

  // MARK: Bonding

  @Test("Without bonding on both sides nothing is stored", arguments: [(true, false), (false, true), (false, false)])
  func noBonding(initiator: Bool, responder: Bool) throws {
    var pair = PairedManagers(
      initiator: .pairable { $0.bonds = initiator }, responder: .pairable { $0.bonds = responder })
    pair.pair()
    for role in [Role.initiator, .responder] {
      #expect(pair.paired(role)?.isBonded == false)
      #expect(pair[role].bond == nil)
      #expect(pair[role].security == LinkSecurity(protection: .encrypted, keySize: 16, isBonded: false))
    }
    #expect(pair.sent(.identityInformation, by: .initiator).isEmpty)
  }

  // MARK: Cross-transport key derivation (2.4.2.4)

  @Test(
    "The link key is derived from the whole Long Term Key if both sides request it", arguments: [true, false], [16, 7])
  func linkKey(usesH7: Bool, size: Int) throws {
    let kinds: KeyKinds = [.encryption, .identity, .link]
    var pair = PairedManagers(
      initiator: .pairable {
        $0.distributes = kinds; $0.wants = kinds; $0.keySizes = 7...size
      },
      responder: .pairable {
        $0.distributes = kinds; $0.wants = kinds; $0.supportsH7 = usesH7
      })
    pair.pair()
    let linkKey = try #require(pair[.initiator].bond?.linkKey)
    #expect(linkKey == pair[.responder].bond?.linkKey)
    let expected = SecurityToolbox.linkKey(from: pair.usedKeys[0].key, usesH7: usesH7)
    #expect((linkKey == expected) == (size == 16))
    #expect(linkKey != SecurityToolbox.linkKey(from: pair.usedKeys[0].key, usesH7: !usesH7))
  }

  @Test("No link key is derived if one side does not request it, or from legacy pairing")
  func noLinkKey() {
    for (support, kinds) in [(SecureConnectionsSupport.offered, KeyKinds.identity), (.none, [.identity, .link])] {
      var pair = PairedManagers(
        initiator: .pairable {
          $0.distributes = [.identity, .link]; $0.wants = [.identity, .link]
        },
        responder: .pairable(secureConnections: support) {
          $0.distributes = kinds; $0.wants = [.identity, .link]
        })
      pair.pair()
      #expect(pair[.initiator].bond != nil && pair[.initiator].bond?.linkKey == nil)
      #expect(pair[.responder].bond != nil && pair[.responder].bond?.linkKey == nil)
    }
  }
}
