import BLECore
import BLECryptography
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing

/// Key sizes, key distribution, and invalid public keys, with the accessory as responder.
@Suite("SM/PER: keys")
struct KeyTests {
  @Test(
    "SM/PER/EKS/BV-02-C: the shorter of both key sizes holds, as long as it is long enough", arguments: [7, 10, 16])
  func keySize(size: Int) throws {
    for generation in [SecureConnectionsSupport.none, .offered] {
      let scene = try SecurityScene(
        .pairable(generation) { $0.keySizes = 7...16 }, phone: .pairable(generation) { $0.keySizes = 7...size })
      #expect(try scene.pair().strength.keySize == size)
      #expect(scene.state?.security.keySize == size)
    }
  }

  @Test("SM/PER/EKS/BI-02-C: a key size below the minimum is refused", arguments: [(16, 7), (16, 15), (8, 7)])
  func shortKey(minimum: Int, offered: Int) throws {
    let raw = try RawScene(Guarded.configuration(.pairable { $0.keySizes = minimum...16 }, requests: .never))
    try raw.central.exchange("01 03 00 01 \([UInt8(offered)].hexadecimal) 01 01", "05 06", on: .securityManager)
    try raw.central.exchange("01 03 00 01 06 01 01", "05 0a", on: .securityManager)
  }

  @Test(
    """
    SM/PER/KDU/BV-01-C, SM/PER/KDU/BV-02-C, SM/PER/KDU/BV-03-C, SM/PER/KDU/BV-07-C, SM/PER/KDU/BV-08-C, SM/PER/KDU/BV-09-C: \
    the keys that both sides want are distributed, and no others
    """,
    arguments: [SecureConnectionsSupport.none, .offered],
    [KeyKinds.encryption, .identity, .signing, [.encryption, .identity, .signing]])
  func distribution(generation: SecureConnectionsSupport, kinds: KeyKinds) throws {
    let all: KeyKinds = [.encryption, .identity, .signing]
    let accessory = PairingPolicy.pairable(generation) {
      $0.distributes = all
      $0.wants = all
    }
    let phone = PairingPolicy.pairable(generation) {
      $0.distributes = kinds
      $0.wants = kinds
    }
    let scene = try SecurityScene(accessory, phone: phone)
    let atPhone = try scene.pair()
    let here = try #require(scene.bond)
    // LE Secure Connections distributes no Long Term Key: both sides have it.
    let hasLongTermKey = generation == .offered || kinds.contains(.encryption)
    #expect((here.keyAsPeripheral != nil) == hasLongTermKey && here.keyAsPeripheral == atPhone.keyAsCentral)
    #expect((here.keyAsCentral != nil) == hasLongTermKey && here.keyAsCentral == atPhone.keyAsPeripheral)
    #expect(here.identityResolvingKey == (kinds.contains(.identity) ? [UInt8](1...16) : nil))
    #expect((atPhone.identityResolvingKey != nil) == kinds.contains(.identity))
    #expect((here.ownSigning != nil) == kinds.contains(.signing) && here.ownSigning?.key == atPhone.peerSigning?.key)
    #expect(here.peerSigning?.key == atPhone.ownSigning?.key)
    #expect(here.peer.address == scene.phone.stack.address && atPhone.peer.address == Specimen.address)
  }

  /// A public key must be a point on P-256: these are not.
  private static let badKeys: [[UInt8]] = [
    Array(repeating: 0, count: 64), Array(repeating: 0xFF, count: 64), Array(repeating: 1, count: 64),
    // The x of the debug key with y = 0, as in the invalid curve attack.
    KeyPair.debug.map { $0.publicKey.x + Array(repeating: 0, count: 32) } ?? [],
  ]

  @Test(
    "SM/PER/KDU/BI-01-C, SM/PER/KDU/BI-02-C, SM/PER/KDU/BI-03-C, SM/PER/KDU/BI-04-C: an invalid public key fails",
    arguments: badKeys)
  func invalidPublicKey(key: [UInt8]) throws {
    try #require(key.count == 64)
    let raw = try RawScene(Guarded.configuration(.pairable(), requests: .never))
    try raw.central.send("01 03 00 09 10 00 00", on: .securityManager)
    #expect(raw.central.next(on: .securityManager)?.hasPrefix("02") == true)
    try raw.central.send([0x0C] + key, on: .securityManager)
    let answer = try #require(raw.central.next(on: .securityManager))
    #expect(answer.hasPrefix("05"), "\(answer)")
    raw.simulation.run(for: .seconds(1))
    #expect(raw.central.frames.isEmpty && raw.central.ends == [])
    #expect(raw.accessory.stack.bonds.isEmpty)
  }

  @Test("SM/PER/BK/BI-01-C: the accessory's own public key, sent back to it, fails")
  func ownPublicKey() throws {
    let raw = try RawScene(Guarded.configuration(.pairable(), requests: .never))
    // The key pair is the first random value that a pairing draws.
    var random = raw.accessory.stack.random
    let own = try #require(KeyPair(random: &random)).publicKey
    try raw.central.send("01 03 00 09 10 00 00", on: .securityManager)
    _ = raw.central.next(on: .securityManager)
    try raw.central.send([0x0C] + own.x + own.y, on: .securityManager)
    let answer = try #require(raw.central.next(on: .securityManager))
    #expect(answer.hasPrefix("05"), "\(answer)")
    #expect(raw.accessory.stack.bonds.isEmpty)
  }

  @Test("SM/PER/SIP/BV-01-C, SM/PER/PIS/BV-01-C: a Security Request without a bond makes the central pair")
  func securityRequest() throws {
    let scene = try SecurityScene()
    try scene.accessory.perform(.pair(try #require(scene.state).handle))
    scene.simulation.run(for: .seconds(2))
    #expect(scene.requests.count == 1 && scene.bond != nil && scene.state?.security.protection == .encrypted)
  }

  @Test("SM/PER/SIE/BV-01-C, SM/PER/PIS/BV-02-C: a Security Request with a bond makes the central encrypt")
  func securityRequestWithBond() throws {
    let scene = try SecurityScene()
    try scene.pair()
    try scene.reconnect()
    let bond = scene.bond
    try scene.accessory.perform(.pair(try #require(scene.state).handle))
    scene.simulation.run(for: .seconds(2))
    #expect(scene.requests.count == 1 && scene.bond == bond && scene.state?.security.protection == .encrypted)
  }
}
