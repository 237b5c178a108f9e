import AccessoryProfile
import BLECore
import Testing
import VirtualRadio

@testable import Learning

/// Differences between two profiles, or between two controllers that run the same profile.
@Suite("Comparing devices")
struct ComparingTests {
  private static let belt = """
    understudy: 1
    name: Belt
    connection: { mtu: 185 }
    advertising:
      - { id: main, data: { flags: [general], name: complete }, interval: 100 ms }
    services:
      - id: main
        uuid: FFF0
        characteristics:
          - { id: constant, uuid: FFF1, properties: [read], value: hex:0102 }
          - { id: secret, uuid: FFF2, properties: [read], permissions: { read: encrypted }, value: hex:03 }
          - id: counts
            uuid: FFF3
            properties: [read, notify]
            format: u8
            value: { counter: { from: 0, to: 200 } }
            notify: { every: 1 s }
    security: { pairing: just-works }
    """

  private static func read(_ text: String, seed: UInt64 = 1) throws -> ObservedDevice {
    try .reading(try Profile.load(text: text), on: .full, watching: .seconds(30), seed: seed)
  }

  /// Random values make no difference.
  @Test(arguments: ShippedProfiles.list.map(\.name)) func aProfileDoesNotDifferFromItself(_ name: String) throws {
    let profile = try Profile.load(name)
    let references = try ObservedDevice.references(of: profile, watching: .seconds(30))
    let other = try ObservedDevice.reading(profile, on: .full, watching: .seconds(30), seed: 4)
    #expect(other.differences(from: references).map(\.text) == [])
  }

  @Test(arguments: ["zephyr-hci-uart", "zephyr-extended", "nimble", "4.2"])
  func aProfileIsTheSameOnEveryController(_ name: String) throws {
    let preset = try #require(ControllerConfiguration.named(name))
    for text in ["kitchen-scale", "thermostat", "smart-lock"] {
      let profile = try Profile.load(text)
      let references = try ObservedDevice.references(of: profile, watching: .seconds(30))
      let other = try ObservedDevice.reading(profile, on: preset, watching: .seconds(30))
      #expect(other.differences(from: references).map(\.text) == [], "\(text)")
    }
  }

  @Test func aControllerWithoutExtendedAdvertisingLacksThatSet() throws {
    let profile = try Profile.load("heart-rate")
    let references = try ObservedDevice.references(of: profile, watching: .seconds(5))
    let other = try ObservedDevice.reading(
      profile, on: try #require(ControllerConfiguration.named("4.0")), watching: .seconds(5))
    #expect(
      other.differences(from: references).map(\.text) == [
        "extended advertising, set 1: missing instead of on the air (centrals that scan for it do not find it)"
      ])
  }

  @Test(arguments: [
    ("hex:0102", "hex:0103", "value of FFF1: hex:0103 instead of hex:0102"),
    ("permissions: { read: encrypted }, ", "", "reading FFF2"),
    ("every: 1 s", "every: 2 s", "FFF3 is sent: every 20"),
    ("interval: 100 ms", "interval: 417.5 ms", "legacy advertising, interval: 417 ms instead of 100 ms"),
    ("mtu: 185", "mtu: 100", "MTU: 100 octets instead of 185 octets"),
    ("uuid: FFF1, properties: [read]", "uuid: FFF1, properties: [read, write]", "characteristic at"),
    ("uuid: FFF0", "uuid: FFE0", "service at"),
    ("name: Belt", "name: Belts", "name: Belts instead of Belt"),
    ("flags: [general]", "flags: [limited]", "legacy advertising, data"),
    ("pairing: just-works", "pairing: display", "pairing: IO capability 0"),
    ("mtu: 185 }", "mtu: 185, request: { interval: 15 ms, latency: 0, timeout: 2 s } }", "requested parameters"),
  ])
  func aChangeIsFound(_ old: String, _ new: String, _ expected: String) throws {
    let changed = Self.belt.replacing(old, with: new)
    #expect(changed != Self.belt)
    let differences = try Self.read(changed).differences(from: [Self.read(Self.belt)]).map(\.text)
    #expect(differences.contains { $0.hasPrefix(expected) }, "\(differences)")
  }
}
