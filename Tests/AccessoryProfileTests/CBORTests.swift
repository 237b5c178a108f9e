import BLECore
import Testing

@testable import AccessoryProfile

@Suite("CBOR")
struct CBORTests {
  private static func octets(_ digits: String) -> [UInt8] {
    stride(from: 0, to: digits.count, by: 2).map { place in
      let start = digits.index(digits.startIndex, offsetBy: place)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
  }

  /// From RFC 8949, Appendix A: those in the shortest form.
  @Test(arguments: [
    ("00", ExpressionValue.whole(0)), ("0a", .whole(10)), ("17", .whole(23)), ("1818", .whole(24)),
    ("1864", .whole(100)),
    ("1903e8", .whole(1000)), ("1a000f4240", .whole(1_000_000)), ("1b000000e8d4a51000", .whole(1_000_000_000_000)),
    ("20", .whole(-1)), ("29", .whole(-10)), ("3863", .whole(-100)), ("3903e7", .whole(-1000)), ("f4", .boolean(false)),
    ("f5", .boolean(true)), ("f6", .nothing), ("40", .octets([])), ("4401020304", .octets([1, 2, 3, 4])),
    ("60", .text("")),
    ("6161", .text("a")), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")), ("63e6b0b4", .text("水")),
    ("80", .list([])),
    ("83010203", .list([.whole(1), .whole(2), .whole(3)])), ("a0", .fields([:])),
    ("a26161016162820203", .fields(["a": .whole(1), "b": .list([.whole(2), .whole(3)])])),
    ("826161a161626163", .list([.text("a"), .fields(["b": .text("c")])])), ("fb3ff199999999999a", .real(1.1)),
    ("fb7e37e43c8800759c", .real(1e300)), ("fbc010666666666666", .real(-4.1)),
  ])
  func goesBothWays(_ digits: String, _ value: ExpressionValue) throws {
    #expect(CBOR.read(Self.octets(digits)) == value)
    #expect(try CBOR.write(value) == Self.octets(digits))
  }

  /// From the same appendix: those that have another form.
  @Test(arguments: [
    ("f90000", ExpressionValue.real(0)), ("f93c00", .real(1)), ("f97bff", .real(65504)), ("f90001", .real(0x1p-24)),
    ("f90400", .real(0x1p-14)), ("f9c400", .real(-4)), ("f97c00", .real(.infinity)), ("fa47c35000", .real(100_000)),
    ("fa7f7fffff", .real(Double(Float.greatestFiniteMagnitude))), ("f7", .nothing),
    ("1bffffffffffffffff", .real(0x1p64)),
    ("3bffffffffffffffff", .real(-0x1p64)),
    ("c11a514b67b0", .whole(1_363_896_240)),
    ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .text("http://www.example.com")),
    ("a201020304", .fields(["1": .whole(2), "3": .whole(4)])), ("5f42010243030405ff", .octets([1, 2, 3, 4, 5])),
    ("7f657374726561646d696e67ff", .text("streaming")), ("9fff", .list([])),
    ("9f018202039f0405ffff", .list([.whole(1), .list([.whole(2), .whole(3)]), .list([.whole(4), .whole(5)])])),
    ("bf6346756ef563416d7421ff", .fields(["Fun": .boolean(true), "Amt": .whole(-2)])), ("1800", .whole(0)),
  ])
  func isRead(_ digits: String, _ value: ExpressionValue) { #expect(CBOR.read(Self.octets(digits)) == value) }

  @Test(arguments: [
    "", "18", "1c", "1f", "4101ff", "42ff", "61", "61ff", "8101ff", "82", "8201", "9f", "9f01", "a1", "a161", "a16161",
    "a1f501", "bf", "bf6161ff",
    "5f01ff", "5f6161ff", "7f4101ff", "ff", "81ff", "f8ff", "fc", "ff00", "9bffffffffffffffff", "bb7fffffffffffffff",
    "5bffffffffffffffff", "c1", "a261610161", "f97e",
  ])
  func isNone(_ digits: String) { #expect(CBOR.read(Self.octets(digits)) == nil) }

  @Test func isNotReadDeeperThanItSays() {
    func nested(_ depth: Int) -> [UInt8] { Array(repeating: 0x81, count: depth) + [0] }
    #expect(CBOR.read(nested(CBOR.deepest)) != nil)
    #expect(CBOR.read(nested(CBOR.deepest + 1)) == nil)
    #expect(CBOR.read(nested(100_000)) == nil)
    #expect(CBOR.read(Array(repeating: 0x9F, count: 100_000)) == nil)
  }

  @Test func namesStandInTheOrderOfTheirOctets() throws {
    let value = ExpressionValue.fields(["aa": .whole(1), "b": .whole(2), "a": .whole(3)])
    #expect(try CBOR.write(value) == Self.octets("a3616103616202626161" + "01"))
  }

  @Test func anyOctetsAreTaken() {
    var numbers = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      let octets = (0..<Int(numbers.next() % 24)).map { _ in UInt8(truncatingIfNeeded: numbers.next() >> 32) }
      if let value = CBOR.read(octets) { #expect((try? CBOR.write(value)) != nil) }
    }
  }
}
