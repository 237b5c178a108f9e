import BLECore
import BLECryptography
import Testing

/// RFC 4493, section 4.
@Suite("AES-CMAC")
struct AESCMACTests {
  private static let key = "2b7e151628aed2a6abf7158809cf4f3c"
  private static let message =
    "6bc1bee22e409f96e93d7e117393172a" + "ae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52ef" + "f69f2445df4f9b17ad2b417be66c3710"

  @Test(
    "The examples of RFC 4493",
    arguments: [
      (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
      (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ])
  func examples(length: Int, code: String) throws {
    let key = try #require([UInt8](hexadecimal: Self.key))
    let message = try #require([UInt8](hexadecimal: Self.message))
    #expect(AESCMAC.authenticationCode(of: Array(message.prefix(length)), key: key).hexadecimal == code)
  }

  /// Core 5.4 Vol 3 Part G Appendix B.
  @Test("The Database Hash of the specification's example")
  func databaseHash() throws {
    let attributes =
      "010000280018" + "020003280a0300002a" + "04000328020500012a" + "060000280118" + "070003282008" + "00052a"
      + "09000229" + "0a0003280a0b00292b" + "0c000328020d002a2b" + "0e0000280818" + "0f000228140016000f18"
      + "10000328a21100182a" + "12000229" + "130000290000" + "140001280f18" + "15000328021600192a"
    let input = try #require([UInt8](hexadecimal: attributes))
    #expect(
      AESCMAC.authenticationCode(of: input, key: AESCMAC.zeroKey).hexadecimal == "f1ca2d48ecf58bac8a8830bbb9fba990")
  }

  @Test("A key of another length is refused", arguments: [0, 15, 17, 24, 32])
  func keyLength(length: Int) {
    #expect(AESCMAC.authenticationCode(of: [1], key: Array(repeating: 0, count: length)).isEmpty)
  }
}
