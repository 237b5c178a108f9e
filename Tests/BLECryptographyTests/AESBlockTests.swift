import BLECore
import BLECryptography
import Testing

@Suite("One block of AES-128")
struct AESBlockTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: String
    let plaintext: String
    let encrypted: String
  }

  static let vectors = [
    Vector(
      testDescription: "FIPS 197 appendix B", key: "2b7e151628aed2a6abf7158809cf4f3c",
      plaintext: "3243f6a8885a308d313198a2e0370734", encrypted: "3925841d02dc09fbdc118597196a0b32"),
    Vector(
      testDescription: "FIPS 197 appendix C.1", key: "000102030405060708090a0b0c0d0e0f",
      plaintext: "00112233445566778899aabbccddeeff", encrypted: "69c4e0d86a7b0430d8cdb78070b4c55a"),
    Vector(
      testDescription: "Core 5.4 Vol 3 Part H D.7: ah, a hash of an address",
      key: "ec0234a357c8ad05341010a60a397d9b", plaintext: "00000000000000000000000000708194",
      encrypted: "159d5fb72ebe2311a48c1bdcc40dfbaa"),
    Vector(
      testDescription: "Core 5.4 Vol 6 Part C 1.2: a session key", key: "4c68384139f574d836bcf34e9dfb01bf",
      plaintext: "0213243546576879acbdcedfe0f10213", encrypted: "99ad1b5226a37e3e058e3b8e27c2c666"),
  ]

  @Test("Known blocks", arguments: vectors)
  func block(_ vector: Vector) throws {
    let key = try #require([UInt8](hexadecimal: vector.key))
    let plaintext = try #require([UInt8](hexadecimal: vector.plaintext))
    #expect(AESBlock.encrypt(key: key, plaintext).hexadecimal == vector.encrypted)
  }

  @Test("Arguments of another size are truncated or padded")
  func sizes() {
    let zeros = Array(repeating: UInt8(0), count: 16)
    #expect(AESBlock.encrypt(key: [], []) == AESBlock.encrypt(key: zeros, zeros))
    #expect(AESBlock.encrypt(key: zeros + [1], zeros + [2]) == AESBlock.encrypt(key: zeros, zeros))
    #expect(AESBlock.encrypt(key: zeros, zeros).hexadecimal == "66e94bd4ef8a2c3b884cfa59ca342b2e")
  }
}
