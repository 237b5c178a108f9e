import AccessoryProfile
import BLECore
import Testing
import Understudy

/// The formats of a running accessory, for other programs.
@Suite("Definitions of formats") struct FormatDefinitionTests {
  private static let profiles = ShippedProfiles.list.map(\.name)

  @Test("every format of a shipped profile reads octets as its definition does", arguments: profiles)
  func roundTrip(profile: String) throws {
    var random = SplitMix64(seed: 27)
    for behavior in try Profile.load(profile).behaviors {
      let definition = behavior.format.definition
      let format = try #require(ValueFormat(definition: definition), "\(behavior.id): \(definition)")
      #expect(format.definition == definition)
      for length in 0..<24 {
        let octets = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(format.decode(octets) == behavior.format.decode(octets), "\(behavior.id): \(definition), \(octets)")
      }
    }
  }

  @Test("the profile's own formats are complete in their definitions, in the order of their fields")
  func ownFormat() throws {
    let profile = try Profile.load(
      text: """
        understudy: 1
        name: Own
        formats:
          inner: { bits: { late: 1, _: 3, kind: { names: { z: 0, a: 1 }, as: u4 } } }
          outer: { struct: { z: u8, a: { format: inner, inline: true }, m: { number: u16, order: big, if: a.late } } }
        services: [ { uuid: FFF0, characteristics: [ { id: one, uuid: FFF1, properties: [read], format: outer } ] } ]
        """)
    let behavior = try #require(profile.behaviors.first)
    let format = try #require(ValueFormat(definition: behavior.format.definition))
    let octets: [UInt8] = [9, 0x11, 1, 2]
    #expect(format.decode(octets).jsonText == #"{"kind":"a","m":258,"z":9}"#)
    #expect(profile.valueFormats[BluetoothUUID(0xFFF1)] == behavior.format)
    #expect(profile.valueNames == [BluetoothUUID(0xFFF1): "one"])
  }

  @Test("invalid definitions are refused", arguments: ["", "{", "{\"struct\": 1}", "nonsense", "[1]"])
  func refused(text: String) { #expect(ValueFormat(definition: text) == nil) }
}
