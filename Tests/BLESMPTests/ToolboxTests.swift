import BLECore
import BLESMP
import Testing

/// The specification's sample data: Core 5.4 Vol 3 Part H 2.2.3, 2.2.4 and Appendix D, most significant octet first.
@Suite("Cryptographic toolbox")
struct ToolboxTests {
  private static let keyA = "20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6"
  private static let keyB = "55188b3d 32f6bb9a 900afcfb eed4e72a 59cb9ac2 f19d7cfb 6b4fdd49 f47fc5fd"
  private static let secret = "ec0234a3 57c8ad05 341010a6 0a397d9b 99796b13 b4f866f1 868d34f3 73bfa698"
  private static let n1 = "d5cb8454 d177733e ffffb2ec 712baeab"
  private static let n2 = "a6e8e7cc 25a75f6e 216583f7 ff3dc4cf"
  private static let macKey = "2965f176 a1084a02 fd3f6a20 ce636e20"
  private static let a1 = TypedAddress(address: DeviceAddress(bits: 0x5612_3737_BFCE), isRandom: false)
  private static let a2 = TypedAddress(address: DeviceAddress(bits: 0xA713_702D_CFC1), isRandom: false)

  @Test("e is AES-128 (FIPS 197, C.1)")
  func e() throws {
    let result = SecurityToolbox.e(
      key: try octets("000102030405060708090a0b0c0d0e0f"), plaintext: try octets("00112233445566778899aabbccddeeff"))
    #expect(result == (try octets("69c4e0d86a7b0430d8cdb78070b4c55a")))
  }

  @Test("2.2.3: c1")
  func c1() throws {
    let result = SecurityToolbox.c1(
      key: Array(repeating: 0, count: 16), random: try octets("5783D52156AD6F0E6388274EC6702EE0"),
      request: try octets("07071000000101"), response: try octets("05000800000302"),
      initiator: TypedAddress(address: DeviceAddress(bits: 0xA1A2_A3A4_A5A6), isRandom: true),
      responder: TypedAddress(address: DeviceAddress(bits: 0xB1B2_B3B4_B5B6), isRandom: false))
    #expect(result == (try octets("1e1e3fef878988ead2a74dc5bef13b86")))
  }

  @Test("2.2.4: s1")
  func s1() throws {
    let result = SecurityToolbox.s1(
      key: Array(repeating: 0, count: 16), r1: try octets("000F0E0D0C0B0A091122334455667788"),
      r2: try octets("010203040506070899AABBCCDDEEFF00"))
    #expect(result == (try octets("9a1fe1f0e8b0f49b5b4216ae796da062")))
  }

  @Test("D.2: f4")
  func f4() throws {
    let result = SecurityToolbox.f4(
      u: try octets(Self.keyA), v: try octets(Self.keyB), x: try octets(Self.n1), z: 0)
    #expect(result == (try octets("f2c916f1 07a9bd1c f1eda1be a974872d")))
  }

  @Test("D.3: f5")
  func f5() throws {
    let keys = SecurityToolbox.f5(
      w: try octets(Self.secret), n1: try octets(Self.n1), n2: try octets(Self.n2), a1: Self.a1, a2: Self.a2)
    #expect(keys.macKey == (try octets(Self.macKey)))
    #expect(keys.longTermKey == (try octets("69867911 69d7cd23 980522b5 94750a38")))
  }

  @Test("D.4: f6")
  func f6() throws {
    let result = SecurityToolbox.f6(
      w: try octets(Self.macKey), n1: try octets(Self.n1), n2: try octets(Self.n2),
      r: try octets("12a3343b b453bb54 08da42d2 0c2d0fc8"), inputOutput: try octets("010102"), a1: Self.a1,
      a2: Self.a2)
    #expect(result == (try octets("e3c47398 9cd0e8c5 d26c0b09 da958f61")))
  }

  @Test("D.5: g2, and its six digits")
  func g2() throws {
    let result = SecurityToolbox.g2(
      u: try octets(Self.keyA), v: try octets(Self.keyB), x: try octets(Self.n1), y: try octets(Self.n2))
    #expect(result == 0x2F9E_D5BA)
    #expect(SecurityToolbox.digits(of: result) == 938_554)
  }

  @Test("D.6: h6")
  func h6() throws {
    let result = SecurityToolbox.h6(
      w: try octets("ec0234a3 57c8ad05 341010a6 0a397d9b"), keyID: [0x6C, 0x65, 0x62, 0x72])
    #expect(result == (try octets("2d9ae102 e76dc91c e8d3a9e2 80b16399")))
  }

