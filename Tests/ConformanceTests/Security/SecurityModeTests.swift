import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing

/// LE security mode 1 and Secure Connections Only mode with the accessory as the peripheral (Core 5.4 Vol 3 Part C 10.2, 10.3).
@Suite("GAP/SEC, GAP/BOND: through pairing")
struct SecurityModeTests {
  @Test("GAP/SEC/AUT/BV-11-C, GAP/SEC/AUT/BV-14-C: what needs a key is refused without one, and read after pairing")
  func accessAfterPairing() throws {
    let scene = try SecurityScene(.pairable(.offered, .displayYesNo), phone: .pairable(.offered, .displayYesNo))
    for value in [Guarded.encrypted, Guarded.authenticated, Guarded.secureConnections] {
      #expect(try scene.refusal(value) == .insufficientAuthentication)
    }
    try scene.pair()
    for value in [Guarded.encrypted, Guarded.authenticated, Guarded.secureConnections] {
      #expect(try scene.refusal(value) == nil)
      try scene.phone.write([8], to: scene.handle(value), on: scene.link)
      #expect(try scene.phone.read(scene.handle(value), on: scene.link) == [8])
    }
  }

  @Test(
    "GAP/SEC/AUT/BV-18-C, GAP/SEC/AUT/BV-20-C: the accessory asks for security, with a bond and without one",
    arguments: [SecureConnectionsSupport.none, .offered])
  func accessoryAsks(generation: SecureConnectionsSupport) throws {
    let scene = try SecurityScene(
      .pairable(generation, .keyboardOnly), phone: .pairable(generation, .displayOnly), requests: .afterRefusal)
    #expect(try scene.refusal(Guarded.authenticated) == .insufficientAuthentication)
    scene.simulation.run(for: .seconds(4))
    #expect(scene.requests.first?.contains(.authentication) == true)
    #expect(try scene.refusal(Guarded.authenticated) == nil)
    try scene.reconnect()
    #expect(try scene.refusal(Guarded.authenticated) == .insufficientEncryption)
    scene.simulation.run(for: .seconds(2))
    #expect(try scene.refusal(Guarded.authenticated) == nil)
    #expect(scene.events.count { if case .paired = $0 { true } else { false } } == 1)
  }

