import BLECore
import Testing

@Suite("Hexadecimal text")
struct HexadecimalTests {
  @Test("Octets are written as lower-case digits without separators")
  func writes() {
    #expect(([] as [UInt8]).hexadecimal == "")
    #expect(([0x00, 0x0F, 0xA5, 0xFF] as [UInt8]).hexadecimal == "000fa5ff")
    #expect(([1, 2, 3] as [UInt8])[1...].hexadecimal == "0203")
    #expect(([0x00, 0x0F, 0xA5, 0xFF] as [UInt8]).uppercaseHexadecimal == "000FA5FF")
  }

  @Test(
    "Text is read in either case, with separators between octets",
    arguments: ["0102ab", "0102AB", "01 02 ab", "01:02:AB", "01-02-ab", "01_02_ab", " 01  02ab "])
  func reads(text: String) {
    #expect([UInt8](hexadecimal: text) == [0x01, 0x02, 0xAB])
  }

  @Test("Empty text gives no octets")
  func empty() {
    #expect([UInt8](hexadecimal: "") == [])
    #expect([UInt8](hexadecimal: " ") == [])
  }

  @Test(
    "Half an octet, a separator inside one, and any other character are refused",
    arguments: ["0", "010", "0 1", "0:1", "0x01", "0g", "+1", "é1", "01,02", "01\n"])
  func refuses(text: String) {
    #expect([UInt8](hexadecimal: text) == nil)
  }

  @Test("Text round trips", arguments: 0..<20 as Range<UInt64>)
  func roundTrip(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let octets = random.octets(Int(seed) * 7)
    #expect([UInt8](hexadecimal: octets.hexadecimal) == octets)
  }
}
