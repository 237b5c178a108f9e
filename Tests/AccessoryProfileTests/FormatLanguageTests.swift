import BLECore
import BLEGATT
import Glibc
import Testing

@testable import AccessoryProfile

@Suite("The language of formats")
struct FormatLanguageTests {
  /// A format, a value as a profile writes it, and its octets.
  @Test(
    arguments: [
      ("{ number: u16, order: big }", "0x1234", "1234"), ("{ number: u16, multiply: 5, exponent: -3 }", "70", "b036"),
      ("{ number: i16, binary-exponent: -5 }", "-1.5", "d0ff"), ("{ number: u8, offset: -40 }", "-10", "1e"),
      ("{ number: u16, special: { unknown: 0xFFFF } }", "unknown", "ffff"),
      ("{ number: i8, special: { none: -128 } }", "none", "80"), ("u40", "0x0102030405", "0504030201"),
      ("i56", "-2", "feffffffffffff"), ("sfloat", "36.4", "6cf1"), ("sfloat", "nan", "ff07"),
      ("sfloat", "nres", "0008"),
      ("sfloat", "inf", "fe07"), ("sfloat", "-inf", "0208"), ("sfloat", "reserved", "0108"), ("sfloat", "-5", "fb0f"),
      ("sfloat", "20000", "d017"), ("float", "36.4", "6c0100ff"), ("float", "-0.001", "fffffffd"),
      ("float", "nan", "ffff7f00"), ("{ number: sfloat, exponent: -5 }", "0.0014", "8cb0"),
      ("{ number: sfloat, order: big }", "36.4", "f16c"), ("float32", "0.1", "cdcccc3d"),
      ("float64", "-inf", "000000000000f0ff"), ("{ names: { low: 1, high: 0x0102 }, as: u16 }", "high", "0201"),
      ("{ flags: { a: 1, b: 0x8000 }, as: u16 }", "[a, b]", "0180"), ("{ text: 4 }", "ab", "61620000"),
      ("{ text: u8 }", "ab", "026162"), ("{ text: terminated }", "ab", "616200"),
      ("{ octets: 3 }", "hex:010203", "010203"),
      ("{ list: u16, length: 2 }", "[1, 2]", "01000200"), ("{ list: u8, length: u16 }", "[7]", "010007"),
      ("{ bits: { a: 1, b: 3, _1: 2, c: i2 } }", "{ a: true, b: 5, c: -1 }", "cb"),
      ("{ bits: { a: 12, b: 12 }, order: big }", "{ a: 0x123, b: 0x456 }", "456123"),
      (
        "{ struct: { cup: { struct: { a: u8 } }, n: { list: { struct: { b: u8 } } } } }",
        "{ cup: { a: 1 }, n: [{ b: 2 }, { b: 3 }] }", "010203"
      ),
      (
        "{ struct: { t: date-time, d: { format: day-of-week, derive: weekday(t) } } }", "{ t: 2024-02-29T23:59:58 }",
        "e807021d173b3a04"
      ),
      ("{ struct: { s: { number: u8, derive: size }, t: utf8 } }", "{ t: abc }", "04616263"),
      (
        "{ struct: { f: { bits: { a: 1 } }, a: { number: u8, if: f.a }, b: { number: u16, unless: f.a } } }",
        "{ b: 5 }", "000500"
      ),
      (
        "{ struct: { f: { bits: { a: 1 } }, a: { number: u8, if: f.a }, b: { number: u16, unless: f.a } } }",
        "{ a: 5 }", "0105"
      ),
      ("{ struct: { f: { bits: { w: 1 } }, n: { number: u16, narrow: u8, wide-if: f.w } } }", "{ n: 256 }", "010001"),
      (
        "{ struct: { f: { bits: { u: { names: { m: 0, ft: 1 }, as: u1 } } }, h: { number: u8, other: { number: u8, decimals: 1 }, other-if: f.u } } }",
        "{ u: ft, h: 1.5 }", "010f"
      ),
      ("{ struct: { a: u8, b: { number: u8, default: 9 }, c: { number: u8, optional: true } } }", "{ a: 1 }", "0109"),
    ] as [(String, String, String)])
  func values(_ format: String, _ value: String, _ octets: String) throws {
    let profile = try characteristic("properties: [read], format: \(format), value: \(value)")
    #expect(profile.services[0].characteristics[0].value == .stored(try #require([UInt8](hexadecimal: octets))))
  }

  @Test(
    "Numbers that a format cannot hold exactly",
    arguments: [
      ("{ number: u16, decimals: 1 }", "21.26", ["the format cannot hold '21.26' exactly; 21.3 is used"]),
      ("{ number: u16, decimals: 1 }", "21.2", []), ("{ number: u16, decimals: 2 }", "0.07", []),
      ("sfloat", "98.7654", ["the format cannot hold '98.7654' exactly; 98.8 is used"]), ("sfloat", "36.6", []),
      ("float32", "0.1", []), ("float32", "21.26", []),
    ])
  func rounding(_ format: String, _ value: String, _ expected: [String]) throws {
    let profile = try characteristic("properties: [read], format: \(format), value: \(value)")
    #expect(profile.warnings.map(\.message).filter { $0.contains("exactly") } == expected)
  }

