import BLECore
import BLEGATT
import Foundation
import Testing

@testable import AccessoryProfile

@Suite("Numbers of 64 bits")
struct WideNumberTests {
  private static let u64 = ValueFormat.integer(IntegerFormat(octets: 8))
  private static let i64 = ValueFormat.integer(IntegerFormat(octets: 8, isSigned: true))
  private static let greatest = [UInt8](repeating: 0xFF, count: 8)

  @Test(
    "A profile's value is exact up to the maximum",
    arguments: [
      ("18446744073709551615", "ffffffffffffffff"), ("0xFFFFFFFFFFFFFFFF", "ffffffffffffffff"),
      ("9223372036854775808", "0000000000000080"), ("9007199254740993", "0100000000002000"), ("0", "0000000000000000"),
      ("u64:18446744073709551615", "ffffffffffffffff"), ("hex:ffffffffffffffff", "ffffffffffffffff"),
    ])
  func values(_ text: String, _ octets: String) throws {
    let profile = try characteristic("properties: [read], format: u64, value: \(text)")
    #expect(profile.services[0].characteristics[0].value == .stored(try #require([UInt8](hexadecimal: octets))))
  }

  @Test("Numbers out of range are refused", arguments: ["18446744073709551616", "-1", "99999999999999999999999"])
  func tooLarge(_ text: String) {
    #expect(throws: ProfileError.self) { try characteristic("properties: [read], format: u64, value: \(text)") }
  }

  @Test("JSON is exact in both directions")
  func json() throws {
    let decoded = try JSONDecoder().decode(ProfileValue.self, from: Data("[18446744073709551615,5,-1]".utf8))
    #expect(decoded == .array([.unsigned(.max), .int(5), .int(-1)]))
    #expect(try Self.u64.encode(.unsigned(.max)) == Self.greatest)
    #expect(Self.u64.decode(Self.greatest) == .unsigned(.max))
    #expect("\(ProfileValue.unsigned(.max))" == "18446744073709551615")
    let encoded = try JSONEncoder().encode(ProfileValue.array([.unsigned(.max)]))
    #expect(String(decoding: encoded, as: UTF8.self) == "[18446744073709551615]")
    // A number that JSON has to round is not accepted.
    let rounded = try JSONDecoder().decode(ProfileValue.self, from: Data("18446744073709551616".utf8))
    #expect(throws: ProfileValueError.self) { try Self.u64.encode(rounded) }
  }

  @Test("Every width has its limits", arguments: 1...8)
  func bounds(_ octets: Int) throws {
    let greatest = UInt64.max >> UInt64(64 - 8 * octets)
    let unsigned = ValueFormat.integer(IntegerFormat(octets: octets))
    #expect(try unsigned.encode(.whole(greatest)) == [UInt8](repeating: 0xFF, count: octets))
    #expect(throws: ProfileValueError.self) { try unsigned.encode(.int(-1)) }
    #expect(throws: ProfileValueError.self) { try unsigned.encode(.double(Double(greatest) + 1)) }
    let signed = ValueFormat.integer(IntegerFormat(octets: octets, isSigned: true))
    let most = Int64(greatest >> 1)
    #expect(signed.decode(try signed.encode(.int(most))) == .int(most))
    #expect(signed.decode(try signed.encode(.int(-most - 1))) == .int(-most - 1))
    #expect(throws: ProfileValueError.self) { try signed.encode(.whole(UInt64(most) + 1)) }
    if octets < 8 { #expect(throws: ProfileValueError.self) { try unsigned.encode(.whole(greatest + 1)) } }
  }

  @Test("The message for the widest states its limits")
  func message() {
    #expect(throws: ProfileValueError("-1 is not within 0...18446744073709551615")) { try Self.u64.encode(.int(-1)) }
    #expect(
      throws: ProfileValueError("9223372036854775808 is not within -9223372036854775808...9223372036854775807")
    ) { try Self.i64.encode(.whole(1 << 63)) }
  }

  @Test("A valid range, and generators, go up to the maximum")
  func ranges() throws {
    let profile = try characteristic(
      "properties: [read], format: u64, value: 0, valid-range: { low: 18446744073709551614, high: 18446744073709551615 }"
    )
    #expect(
      profile.services[0].characteristics[0].descriptors.contains(
        .validRange([0xFE] + [UInt8](repeating: 0xFF, count: 7), Self.greatest)))
    #expect(throws: ProfileError.self) {
      try characteristic(
        "properties: [read], format: u64, value: 0, valid-range: { low: 18446744073709551615, high: 18446744073709551614 }"
      )
    }
    let ramp = "properties: [read], format: u64, value: { ramp: { from: 0, to: 18446744073709551615, over: 1 s } }"
    var runtime = ProfileRuntime(profile: try characteristic(ramp))
    #expect(runtime.readOctets("x", at: .ms(2000)) == Self.greatest)
    #expect(throws: ProfileError.self) {
      try characteristic("properties: [read], format: u64, value: { ramp: { from: 0, to: 2e19, over: 1 s } }")
    }
  }

  @Test("No key follows the maximum")
  func keys() throws {
    let lines = """
      tables:
        - id: t
          columns: { key: u64, level: u8 }
          rows: [ { key: 18446744073709551615, level: 1 } ]
      """
    var table = try profile(lines).tables[0]
    #expect(throws: ProfileValueError("no key is free")) { try table.apply(.add(["level": .int(2)])) }
    #expect(table.text(of: "key", in: table.rows[0]) == Array("18446744073709551615".utf8))
  }
}
