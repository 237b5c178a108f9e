import Foundation
import Testing

@testable import AccessoryProfile

/// The data from which forms are made.
@Suite struct FormatFormTests {
  private func form(_ format: String) throws -> ProfileValue {
    let profile = try Profile.load(
      text: """
        understudy: 1
        name: Form
        services: [ { uuid: FFF0, characteristics: [ { id: one, uuid: FFF1, properties: [read], format: \(format) } ] } ]
        """)
    return try #require(profile.behaviors.first).format.form
  }

  @Test(arguments: [
    ("hex", #"{"kind": "hex"}"#), ("{ octets: 4 }", #"{"kind": "hex", "length": 4}"#), ("utf8", #"{"kind": "text"}"#),
    ("bool", #"{"kind": "boolean"}"#), ("date-time", #"{"kind": "date-time"}"#), ("sfloat", #"{"kind": "number"}"#),
    ("u8", #"{"kind": "number", "min": 0, "max": 255, "step": 1}"#),
    ("{ number: i16, decimals: 2 }", #"{"kind": "number", "min": -327.68, "max": 327.67, "step": 0.01}"#),
    ("{ names: { on: 1, off: 0 } }", #"{"kind": "names", "max": 255, "names": ["off", "on"]}"#),
    ("{ flags: { hot: 1, wet: 4, cold: 2 } }", #"{"kind": "flags", "max": 255, "names": ["hot", "cold", "wet"]}"#),
    ("{ list: bool, length: 2 }", #"{"kind": "list", "length": 2, "of": {"kind": "boolean"}}"#),
  ])
  func kindsHaveTheirFields(format: String, expected: String) throws {
    #expect(try form(format) == JSONDecoder().decode(ProfileValue.self, from: Data(expected.utf8)))
  }

  /// Named formats are expanded, with their optional fields.
  @Test func structuresAreWhole() throws {
    let profile = try Profile.load(text: #require(ShippedTexts.profile("heart-rate")))
    let measurement = try #require(profile.behaviors.first { $0.id == "measurement" })
    guard case .object(let form) = measurement.format.form, case .array(let fields) = form["fields"] else {
      Issue.record("no fields")
      return
    }
    let names = fields.compactMap { field -> ProfileValue? in
      if case .object(let field) = field { field["name"] } else { nil }
    }
    for name in ["contact", "bpm", "rr"] { #expect(names.contains(.string(name))) }
    #expect(!measurement.source.usualNumbers.isEmpty)
  }
}
