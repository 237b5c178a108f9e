import BLECore
import Testing

@testable import AccessoryProfile

/// An environment with two values, for testing expressions alone.
private struct Values: ExpressionEnvironment {
  var numbers = SplitMix64(seed: 7)

  func value(of reference: Expression.Reference) throws(ExpressionError) -> ExpressionValue {
    switch reference {
    case .parameter("level"): return .whole(80)
    case .parameter("packet"): return .octets([0x10, 0x02, 0xFF, 0x00])
    case .parameter("measurement"): return .fields(["bpm": .whole(72), "contact": .text("detected")])
    default: throw ExpressionError("unknown device")
    }
  }

  func octets(of reference: Expression.Reference) throws(ExpressionError) -> [UInt8] {
    try value(of: reference).octets()
  }

  func isSubscribed(_ reference: Expression.Reference) -> Bool { true }

  mutating func random() -> UInt64 { numbers.next() }
}

/// Returns the result of a text, or the reason why there is none.
private func result(_ text: String) -> String {
  do throws(ExpressionError) {
    let expression = try ExpressionParser.parse(text).resolved { .parameter($0) }
    var values = Values()
    return "\(try expression.evaluate(in: &values).profileValue)"
  } catch {
    return "\(error.reason)\(error.offset.map { " @\($0)" } ?? "")"
  }
}

