import BluetoothLayer
import CoreBluetoothUnderstudy
import Testing
import UnderstudyTesting

@Test @MainActor func downloadsAHundredThousandOctets() throws {
  let air = TestAir()
  _ = try air.accessory(
    Profile.load(
      text: """
        understudy: 1
        name: Recorder
        advertising: [ { id: main, data: { services: [A000] } } ]
        services: [ { id: store, uuid: A000, characteristics: [] } ]
        l2cap:
          - { id: log, psm-characteristic: { service: store }, handler: { source: { pattern: counter, length: 100000 } } }
        """))
  let download = try air.phone().app().run { Download(from: CBUUID(string: "A000")) }
  #expect(air.advance(until: { download.isComplete }, within: .seconds(60)))
  #expect(download.data.count == 100_000)
}