  @Test("D.8: h7")
  func h7() throws {
    let salt = [UInt8](repeating: 0, count: 12) + [0x74, 0x6D, 0x70, 0x31]
    let result = SecurityToolbox.h7(salt: salt, w: try octets("ec0234a3 57c8ad05 341010a6 0a397d9b"))
    #expect(result == (try octets("fb173597 c6a3c0ec d2998c2a 75a57011")))
  }

  @Test(
    "D.9, D.10: the BR/EDR link key from the Long Term Key",
    arguments: [(true, "287ad379 dca40253 0a39f1f4 3047b835"), (false, "bc1ca4ef 633fc1bd 0d8230af ee388fb0")])
  func linkKey(usesH7: Bool, expected: String) throws {
    let longTermKey = try octets("368df9bc e3264b58 bd066c33 334fbf64")
    #expect(SecurityToolbox.linkKey(from: longTermKey, usesH7: usesH7) == (try octets(expected)))
  }

  @Test(
    "D.11, D.12: the Long Term Key from the BR/EDR link key",
    arguments: [(true, "e85e09eb 5eccb3e2 69418a13 3211bc79"), (false, "a813fb72 f1a3dfa1 8a2c9a43 f10d0a30")])
  func longTermKey(usesH7: Bool, expected: String) throws {
    let linkKey = try octets("05040302 01000908 07060504 03020100")
    #expect(SecurityToolbox.longTermKey(from: linkKey, usesH7: usesH7) == (try octets(expected)))
  }
}

/// Core 5.4 Vol 3 Part H 2.4.5, with signatures with which BlueZ's unit/test-crypto.c compares other devices.
@Suite("Signatures of data")
struct DataSignatureTests {
  private static let key = "2b7e1516 28aed2a6 abf71588 09cf4f3c"

  @Test(
    "Known signatures",
    arguments: [
      ("", "00000000b3a8594127ebc2c0"),
      ("6bc1bee22e409f96e93d7e117393172a", "00000000273974f4392a232a"),
      (
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
        "00000000b7ca94ab87c78218"
      ),
    ])
  func known(data: String, signature: String) throws {
    let data = try #require([UInt8](hexadecimal: data))
    let key = try octets(Self.key)
    #expect(DataSignature.sign(data, key: key, counter: 0).hexadecimal == signature)
    #expect(DataSignature.verify(try #require([UInt8](hexadecimal: signature)), of: data, key: key) == 0)
  }

  @Test("A Signed Write Command with counter 1")
  func signedWrite() throws {
    let key = try #require([UInt8](hexadecimal: "505E42DF9691EC72D31FCDFBEB641B61"))
    let signature = try #require([UInt8](hexadecimal: "01000000F1871E933C900FF2"))
    #expect(DataSignature.sign([0xD2, 0x12, 0x00, 0x13, 0x37], key: key, counter: 1) == signature)
    var wrong = signature
    wrong[11] ^= 1
    #expect(DataSignature.verify(wrong, of: [0xD2, 0x12, 0x00, 0x13, 0x37], key: key) == nil)
    #expect(DataSignature.verify([1, 2], of: [], key: key) == nil)
    #expect(DataSignature.verify(signature, of: [], key: [1]) == nil)
  }

  @Test("A signature counts once, and a later one invalidates all before it")
  func counters() throws {
    var own = SigningKey(key: try octets(Self.key))
    var peer = own
    let signed = (0..<3).map { _ in own.sign([1, 2, 3]) ?? [] }
    #expect(own.counter == 3)
    let checks: [(signature: [UInt8], data: [UInt8])] = [
      (signed[0], [1, 2, 3]), (signed[0], [1, 2, 3]), (signed[2], [1, 2, 4]), (signed[2], [1, 2, 3]),
      (signed[1], [1, 2, 3]),
    ]
    #expect(checks.map { peer.verify($0.signature, of: $0.data) } == [true, false, false, true, false])
    #expect(peer.counter == 3)
    own.counter = .max
    let last = own.sign([])
    #expect(last == nil)
  }
}

/// Returns a value that the specification writes most significant octet first, in the order of packets.
func octets(_ text: String) throws -> [UInt8] { Array(try #require([UInt8](hexadecimal: text)).reversed()) }
