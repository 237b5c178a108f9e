import BLECore
import BLECryptography
import Testing

/// Core 5.4 Vol 3 Part H 2.3.5.6.1 and Vol 2 Part G 7.1.2.1, 7.1.2.2.
@Suite("P-256 key pairs")
struct KeyPairTests {
  private let privateA = "3f49f6d4 a3c55f38 74c9b3e3 d2103f50 4aff607b eb40b799 5899b8a6 cd3c1abd"
  private let privateB = "55188b3d 32f6bb9a 900afcfb eed4e72a 59cb9ac2 f19d7cfb 6b4fdd49 f47fc5fd"

  @Test("The sample pairs have the specification's public keys and DHKey")
  func samples() throws {
    let a = try #require(KeyPair(privateKey: try octets(privateA)))
    let b = try #require(KeyPair(privateKey: try octets(privateB)))
    #expect(
      a.publicKey.x == (try octets("20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6")))
    #expect(
      a.publicKey.y == (try octets("dc809c49 652aeb6d 63329abf 5a52155c 766345c2 8fed3024 741c8ed0 1589d28b")))
    #expect(
      b.publicKey.x == (try octets("1ea1f0f0 1faf1d96 09592284 f19e4c00 47b58afd 8615a69f 559077b2 2faaa190")))
    #expect(
      b.publicKey.y == (try octets("4c55f33e 429dad37 7356703a 9ab85160 472d1130 e28e3676 5f89aff9 15b1214a")))
    let secret = try octets("ec0234a3 57c8ad05 341010a6 0a397d9b 99796b13 b4f866f1 868d34f3 73bfa698")
    #expect(a.sharedSecret(with: b.publicKey) == secret)
    #expect(b.sharedSecret(with: a.publicKey) == secret)
  }

  @Test("The debug pair is the first sample")
  func debug() throws {
    let debug = try #require(KeyPair.debug)
    #expect(debug.privateKey == (try octets(privateA)))
    #expect(debug == KeyPair(privateKey: try octets(privateA)))
    #expect(debug != KeyPair(privateKey: try octets(privateB)))
  }

  @Test("A point off the curve, the origin and a point of another length give no agreement")
  func invalidPoints() throws {
    let pair = try #require(KeyPair.debug)
    let key = pair.publicKey
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(pair.sharedSecret(with: PublicKey(x: key.x, y: zeros)) == nil)
    #expect(pair.sharedSecret(with: PublicKey(x: zeros, y: zeros)) == nil)
    #expect(pair.sharedSecret(with: PublicKey(x: key.y, y: key.x)) == nil)
    #expect(pair.sharedSecret(with: PublicKey(x: key.x, y: [1])) == nil)
    var octets = key.octets
    octets[5] ^= 1
    #expect(pair.sharedSecret(with: PublicKey(octets: octets)) == nil)
    #expect(pair.sharedSecret(with: PublicKey(octets: [])) == nil)
  }

  @Test("In HCI a point has its coordinates one after the other")
  func order() throws {
    let key = try #require(KeyPair.debug).publicKey
    #expect(key.octets == key.x + key.y)
    #expect(PublicKey(octets: key.octets) == key)
  }

  @Test("A private key is not zero, is below the order of the curve, and has 32 octets")
  func privateKeys() throws {
    let order = try octets("ffffffff 00000000 ffffffff ffffffff bce6faad a7179e84 f3b9cac2 fc632551")
    #expect(KeyPair(privateKey: Array(repeating: 0, count: 32)) == nil)
    #expect(KeyPair(privateKey: order) == nil)
    #expect(KeyPair(privateKey: Array(repeating: 0xFF, count: 32)) == nil)
    #expect(KeyPair(privateKey: [1]) == nil)
    #expect(KeyPair(privateKey: [order[0] - 1] + order.dropFirst()) != nil)
  }

  /// Returns numbers from a list, then a constant.
  private struct Listed: RandomNumberGenerator {
    var numbers: [UInt64]
    var rest: UInt64
    mutating func next() -> UInt64 { numbers.isEmpty ? rest : numbers.removeFirst() }
  }

  @Test("An invalid private key is drawn again, and a generator without others ends it")
  func retries() {
    var once = Listed(numbers: Array(repeating: .max, count: 4), rest: 7)
    #expect(KeyPair(random: &once)?.privateKey.prefix(8) == [7, 0, 0, 0, 0, 0, 0, 0])
    var never = Listed(numbers: [], rest: .max)
    #expect(KeyPair(random: &never) == nil)
  }
}

/// Returns a value that the specification writes most significant octet first, in the order of packets.
private func octets(_ text: String) throws -> [UInt8] { Array(try #require([UInt8](hexadecimal: text)).reversed()) }