  @Test("GAP/SEC/AUT/BV-22-C: a phone whose bond the accessory has lost learns of it, and pairs again")
  func lostBond() throws {
    let scene = try SecurityScene()
    try scene.pair()
    try scene.accessory.perform(.removeBond(try #require(scene.bond).peer))
    try scene.reconnect()
    #expect(try scene.phone.pair(scene.link) == .notEncrypted(.pinOrKeyMissing))
    #expect(try scene.refusal(Guarded.encrypted) == .insufficientAuthentication)
    try scene.pair(anew: true)
    #expect(try scene.refusal(Guarded.encrypted) == nil)
  }

  @Test("GAP/SEC/AUT/BV-23-C: with a bond on an unencrypted link, the error is Insufficient Encryption")
  func keyNotInUse() throws {
    let scene = try SecurityScene()
    try scene.pair()
    try scene.reconnect()
    #expect(try scene.refusal(Guarded.encrypted) == .insufficientEncryption)
    #expect(try scene.encrypt())
    #expect(try scene.refusal(Guarded.encrypted) == nil)
  }

  @Test(
    """
    GAP/SEC/SEM/BV-21-C, GAP/SEC/SEM/BV-22-C, GAP/SEC/SEM/BV-23-C, GAP/SEC/SEM/BV-24-C, GAP/SEC/SEM/BV-25-C: \
    in Secure Connections Only mode an authenticated key of 128 bits opens everything, and each weaker one nothing
    """)
  func secureConnectionsOnly() throws {
    let only = PairingPolicy.pairable(.only, .displayYesNo) {
      $0.keySizes = 16...16
      $0.requiresAuthentication = true
    }
    let scene = try SecurityScene(only, phone: .pairable(.offered, .displayYesNo))
    #expect(try scene.refusal(Guarded.secureConnections) == .insufficientAuthentication)
    let bond = try scene.pair()
    #expect(bond.strength == KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))
    #expect(scene.state?.security.protection == .secureConnections)
    #expect(try scene.refusal(Guarded.secureConnections) == nil)
    try scene.reconnect()
    #expect(try scene.encrypt())
    #expect(try scene.refusal(Guarded.secureConnections) == nil)

    let unauthenticated = try SecurityScene(only, phone: .pairable(.offered))
    #expect(try unauthenticated.phone.pair(unauthenticated.link) == .failed(.authenticationRequirements, byPeer: true))
    #expect(try unauthenticated.refusal(Guarded.secureConnections) == .insufficientAuthentication)
    let short = try SecurityScene(only, phone: .pairable(.offered, .displayYesNo) { $0.keySizes = 7...15 })
    #expect(try short.phone.pair(short.link) == .failed(.encryptionKeySize, byPeer: true))
  }

  @Test("GAP/SEC/SEM/BI-09-C, GAP/SEC/SEM/BV-45-C: Secure Connections Only mode refuses legacy pairing")
  func refusesLegacy() throws {
    let only = PairingPolicy.pairable(.only, .keyboardDisplay)
    let scene = try SecurityScene(only, phone: .pairable(.none, .keyboardDisplay))
    #expect(try scene.phone.pair(scene.link) == .failed(.authenticationRequirements, byPeer: true))
    #expect(try scene.refusal(Guarded.secureConnections) == .insufficientAuthentication)
    #expect(scene.bond == nil && scene.state?.security == .open)
  }

  @Test(
    """
    GAP/SEC/SEM/BV-56-C, GAP/SEC/SEM/BV-57-C, GAP/SEC/SEM/BV-58-C, GAP/SEC/SEM/BV-59-C, GAP/SEC/SEM/BV-60-C, \
    GAP/SEC/SEM/BV-61-C: what the phone refuses the accessory's client is read after pairing, and after encryption
    """,
    arguments: [Guarded.encrypted, Guarded.authenticated, Guarded.secureConnections],
    [SecureConnectionsSupport.none, .offered])
  func accessoryAsClient(value: CharacteristicIndex, generation: SecureConnectionsSupport) throws {
    let scene = try SecurityScene(
      .pairable(generation, .keyboardDisplay), phone: .pairable(generation, .keyboardDisplay),
      requests: .afterRefusal, phoneServices: [Guarded.service])
    let handle = scene.phone.stack.server.database[value].value
    let isHopeless = value == Guarded.secureConnections && generation == .none
    for _ in 0..<2 {
      let link = try #require(scene.state).handle
      if isHopeless {
        #expect(throws: GATTFailure.self) { try scene.accessory.perform(.read(handle), on: link) }
      } else {
        #expect(try scene.accessory.perform(.read(handle), on: link) == .value([7]))
      }
      try scene.reconnect()
    }
    #expect(scene.bond != nil)
  }

  @Test(
    "GAP/BOND/BON/BV-01-C, GAP/BOND/BON/BV-02-C, GAP/BOND/BON/BV-03-C: both bond, one does not, or requests it",
    arguments: [(true, true), (true, false), (false, true)])
  func bonding(accessoryBonds: Bool, phoneBonds: Bool) throws {
    for accessoryAsks in [false, true] {
      let scene = try SecurityScene(.pairable { $0.bonds = accessoryBonds }, phone: .pairable { $0.bonds = phoneBonds })
      if accessoryAsks {
        try scene.accessory.perform(.pair(try #require(scene.state).handle))
        scene.simulation.run(for: .seconds(2))
      } else {
        try scene.pair()
      }
      #expect(try scene.refusal(Guarded.encrypted) == nil)
      let areBonded = accessoryBonds && phoneBonds
      #expect((scene.bond != nil) == areBonded && scene.phone.stack.bonds.isEmpty == !areBonded)
      try scene.reconnect()
      #expect(scene.state?.security.isBonded == areBonded)
      if areBonded { #expect(try scene.encrypt()) }
    }
  }
}
