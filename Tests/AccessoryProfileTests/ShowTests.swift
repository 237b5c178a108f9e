import Foundation
import Testing

@testable import AccessoryProfile

/// What a profile says about how the dashboard shows a value.
@Suite struct ShowTests {
  private static let rgb = "format: { struct: { red: u8, green: u8, blue: u8 } }"
  private static let pulse =
    "format: { struct: { bpm: u8, energy: { number: u16, unit: kJ }, state: { names: { off: 0, on: 1 } } } }"

  @Test(
    arguments: [
      ("format: u8, show: hidden", #"{"as": "hidden"}"#),
      ("format: u8, show: { as: hidden }", #"{"as": "hidden"}"#),
      ("value: hex:0102, show: octets", #"{"as": "octets"}"#),
      ("format: u8, show: octets", #"{"as": "octets"}"#),
      ("format: u8, show: number", #"{"as": "number"}"#),
      ("format: sfloat, show: { label: Pulse }", #"{"label": "Pulse"}"#),
      (
        "format: u8, show: { as: gauge, from: 40, to: 200.5, unit: bpm }",
        #"{"as": "gauge", "from": 40, "to": 200.5, "unit": "bpm"}"#
      ),
      ("format: bool, show: switch", #"{"as": "switch"}"#),
      ("format: u8, show: { as: switch, to: 255 }", #"{"as": "switch", "to": 255}"#),
      ("format: { names: { off: 0, on: 1 } }, show: switch", #"{"as": "switch"}"#),
      (Self.rgb + ", show: color", #"{"as": "color"}"#),
      (Self.rgb + ", show: text", #"{"as": "text"}"#),
      ("format: { octets: 3 }, show: color", #"{"as": "color"}"#),
      ("format: { list: u8, length: 3 }, show: color", #"{"as": "color"}"#),
      ("format: { list: u16 }, show: { unit: ms }", #"{"unit": "ms"}"#),
      (
        Self.pulse
          + ", show: { label: Heart, fields: { bpm: { as: gauge, from: 0, to: 9 }, energy: hidden, state: switch } }",
        #"{"label": "Heart", "fields": {"bpm": {"as": "gauge", "from": 0, "to": 9}, "energy": {"as": "hidden"}, "state": {"as": "switch"}}}"#
      ),
      (
        "format: { struct: { light: { format: { struct: { level: u8 } } } } }, show: { fields: { light: { fields: { level: number } } } }",
        #"{"fields": {"light": {"fields": {"level": {"as": "number"}}}}}"#
      ),
    ] as [(String, String)])
  func isDescribedAsItIsSaid(keys: String, expected: String) throws {
    let profile = try characteristic("properties: [read], " + keys)
    let display = try #require(profile.behaviors.first?.display)
    #expect(try display.described == JSONDecoder().decode(ProfileValue.self, from: Data(expected.utf8)))
    #expect(profile.warnings.isEmpty)
  }

  @Test func nothingIsSaidByItself() throws {
    #expect(try characteristic("properties: [read], format: u8").behaviors.first?.display == nil)
  }

  /// The place of a mistake is the last occurrence of a text.
  @Test(
    arguments: [
      ("format: u8, show: gage", "gage", "unknown word 'gage', did you mean 'gauge'?"),
      (
        "format: u8, show: [gauge]", "[gauge",
        "expected one of number, gauge, switch, color, text, octets, hidden, not a list"
      ),
      ("format: u8, show: {}", "{}", "expected at least one of as, from, to, unit, label, fields"),
      ("format: u8, show: gauge", "gauge", "a gauge needs its range, as in show: { as: gauge, from: 0, to: 100 }"),
      ("format: u8, show: { as: gauge, from: 1 }", "gauge", "a gauge needs its range"),
      ("format: u8, show: { as: gauge, from: 5, to: 5 }", "5", "the end of the gauge is not above its start"),
      (
        "format: u8, show: { from: 1, to: 2, label: A }", "from",
        "'from' is for a gauge, or a switch of numbers: add as: gauge"
      ),
      ("format: u8, show: { as: switch, to: 256 }", "256", "256 is not within 0...255"),
      ("format: u8, show: { as: switch, from: 1 }", "1", "off and on are the same number"),
      (
        "format: bool, show: { as: switch, to: 1 }", "to",
        "'to' is for a switch of numbers; this value is true or false"
      ),
      (
        "value: hex:01, show: { as: gauge, from: 0, to: 1 }", "gauge",
        "'gauge' is for a number, but this value is octets: say what they mean, as in format: u8"
      ),
      (
        Self.pulse + ", show: number", "number",
        "'number' is for a number, but this value has fields: say it of one, as in show: { fields: { bpm: … } }"
      ),
      (
        "format: { names: { a: 0, b: 1, c: 2 } }, show: switch", "switch",
        "'switch' is for true and false, a number or two names, but this value is one of 3 names"
      ),
      (
        "format: u8, show: color", "color",
        "'color' is for { struct: { red: u8, green: u8, blue: u8 } }, { octets: 3 } or { list: u8, length: 3 }, but this value is a number"
      ),
      (
        "value: hex:010203, show: color", "color",
        "'color' is for { struct: { red: u8, green: u8, blue: u8 } }, { octets: 3 } or { list: u8, length: 3 }, but this value is octets: say what they mean, as in format: { octets: 3 }"
      ),
      (
        "value: hex:01, show: text", "text",
        "'text' is for what has a meaning, but this value is octets: say what they mean, as in format: utf8"
      ),
      (
        Self.pulse + ", show: { fields: { bpm: octets } }", "octets",
        "'octets' is for a whole characteristic, not for a field"
      ),
      (Self.pulse + ", show: { fields: { bmp: hidden } }", "bmp", "there is no field 'bmp', did you mean 'bpm'?"),
      (
        Self.pulse + ", show: { as: text, fields: { bpm: hidden } }", "fields",
        "'as: text' shows the value as a whole: remove it, or the fields"
      ),
      ("format: u8, show: { fields: { bpm: hidden } }", "fields", "there are no fields: this value is a number"),
      ("format: u8, show: { as: hidden, label: A }", "label", "what is hidden has no 'label': remove one of them"),
      ("format: utf8, show: { unit: m }", "m }", "only a number has a unit, but this value is text"),
      ("format: u8, show: { as: switch, unit: m }", "m }", "only a number has a unit, and it is shown as 'switch'"),
      (#"format: u8, show: { label: " " }"#, "\" \"", "it is empty: write what is to be shown, or remove the key"),
      ("format: u8, show: { low: 1 }", "low", "unknown key 'low', did you mean 'from'?"),
      ("format: u8, show: { as: gauge, min: 1, to: 2 }", "min", "unknown key 'min', did you mean 'from'?"),
    ] as [(String, String, String)])
  func mistakesSayWhatToDo(keys: String, place: String, expected: String) throws {
    let line = "services: [ { uuid: FFF0, characteristics: [ { id: x, uuid: FFF1, properties: [read], \(keys) } ] } ]"
    let column = try #require(line.range(of: place, options: .backwards)).lowerBound.utf16Offset(in: line) + 1
    let found = diagnose("understudy: 1\nname: Test\n" + line)
    #expect(found.first?.hasPrefix("3:\(column): error: \(expected)") ?? false, "\(found)")
  }

  /// Only what is wrong with the format is reported, because how it is shown depends on that.
  @Test func formatComesFirst() {
    let found = diagnose(
      "understudy: 1\nname: Test\nservices: [ { uuid: FFF0, characteristics: [ { id: x, uuid: FFF1, properties: [read], format: u9, show: gauge } ] } ]"
    )
    #expect(found.count == 1 && found[0].contains("unknown format 'u9'"), "\(found)")
  }

  @Test func includeCanSaySomethingElse() throws {
    let profile = try profile(
      "services: [ { include: heart-rate, set: { measurement.show.fields.bpm: { as: number } } }, { include: battery, set: { level.show: { label: Charge } } } ]"
    )
    let shown = Dictionary(uniqueKeysWithValues: profile.behaviors.map { ($0.id, $0.display) })
    #expect(shown["heart-rate-measurement"]??.fields["bpm"] == ValueDisplay(kind: .number))
    #expect(shown["battery-level"]??.label == "Charge")
  }
}