  @Test func thresholdsAreDescribed() throws {
    let profile = try characteristic("properties: [read, notify], format: u8, value: 1, notify: { change: 2 }")
    let described = try #require(profile.describedBehavior(of: "x"))
    #expect(described.first { $0.key == "notify" }?.value == .object(["change": .int(2)]))
  }

  @Test func namesOfItsOwn() throws {
    let profile = try profile(
      """
      formats:
        level: { number: u8, special: { unknown: 255 } }
        cup: { struct: { kind: kind, levels: { list: level, length: u8 } } }
        kind: { names: { tea: 1, coffee: 2 } }
      services:
        - uuid: FFF0
          characteristics:
            - { id: x, uuid: FFF1, properties: [read], format: cup, value: { kind: coffee, levels: [5, unknown] } }
      """)
    #expect(profile.services[0].characteristics[0].value == .stored([2, 2, 5, 255]))
    #expect(profile.describedBehavior(of: "x")?.first?.value == .string("cup"))
    // A service that is added later may use it, too.
    let json =
      #"{"uuid": "FFE0", "characteristics": [{"uuid": "FFE1", "properties": ["read"], "format": "kind", "value": "tea"}]}"#
    let later = try ProfileRuntime(profile: profile).loadService(json: Array(json.utf8)) { _ in [CharacteristicIndex(2)]
    }
    #expect(later.definition.characteristics[0].value == .stored([1]))
    #expect(throws: ProfileValueError("levels[1]: 300 is not within 0...255")) {
      try profile.behaviors[0].format.encode(
        .object(["kind": .string("tea"), "levels": .array([.int(1), .int(300)])]))
    }
  }

  private static let mistakes: [Mistake] = {
    func format(_ text: String, _ expected: (String, String)...) -> Mistake {
      var mistake = Mistake(text, "understudy: 1\nname: Test\nformats:\n  f: \(text)\n")
      mistake.expected = expected
      return mistake
    }
    return [
      format("{ list: u12 }", ("4:14: error", "unknown format 'u12'")),
      format("{ numbr: u8 }", ("4:6: error", "begins with one of number, struct")),
      format("{ struct: { a: { number: u7 } } }", ("4:31: error", "did you mean 'u8'?")),
      format("{ number: u8, decimals: 1, exponent: 2 }", ("4:33: error", "'decimals' and 'exponent'")),
      format("{ number: sfloat, decimals: 1 }", ("4:24: error", "'decimals' is for integers")),
      format("{ number: sfloat, exponent: 9 }", ("4:34: error", "9 is not within -8...7")),
      format("{ number: u8, special: { a: 256 } }", ("4:34: error", "a whole number of 8 bits")),
      format("{ number: u8, if: a.b }", ("4:20: error", "'if' is only for fields of a struct")),
      format("{ names: { a: 256 } }", ("4:20: error", "256 is not within 0...255")),
      format("{ flags: { a: 0 } }", ("4:20: error", "0 is not within 1...255")),
      format("{ text: none }", ("4:14: error", "unknown word 'none'")),
      format("{ list: utf8 }", ("4:14: error", "need a known length")),
      format("{ bits: { a: 7, b: 2 }, as: u8 }", ("4:14: error", "these are 9 bits; the maximum is 8")),
      format("{ bits: { a: utf8 } }", ("4:19: error", "this is not an integer")),
      format("{ struct: { a: utf8, b: u8 } }", ("4:21: error", "only the last field")),
      format("{ struct: { a: { number: u8, if: f.a } } }", ("4:39: error", "there is no field of bits 'f'")),
      format(
        "{ struct: { f: { bits: { aa: 1, bb: 1 } }, a: { number: u8, if: f.a } } }",
        ("4:70: error", "'f' has no bit 'a', did you mean 'aa'?")),
      format(
        "{ struct: { f: { bits: { a: 1, b: 1 } }, a: { number: u8, if: f.a }, b: { number: u8, derive: size } } }"),
      format(
        "{ struct: { f: { bits: { a: 1, b: 1 } }, b: { number: u8, if: f.a } } }",
        ("4:47: error", "there is another field 'b'")),
      format("{ struct: { a: { number: u8, narrow: u16 } } }", ("4:43: error", "a narrower integer")),
      format(
        "{ struct: { a: { number: u16, narrow: u8 } } }", ("4:21: error", "'narrow' and 'wide-if' belong together")),
      format("{ struct: { a: { number: u8, derive: weekday(t) } } }", ("4:43: error", "no date-time 't'")),
      format("{ struct: { a: { number: u8, in: often } } }", ("4:39: error", "such as 'every 10th'")),
      format("{ struct: { a: { number: u8, default: 256 } } }", ("4:44: error", "256 is not within 0...255")),
      format("f", ("4:6: error", "the format 'f' contains itself")),
      format("{ list: g }\n  g: { struct: { f: f } }", ("5:21: error", "contains itself")),
    ]
  }()

  @Test(arguments: mistakes)
  func areReportedAtTheirPlace(_ mistake: Mistake) {
    let found = diagnose(mistake.text)
    #expect(found.count == mistake.expected.count, "\(found)")
    for (diagnostic, expected) in zip(found, mistake.expected) {
      #expect(diagnostic.hasPrefix(expected.place + ": ") && diagnostic.contains(expected.message), "\(diagnostic)")
    }
  }

  @Test(
    "Fields of one bit belong together",
    arguments: [
      ("{ wheel: 1 }", "'wheel-time' is missing; 'wheel' needs it"),
      ("{ crank-time: 1 }", "'crank' is missing; 'crank-time' needs it"),
    ])
  func groups(_ value: String, _ message: String) {
    #expect(
      diagnose(
        "understudy: 1\nname: a\nservices: [ { uuid: FFF0, characteristics: [ { uuid: csc-measurement, properties: [notify], value: \(value) } ] } ]"
      )
      .first?.contains(message) ?? false)
  }

  @Test func intervalsFollowAnyField() throws {
    let profile = try characteristic(
      "properties: [notify], notify: { every: 1 s }, format: { struct: { rate: u8, gaps: { list: u16 } } }, value: { rate: 2, gaps: { intervals: rate, per: 1 s, ticks: 1000, most: 1 } }"
    )
    var runtime = ProfileRuntime(profile: profile, startingAt: .ms(1000))
    runtime.subscribe("x", notified: 1, at: .ms(1000))
    _ = runtime.run(until: .ms(2000))
    #expect(runtime.readOctets("x", at: .ms(2000)) == [2, 0xF4, 0x01])
    #expect(throws: ProfileError.self) {
      try characteristic(
        "properties: [notify], format: { struct: { gaps: { list: u16 }, rate: u8 } }, value: { rate: 2, gaps: from-rate }"
      )
    }
  }

  @Test func aFieldIsInEverySoManyValues() throws {
    let profile = try characteristic(
      "properties: [notify], notify: { every: 1 s }, format: { struct: { f: { bits: { e: 1 } }, e: { number: u8, if: f.e, in: every 3rd } } }, value: { e: { counter: { to: 9, every: 1 s } } }"
    )
    var runtime = ProfileRuntime(profile: profile)
    runtime.subscribe("x", notified: 1, at: .zero)
    var sent: [[UInt8]] = []
    for second in 1...6 {
      _ = runtime.run(until: .ms(Int64(second) * 1000))
      sent.append(runtime.readOctets("x", at: .ms(Int64(second) * 1000)) ?? [])
    }
    #expect(sent == [[1, 1], [0], [0], [1, 4], [0], [0]])
  }

  @Test func aServiceFromAFile() throws {
    let folder = "/tmp/understudy-include-\(getpid())"
    mkdir(folder, 0o700)
    defer {
      for name in ["lamp.yaml", "profile.yaml"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    try FileText.write(
      """
      uuid: FFF0
      characteristics:
        - { id: state, uuid: FFF1, properties: [read, write], format: u8, value: 1, on-write: [ { otherwise: { reset: state } } ] }
        - { key: spare, uuid: FFF2, properties: [read], optional: true }
      """, "\(folder)/lamp.yaml")
    let file = "\(folder)/profile.yaml"
    try FileText.write("understudy: 1\nname: a\nservices: [ { include: ./lamp.yaml, id: lamp, state: 7 } ]\n", file)
    let profile = try Profile.load(contentsOf: file)
    #expect(profile.services[0].id == "lamp" && profile.services[0].characteristics.map(\.id) == ["lamp-state"])
    #expect(profile.services[0].characteristics[0].value == .stored([7]))
    #expect(profile.behaviors[0].writeRules.first?.effects == [.reset(CharacteristicIndex(0), field: nil)])
    // Its errors are reported at its own lines.
    try FileText.write("uuid: FFF0\ncharacteristics:\n  - { uuid: FFF1, properties: [reed] }\n", "\(folder)/lamp.yaml")
    let error = try #require(throws: ProfileError.self) { try Profile.load(contentsOf: file) }
    #expect(error.diagnostics.map { "\($0.file):\($0.line)" } == ["\(folder)/./lamp.yaml:3", "\(file):3"])
    // Services that are added at run time cannot include files.
    #expect(throws: ProfileValueError.self) {
      try ProfileRuntime(profile: profile).loadService(json: Array(#"{"include": "./lamp.yaml"}"#.utf8)) { _ in [] }
    }
  }
}