@Suite("Expressions")
struct ExpressionTests {
  @Test(arguments: [
    ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("7 / 2", "3"), ("-7 / 2", "-3"), ("7 % 4", "3"), ("7 / 2.0", "3.5"),
    ("7 / 0", "0"), ("7 % 0", "0"), ("1.5 / 0", "0.0"), ("0x10 | 1", "17"), ("6 ^ 3", "5"), ("~0", "-1"),
    ("1 << 4 >> 2", "4"), ("9223372036854775807 + 1", "-9223372036854775808"),
    ("-9223372036854775807 - 1", "-9223372036854775808"), ("1_000", "1000"),
    ("level - 1", "79"), ("level > 50 and level <= 80", "true"), ("not level == 80", "false"),
    ("true or nothing-here", "true"), ("false and nothing-here", "false"), ("1 == 1.0", "true"),
    ("'a' == \"a\"", "true"), ("'1' == 1", "false"), ("if(level > 3, 'much', 1 / 0)", "\"much\""),
    ("measurement.bpm + 1", "73"), ("measurement.contact == 'detected'", "true"), ("measurement.rr", "null"),
    ("min(3, 1.5, 2)", "1.5"), ("max(3, 4)", "4"), ("abs(-3)", "3"), ("round(2.5)", "3"), ("floor(-2.5)", "-3"),
    ("number('12')", "12"), ("number('x')", "0"), ("text(level)", "\"80\""), ("hex(packet)", "\"1002ff00\""),
  ])
  func numbersAndWords(_ text: String, _ expected: String) { #expect(result(text) == expected) }

  @Test(arguments: [
    ("packet[0]", "16"), ("packet[-2]", "255"), ("packet[9]", "null"), ("packet[1..3]", #"{"hex": "02ff"}"#),
    ("packet[2..]", #"{"hex": "ff00"}"#), ("packet[..-1]", #"{"hex": "1002ff"}"#),
    ("packet[3..1]", #"{"hex": ""}"#), ("packet[..99]", #"{"hex": "1002ff00"}"#),
    ("hex:01 ++ 2 ++ 'A' ++ u16(0x0304)", #"{"hex": "0102410403"}"#), ("u16-be(258)", #"{"hex": "0102"}"#),
    ("u8(-1)", #"{"hex": "ff"}"#), ("le(packet)", "16712208"), ("be(packet[..2])", "4098"),
    ("signed(be(packet[2..]), 16)", "-256"), ("reverse(packet)", #"{"hex": "00ff0210"}"#),
    ("repeat(0xAB, 3)", #"{"hex": "ababab"}"#), ("length(packet)", "4"), ("contains(packet, hex:02ff)", "true"),
    ("starts(packet, hex:02)", "false"), ("sum(packet)", "273"), ("xor(packet)", "237"),
  ])
  func octets(_ text: String, _ expected: String) { #expect(result(text) == expected) }

  /// Check values of "123456789" from the catalogue of parametrised CRC algorithms; FIPS 180-4; RFC 4231 case 2; RFC 4493 example 2;
  /// FIPS 197 C.1.
  @Test(arguments: [
    ("crc8('123456789')", "244"), ("crc16('123456789')", "10673"), ("crc16-xmodem('123456789')", "12739"),
    ("crc16-modbus('123456789')", "19255"), ("crc32('123456789')", "3421780262"),
    ("crc16-mcrf4xx('123456789')", "28561"),
    ("hex(sha256('abc'))", "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""),
    (
      "hex(hmac-sha256('Jefe', 'what do ya want for nothing?'))",
      "\"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843\""
    ),
    (
      "hex(aes-cmac(hex:2b7e151628aed2a6abf7158809cf4f3c, hex:6bc1bee22e409f96e93d7e117393172a))",
      "\"070a16b46b4d4144f79bdd9dd04a287c\""
    ),
    (
      "hex(aes-ecb(hex:000102030405060708090a0b0c0d0e0f, hex:00112233445566778899aabbccddeeff))",
      "\"69c4e0d86a7b0430d8cdb78070b4c55a\""
    ),
  ])
  func checksumsAndCodes(_ text: String, _ expected: String) { #expect(result(text) == expected) }

  @Test(arguments: [
    ("", "expected an expression, found nothing @0"), ("1 +", "expected a value here, not the end @3"),
    ("1 2", "expected an operator or the end here, not a value @2"),
    ("a = 1", "'=' is not valid here: equality is '==' @2"),
    ("!a", "'!' is not valid here: 'not' negates @0"), ("(1", "expected ')' here, not the end @2"),
    ("x[1", "expected '..' or ']' here, not the end @3"), ("'abc", "the text that begins here is not terminated @0"),
    ("hex:1", "'hex:' must be followed by pairs of hexadecimal digits, not '1' @4"),
    ("012", "'012' is not a number @0"),
    ("sha257(1)", "there is no function 'sha257', did you mean 'sha256'? @0"),
    ("sha256()", "'sha256' does not take these arguments: sha256(X) @0"),
    ("1 < 2 < 3", "comparisons cannot be chained; join them with 'and' @6"),
    ("a.1", "expected the name of a field here, not a value @2"),
    (String(repeating: "(", count: 100) + "1", "this is nested too deeply @32"),
    (String(repeating: "1+", count: 100) + "1", "this is nested too deeply @129"),
  ])
  func mistakesOfTheTextHaveTheirPlace(_ text: String, _ expected: String) { #expect(result(text) == expected) }

  @Test(arguments: [
    ("1 + 'a'", "expected a number, not text"), ("level and true", "expected true or false, not the number 80"),
    ("300 ++ 1", "300 does not fit into one octet; use u16(300) or a wider function"),
    ("level.bpm", "expected a value with the field 'bpm', not the number 80"),
    ("measurement ++ 1", "expected octets, not a value with fields"),
    ("aes-cmac(hex:00, 'x')", "the key must have 16 octets, not 1"),
    ("aes-ecb(repeat(0, 16), 'x')", "the message must consist of blocks of 16 octets, not 1 octets"),
    ("repeat(0, 1048577)", "the result would exceed 1048576 octets"),
    ("repeat(0, 1048576) ++ 1", "the result would exceed 1048576 octets"),
    ("cbor(repeat(0, 1048576))", "the result would exceed 1048576 octets"),
    ("fields('a')", "the last name of 'fields' has no value"),
    ("fields(1, 2)", "expected the name of a field in quotes, not the number 1"),
    ("random(513)", "random returns 0 to 512 octets, not 513"),
    ("random(2, 1)", "the smallest number, 2, is greater than the largest, 1"),
    ("le(repeat(1, 9))", "9 octets are too many for a number; the maximum is 8"),
  ])
  func whatCannotBeComputedSaysWhy(_ text: String, _ expected: String) { #expect(result(text) == expected) }

  @Test(arguments: [
    ("fields('a', 1, 'b', measurement.rr).a", "1"), ("present(fields('a', 1).b)", "false"),
    ("present(measurement.bpm)", "true"),
    ("present(measurement.rr.first)", "false"), ("list('a', 'b')[1]", "\"b\""), ("length(list())", "0"),
    ("hex(cbor(fields('rc', 0, 'off', 300)))", "\"a262726300636f666619012c\""), ("hex(cbor(fields()))", "\"a0\""),
    ("from-cbor(hex:a2616101616203).b", "3"), ("present(from-cbor(hex:a1))", "false"),
    ("from-cbor(cbor(packet)) == packet", "true"),
  ])
  func valuesOfSeveralParts(_ text: String, _ expected: String) { #expect(result(text) == expected) }

  /// A value that is repeatedly concatenated with itself is limited.
  @Test func valuesDoNotGrowForEver() throws {
    var value = ExpressionValue.whole(0)
    let reason = #expect(throws: ExpressionError.self) {
      for _ in 0..<40 { value = try ExpressionFunctions.apply(.list, [value, value]) }
    }
    #expect(reason?.reason == "the value has more than 1000 parts, or is nested more than 16 deep")
  }

  @Test func randomNumbersAreWithinBounds() {
    var values = Values()
    for _ in 0..<200 {
      guard let expression = try? ExpressionParser.parse("random(-2, 2)"),
        case .whole(let number)? = try? expression.evaluate(in: &values)
      else {
        Issue.record("no number")
        return
      }
      #expect((-2...2).contains(number))
    }
    #expect(result("length(random(16))") == "16")
  }

  @Test func namesAreReplacedAndFieldsAreNot() {
    #expect(
      ExpressionLexer.renaming("level + a.level - 'level'", ["level": "second-level"])
        == "second-level + a.level - 'level'")
  }
}
