import BLECore
import BLEGATT
import Foundation
import Testing

@testable import AccessoryProfile

@Suite("Formats in the program")
struct ShippedFormatTests {
  @Test("Each is read without a diagnostic", arguments: ShippedTexts.formats.names)
  func areRead(_ name: String) throws {
    let read = ShippedFormats.read(try #require(ShippedTexts.formats[name]), name)
    #expect(read.format != nil && read.diagnostics.map(\.description) == [])
  }

  @Test func areInTheFilesOfTheRepository() throws {
    let folder = "\(FileText.root)/Profiles/formats"
    let texts = try FileManager.default.contentsOfDirectory(atPath: folder).map { try FileText.read("\(folder)/\($0)") }
    let all: [Substring] = texts.flatMap { $0.split(separator: "\n") }
    let lines = Set(all.map { String($0.trimmed) })
    let names = all.filter { $0.first?.isLetter ?? false }.compactMap { $0.split(separator: ":").first }
    #expect(names.map { String($0) }.sorted() == ShippedTexts.formats.names)
    for name in ShippedTexts.formats.names {
      let own = try #require(ShippedTexts.formats[name]).split(separator: "\n").map { String($0.trimmed) }
      #expect(own.allSatisfy { lines.contains($0) || lines.contains("\(name): \($0)") }, "\(name)")
    }
  }

  /// `make generate` updates their list.
  @Test func servicesAreTheFilesOfTheRepository() throws {
    for name in ShippedTexts.services {
      #expect(try FileText.read("\(FileText.root)/Profiles/services/\(name).yaml") == ShippedTexts.service(name))
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(FileText.root)/Profiles/services")
    #expect(Set(files) == Set(ShippedTexts.services.map { "\($0).yaml" }))
  }

  @Test("Octets and their values", arguments: GoldenValue.all.indices)
  func golden(_ index: Int) throws {
    let golden = GoldenValue.all[index]
    let name = "\(golden.name) \(golden.octets) (\(golden.source))"
    let format = try #require(ShippedFormats.format(named: golden.name))
    let octets = try #require([UInt8](hexadecimal: golden.octets))
    let value = try JSONDecoder().decode(ProfileValue.self, from: Data(golden.json.utf8))
    #expect(format.decode(octets).means(value), "\(name): \(format.decode(octets))")
    #expect(try format.encode(value).hexadecimal == octets.hexadecimal, "\(name)")
    // All fields are given, and the same without defaults.
    for length in 0..<octets.count {
      let part = format.decode(Array(octets.prefix(length)))
      #expect(format.decode(try format.encode(part)) == part)
    }
  }

  /// Formats that are parts of others need no vectors.
  @Test func everyCharacteristicHasAVector() {
    let known = Set(GoldenValue.all.map(\.name))
    let names = ShippedTexts.formats.names.filter { AssignedName.uuid(named: $0, kind: .characteristic) != nil }
    #expect(names.count > 140 && names.filter { !known.contains($0) } == [])
  }
}

@Suite("Formats with any input")
struct FormatPropertyTests {
  /// Formats of profiles, with every feature of the language.
  static let own = [
    "u24", "i40", "u56", "{ number: u16, order: big }", "{ number: i24, decimals: 3, offset: -20 }",
    "{ number: u16, multiply: 5, exponent: -3, special: { none: 0xFFFF } }", "{ number: i16, binary-exponent: -5 }",
    "{ number: u8, exponent: 2 }", "sfloat", "float", "{ number: sfloat, exponent: -2, order: big }", "float32",
    "float64", "{ names: { a: 1, b: 0x1234 }, as: u16 }", "{ flags: { a: 0x800000, b: 3 }, as: u24, order: big }",
    "{ text: 8 }", "{ text: u8 }", "{ text: u16 }", "{ text: terminated }", "{ octets: 5 }", "{ list: i16, length: 3 }",
    "{ list: { text: u8 }, length: u8 }", "{ list: { struct: { a: u8, b: { octets: u8 } } } }",
    "{ bits: { a: 1, b: u3, c: i4, _1: 2, d: { names: { x: 1 }, as: u2 } }, order: big }",
    "{ struct: { length: { number: u8, derive: size }, kind: u8, rest: { list: u16 } } }",
    "{ struct: { f: { bits: { a: 1, b: 1, u: { names: { m: 0, ft: 1 }, as: u1 } } }, x: { number: u16, decimals: 1, other: { number: u16, decimals: 3 }, other-if: f.u }, a: { text: u8, if: f.a }, b: { number: u32, unless: f.b }, c: { number: i8, if: f.b }, tail: { number: u16, optional: true } } }",
    "{ struct: { f: { bits: { w: 1, more: 1 } }, n: { number: u32, narrow: u16, wide-if: f.w }, s: { struct: { t: date-time, d: { format: day-of-week, derive: weekday(t) } }, if: f.more } } }",
  ]

  static let all: [String] = own + ShippedTexts.formats.names

  static func format(_ text: String) throws -> ValueFormat {
    if let shipped = ShippedFormats.format(named: text) { return shipped }
    let read = ShippedFormats.read(text, "own")
    #expect(read.diagnostics.map(\.description) == [])
    return try #require(read.format)
  }

  @Test("Values are encoded to octets and decoded again", arguments: all)
  func values(_ text: String) throws {
    let format = try Self.format(text)
    var random = SplitMix64(seed: 7)
    for _ in 0..<30 {
      let value = RandomValue.of(format, &random)
      let octets = try format.encode(value)
      let decoded = format.decode(octets)
      #expect(decoded.octets == nil || value.octets != nil, "\(text): \(value) is \(octets.hexadecimal)")
      #expect(try format.encode(decoded) == octets, "\(text): \(value) is \(octets.hexadecimal), and then \(decoded)")
    }
  }

  @Test("Octets have a stable value, or none", arguments: all)
  func octets(_ text: String) throws {
    let format = try Self.format(text)
    var random = SplitMix64(seed: 8)
    for round in 0..<60 {
      let length = round < 20 ? round : format.fixedSize ?? Int.random(in: 0...40, using: &random)
      var octets = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Small flags are more often valid.
      if round.isMultiple(of: 2), !octets.isEmpty { octets[0] &= 0x13 }
      let value = format.decode(octets)
      let again = try format.encode(value)
      #expect(format.decode(again) == value, "\(text): \(octets.hexadecimal) is \(value), is \(again.hexadecimal)")
      if value.octets != nil { #expect(again == octets) }
    }
  }

  @Test("Truncated values never crash", arguments: all)
  func cut(_ text: String) throws {
    let format = try Self.format(text)
    var random = SplitMix64(seed: 9)
    for _ in 0..<4 {
      let octets = try format.encode(RandomValue.of(format, &random))
      for length in 0..<octets.count {
        let value = format.decode(Array(octets.prefix(length)))
        #expect(format.decode(try format.encode(value)) == value)
      }
    }
  }
}

/// Random values for a format.
enum RandomValue {
  static func of(_ format: ValueFormat, _ random: inout SplitMix64) -> ProfileValue {
    switch format {
    case .hex(let extent): .octets((0..<count(extent, &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .utf8(let extent):
      .string(
        String((0..<min(count(extent, &random), 8)).map { _ in "abcXYZ 059".randomElement(using: &random) ?? "a" }))
    case .uuid: .string("180D")
    case .dateTime:
      .string(
        CalendarTime(secondsSince1970: Int64.random(in: -1_000_000_000...9_000_000_000, using: &random)).description)
    case .list(let member, let extent): .array((0..<count(extent, &random)).map { _ in of(member, &random) })
    case .structure(let layout): .object(fields(layout.fields, layout, &random))
    case .bits(let bits): .object(fields(bits.fields, nil, &random))
    default: scalar(format, &random)
    }
  }

  private static func scalar(_ format: ValueFormat, _ random: inout SplitMix64) -> ProfileValue {
    if case .flags(let names, _) = format {
      let bits = names.filter { _ in Bool.random(using: &random) }.reduce(UInt64(0)) { $0 | $1.value }
      return format.value(raw: bits) ?? .array([])
    }
    for _ in 0..<1000 {
      let bits = UInt64.random(in: 0...(format.word ?? .octet).greatest, using: &random)
      if let value = format.value(raw: bits) { return value }
    }
    return format.value(raw: 0) ?? .null
  }

  private static func count(_ extent: ValueFormat.Extent, _ random: inout SplitMix64) -> Int {
    if case .fixed(let count) = extent { return count }
    return Int.random(in: 0...5, using: &random)
  }

  /// Returns fields that depend on the same bit: all or none.
  private static func fields(
    _ fields: [ValueFormat.Field], _ layout: StructFormat?, _ random: inout SplitMix64
  ) -> [String: ProfileValue] {
    var left: Set<Int> = []
    for gate in layout?.gates ?? [] {
      let isSet = Bool.random(using: &random)
      left.formUnion(isSet ? gate.unset : gate.set)
    }
    var values: [String: ProfileValue] = [:]
    for (slot, field) in fields.enumerated() where !left.contains(slot) {
      if case .rest? = field.condition, Bool.random(using: &random) { continue }
      let format = field.format(beside: { values[$0] }, fields)
      // Only one extends to the end.
      if field.condition != nil, !format.isSelfDelimiting,
        fields[..<slot].contains(where: { values[$0.name] != nil && !$0.format.isSelfDelimiting })
      {
        continue
      }
      var value = of(format, &random)
      // A list that a bit announces has a member.
      if field.condition != nil, value == .array([]), case .list(let member, _) = format {
        value = .array([of(member, &random)])
      }
      values[field.name] = value
    }
    return values
  }
}

extension ProfileValue {
  /// Returns whether the values are equal; 5 and 5.0 are.
  func means(_ other: ProfileValue) -> Bool {
    switch (self, other) {
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { name, value in right[name].map { value.means($0) } ?? false }
    default: self == other || (number != nil && number == other.number)
    }
  }
}
