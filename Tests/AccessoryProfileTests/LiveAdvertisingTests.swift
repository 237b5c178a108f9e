import BLECore
import BLEGAP
import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("Live advertising data")
struct LiveAdvertisingTests {
  private func hex(_ octets: [UInt8]?) -> String { octets?.hexadecimal ?? "nothing" }

  /// Returns the initial data of the set.
  private func data(_ lines: String) throws -> String {
    let profile = try profile(lines)
    let live = ProfileRuntime(profile: profile).advertisedAtStart().first
    return hex(live?.data ?? profile.advertising.first?.data)
  }

  @Test(
    "beacons have the octets of their specifications",
    arguments: [
      (
        "ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 0x0203 }",
        "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010203c5"
      ),
      (
        "ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: { compute: 3 + 4 }, measured-power: -61 }",
        "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000000007c3"
      ),
      (
        "eddystone: { url: 'https://example.org/door' }",
        "0201060303aafe1216aafe10ee036578616d706c6501646f6f72"
      ),
      ("eddystone: { url: 'http://www.a.com', measured-power: -20 }", "0201060303aafe0816aafe10ec006107"),
      (
        "eddystone: { uid: { namespace: hex:00112233445566778899, instance: hex:0A0B0C0D0E0F } }",
        "0201060303aafe1716aafe00ee001122334455667788990a0b0c0d0e0f0000"
      ),
      (
        "eddystone: { tlm: { battery: 3000, temperature: 21.5 } }",
        "0201060303aafe1116aafe20000bb815800000000000000000"
      ),
      ("eddystone: { tlm: {} }", "0201060303aafe1116aafe20000000800000000000" + "00000000"),
      // From openssl: AES-128 of the time with AES-128 of its upper half.
      (
        "eddystone: { eid: { key: hex:000102030405060708090A0B0C0D0E0F, clock: 70000 } }",
        "0201060303aafe0d16aafe30ee9530f1f2a0461964"
      ),
    ])
  func beacons(_ keys: String, _ expected: String) throws {
    #expect(try data("advertising: [ { id: main, \(keys) } ]") == expected)
  }

  @Test func aBeaconIsNotConnectableAndAdvertisesEvery100Milliseconds() throws {
    let set = try #require(
      try profile("advertising: [ { id: main, eddystone: { tlm: {} } } ]").advertising.first)
    #expect(!set.isConnectable && !set.isScannable)
    #expect(set.schedule.map(\.interval) == [.milliseconds(100)])
  }

  private static let thermometer = """
    services: [ { uuid: FFF0, characteristics: [ { id: degrees, uuid: FFF1, format: i16, properties: [read, write], value: 21 } ] } ]
    advertising:
      - id: main
        connectable: false
        refresh: 2 s
        data: { service-data: { service: FFF0, data: { value: degrees } } }
    """

  @Test func dataFollowACharacteristicAndDoNotChangeMoreOftenThanTheyMay() throws {
    var runtime = ProfileRuntime(profile: try profile(Self.thermometer))
    let degrees = try #require(runtime.index(of: "degrees"))
    func advertised(_ actions: [(at: Instant, action: ApplicationAction)]) -> [String] {
      actions.compactMap { entry in
        guard case .advertise("main", let data, []) = entry.action else { return nil }
        return "\(entry.at.nanoseconds / 1_000_000) \(hex(data))"
      }
    }
    #expect(advertised(runtime.run(until: .ms(10))) == ["0 0516f0ff1500"])
    _ = try runtime.set(degrees, to: .int(22), at: .ms(500))
    _ = try runtime.set(degrees, to: .int(23), at: .ms(700))
    #expect(advertised(runtime.run(until: .ms(60_000))) == ["2000 0516f0ff1700"])
    _ = try runtime.set(degrees, to: .int(24), at: .ms(70_000))
    #expect(advertised(runtime.run(until: .ms(80_000))) == ["70000 0516f0ff1800"])
    // Nothing changes by itself, so there is no deadline.
    #expect(runtime.nextDeadline == nil)
  }

  @Test func telemetryCountsAdvertisingEventsAndTime() throws {
    var runtime = ProfileRuntime(profile: try profile("advertising: [ { id: main, eddystone: { tlm: {} } } ]"))
    runtime.advertisingChanged("main", interval: .milliseconds(95), at: .ms(0))
    var last: [UInt8] = []
    for case .advertise(_, let data, _) in runtime.run(until: .ms(5000)).map(\.action) { last = data }
    // With 95 ms and 5 ms of delay: 51 events in 5 s, and 50 tenths of a second.
    #expect(Array(last.suffix(8)) == [0, 0, 0, 51, 0, 0, 0, 50])
    runtime.advertisingChanged("main", interval: nil, at: .ms(5000))
    #expect(runtime.advertising.events(until: .ms(9000)) == 51)
  }

  @Test func whatIsTooLongIsReportedAndLeftOut() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        variables: { text: hi }
        rules: [ { when: { button: more }, do: { set: { text: 'far too long' } } } ]
        advertising:
          - { id: main, connectable: false, data: { manufacturer-data: { company: 0xFFFF, data: { compute: octets(text) }, max-length: 4 } } }
        """))
    _ = runtime.run(until: .ms(10))
    _ = try runtime.press("more", at: .ms(2000))
    #expect(runtime.run(until: .ms(5000)).isEmpty)
    #expect(
      runtime.takeRuleReports() == [
        .failed(
          place: "the data of the advertising set 'main'", reason: "the data is longer than the space reserved for it")
      ])
  }

  @Test func roomIsKeptForTheLongestData() throws {
    let long = """
      advertising: [ { id: main, connectable: false, data: { manufacturer-data: { company: 0xFFFF, data: { compute: "hex:00" }, max-length: 28 } } } ]
      """
    #expect(diagnose("understudy: 1\nname: Test\n" + long).first?.contains("32 octets where 31 fit") == true)
  }
}
