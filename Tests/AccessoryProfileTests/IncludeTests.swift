import AccessoryProfile
import BLECore
import BLEGATT
import Testing

@Suite("Includes")
struct IncludeTests {
  @Test(arguments: [
    ("battery", "180F", ["battery-level"]),
    ("current-time", "1805", ["current-time", "local-time-information", "reference-time-information"]),
    ("device-information", "180A", ["manufacturer-name", "model-number", "firmware-revision"]),
    ("heart-rate", "180D", ["heart-rate-measurement", "body-sensor-location", "heart-rate-control-point"]),
  ])
  func areWholeServices(_ name: String, _ uuid: String, _ ids: [String]) throws {
    let profile = try profile("services: [ { include: \(name) } ]")
    #expect(profile.warnings.isEmpty)
    #expect(profile.services.map(\.uuid) == [BluetoothUUID(uuid)])
    #expect(profile.services[0].id == name && profile.services[0].characteristics.map(\.id) == ids)
  }

  @Test func valuesAndKeysAreOverridden() throws {
    let profile = try profile(
      """
      services:
        - include: battery
          id: main-cell
          level: { value: 40, properties: [read], description: Main }
        - include: device-information
          omit: [model-number]
          serial-number: "0042"
          pnp-id: { source: usb, vendor: 0x1234, product: 1, version: 0x0100 }
          characteristics: [ { id: further, uuid: FFF1, properties: [read] } ]
        - include: heart-rate
          id: second
          measurement: { value: { bpm: 60 }, notify: { every: 200 ms } }
          body-sensor-location: wrist
      """)
    #expect(profile.warnings.isEmpty)
    let level = profile.services[0].characteristics[0]
    #expect(profile.services[0].id == "main-cell" && level.id == "main-cell-level" && level.value == .stored([40]))
    #expect(level.properties == .read && level.descriptors.count == 1)
    #expect(
      profile.services[1].characteristics.map(\.id) == [
        "manufacturer-name", "serial-number", "firmware-revision", "pnp-id", "further",
      ])
    #expect(profile.services[1].characteristics[1].value == .stored(Array("0042".utf8)))
    #expect(profile.behaviors.first { $0.id == "second-measurement" }?.notify == .every(.milliseconds(200)))
    #expect(profile.behaviors.first { $0.id == "second-body-sensor-location" }?.source == .constant(.string("wrist")))
    #expect(
      profile.behaviors.first { $0.id == "second-control-point" }?.writeRules.first?.effects
        == [.reset(CharacteristicIndex(6), field: "energy")])
  }
}
