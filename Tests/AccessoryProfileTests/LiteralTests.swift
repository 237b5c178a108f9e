import AccessoryProfile
import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("Literals")
struct LiteralTests {
  @Test(
    arguments: [
      ("0", 0), ("17", 17), ("-5", -5), ("+5", 5), ("0x1F", 31), ("1_000", 1000), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min), ("017", nil), ("12:30", nil), ("1e3", nil), ("0b1", nil), ("0o7", nil),
      ("", nil),
      ("-", nil), ("_1", nil), ("1_", nil), ("9223372036854775808", nil), ("٣", nil), ("--1", nil), ("0x", nil),
      ("0x-1", nil),
    ] as [(String, Int64?)])
  func integers(_ text: String, _ value: Int64?) { #expect(Numbers.integer(text) == value) }

  @Test(
    arguments: [
      ("1.5", 1.5), ("-0.25", -0.25), ("3", 3), (".5", nil), ("5.", nil), ("1.2.3", nil), ("1e5", nil), (".inf", nil),
      ("nan", nil), ("01.5", nil), ("1.-5", nil),
    ] as [(String, Double?)])
  func decimals(_ text: String, _ value: Double?) { #expect(Numbers.decimal(text) == value) }

  @Test(
    arguments: [
      ("20 ms", .milliseconds(20)), ("152.5 ms", .microseconds(152_500)), ("1 s", .seconds(1)),
      ("8 h", .seconds(28_800)),
      ("90min", .seconds(5400)), ("250 us", .microseconds(250)), ("2 d", .seconds(172_800)), ("0 s", .zero), ("1", nil),
      ("s", nil), ("-1 s", nil), ("1  s", nil), ("1 S", nil), ("1 sec", nil), ("1e9 s", nil), ("99999999 d", nil),
    ] as [(String, Duration?)])
  func durations(_ text: String, _ value: Duration?) { #expect(Durations.parse(text) == value) }

  @Test(arguments: [
    ("hex:0102", "0102"), ("hex:01 02:03", "010203"), ("0x01", "01"), ("0xdeadbeef", "deadbeef"),
    ("u8:7", "07"), ("u16:500", "f401"), ("i16:-2", "feff"), ("u32:0x10", "10000000"), ("uuid:180D", "0d18"),
    ("uuid:heart-rate", "0d18"), ("\"hé\"", "68c3a9"), ("\"0x01\"", "30783031"), ("[1, 2, 0xFF]", "0102ff"),
    ("uuid:ABDD3056-28FA-441D-A470-55A75A52553A", "3a55525aa75570a41d44fa285630ddab"),
  ])
  func octets(_ text: String, _ octets: String) throws {
    let profile = try characteristic("properties: [read], value: \(text)")
    #expect(profile.services[0].characteristics[0].value == .stored([UInt8](hexadecimal: octets) ?? []))
  }

  @Test(arguments: [
    "hex:1", "hex:0g", "0x", "0x123", "u8:256", "u16:0500", "u9:1", "i8:128", "plain", "12", "[256]", "[a]", "uuid:12",
  ])
  func noOctets(_ text: String) {
    #expect(throws: ProfileError.self) { try characteristic("properties: [read], value: \(text)") }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00", 4), (951_782_399, "2000-02-28T23:59:59", 1), (951_782_400, "2000-02-29T00:00:00", 2),
    (1_709_251_198, "2024-02-29T23:59:58", 4), (4_107_542_400, "2100-03-01T00:00:00", 1),
    (-1, "1969-12-31T23:59:59", 3),
  ])
  func calendar(_ seconds: Int64, _ text: String, _ weekday: Int) {
    let time = CalendarTime(secondsSince1970: seconds)
    #expect(time.description == text)
    #expect(time.dayOfWeek == weekday)
    #expect(time.secondsSince1970 == seconds)
    #expect(CalendarTime(octets: time.octets) == time)
    #expect(CalendarTime(text) == time)
  }

  @Test func calendarOfEveryDayOfFourCenturies() {
    var weekday = 4
    for day in Int64(0)..<146_097 {
      let time = CalendarTime(secondsSince1970: day * 86_400)
      #expect(time.secondsSince1970 == day * 86_400 && time.dayOfWeek == weekday)
      weekday = weekday == 7 ? 1 : weekday + 1
    }
  }

  @Test func spelling() {
    #expect(Spelling.nearest(to: "servces", among: ["services", "security"]) == "services")
    #expect(Spelling.nearest(to: "abuot", among: ["about", "abort"]) == "about")
    #expect(Spelling.nearest(to: "x", among: ["services"]) == nil)
    #expect(Spelling.nearest(to: "", among: ["a"]) == nil)
  }
}
