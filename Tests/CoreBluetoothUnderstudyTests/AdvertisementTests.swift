import BLECore
import BLEGAP
import CoreBluetoothUnderstudy
import Foundation
import PeripheralHost
import Simulation
import Testing
import UnderstudyTesting

@Suite("Advertisements as apps see them") struct AdvertisementTests {
  private static let allowsDuplicates = [CBCentralManagerScanOptionAllowDuplicatesKey: true]

  private func scan(_ stage: Stage, for services: [CBUUID]? = nil) throws {
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: services, options: Self.allowsDuplicates)
  }

  @Test("A beacon's service data follows its values without a connection") func beacon() throws {
    let profile = """
      understudy: 1
      name: Beacon
      advertising:
        - id: main
          kind: legacy
          connectable: false
          data: { services: [A000], service-data: { service: A000, data: { value: level } } }
          schedule: [ { interval: 100 ms } ]
      services: [ { uuid: A000, characteristics: [ { id: level, uuid: A001, properties: [read], format: u8, value: 1 } ] } ]
      """
    let stage = try Stage(Profile.load(text: profile))
    try scan(stage, for: [CBUUID(string: "A000")])
    stage.air.advance(by: .seconds(1))
    try stage.accessory.set("level", to: 2)
    stage.air.advance(by: .seconds(1))
    let data = stage.recorder.advertisements.compactMap {
      ($0[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data])?[CBUUID(string: "A000")]
    }
    #expect(data.first == Data([1]) && data.last == Data([2]))
    #expect(stage.recorder.advertisements.allSatisfy { $0[CBAdvertisementDataIsConnectable] as? Bool == false })
  }

  @Test("Only a phone with extended scans finds an accessory that has only extended advertising")
  func extended() throws {
    let profile = """
      understudy: 1
      name: Extended
      advertising:
        - { id: main, kind: extended, data: { services: [A000], name: complete, manufacturer-data: { company: internal-use, data: hex:\(String(repeating: "5A", count: 96)) } }, schedule: [ { interval: 100 ms } ] }
      """
    let stage = try Stage(Profile.load(text: profile))
    let older = try stage.air.phone(.olderPhone)
    let app = older.app("App")
    let recorder = app.run { Recorder() }
    #expect(app.run { !CBCentralManager.supports(.extendedScanAndConnect) })
    #expect(stage.app.run { CBCentralManager.supports(.extendedScanAndConnect) })
    stage.air.advance(by: .seconds(1))
    recorder.manager?.scanForPeripherals(withServices: nil)
    try stage.connect()
    let data = stage.recorder.advertisements[0][CBAdvertisementDataManufacturerDataKey] as? Data
    #expect(data?.count == 98)
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    stage.air.advance(by: .seconds(10))
    #expect(recorder.found.isEmpty)
  }

  @Test("An accessory with a new identity is another peripheral") func rotated() throws {
    let stage = try Stage("heart-rate")
    try scan(stage)
    stage.air.advance(by: .seconds(1))
    try stage.accessory.simulated.perform(.rotateIdentity)
    stage.air.advance(by: .seconds(1))
    let identifiers = stage.recorder.found.map(\.identifier)
    #expect(Set(identifiers).count == 2 && identifiers.first != identifiers.last)
  }

  @Test("After pairing, an accessory with changing private addresses is one peripheral") func privateAddress() throws {
    let profile = """
      understudy: 1
      name: Private
      identity: { address: private, rotation: 2 min }
      security: { pairing: just-works, request: on-connection }
      """
    let stage = try Stage(Profile.load(text: profile))
    stage.phone.person = .pairs()
    try stage.connect()
    try stage.phone.expect(EventPattern("paired"))
    let peripheral = try stage.peripheral
    try stage.manager.cancelPeripheralConnection(peripheral)
    stage.air.advance(by: .seconds(600))
    stage.recorder.clear()
    try stage.manager.connect(peripheral)
    try stage.wait(for: "connect")
    #expect(stage.accessory.connections == 1)
  }

  @Test(
    "A service in the overflow area is reported to an app that scans for it",
    arguments: [("3333", ["3333"]), ("A000", nil)])
  func overflow(_ wanted: String, _ found: [String]?) throws {
    var persona = Persona.iOS
    persona.overflowBits = [CBUUID(string: "3333"): 57, CBUUID(string: "A000"): 58]
    let profile = """
      understudy: 1
      name: Phone in the background
      advertising:
        - { id: main, data: { flags: [general], manufacturer-data: { company: apple, data: hex:0100000000000000020000000000000000 } }, schedule: [ { interval: 100 ms } ] }
      """
    let stage = try Stage(Profile.load(text: profile), persona: persona)
    try scan(stage, for: [CBUUID(string: wanted)])
    stage.air.advance(by: .seconds(2))
    let services = stage.recorder.advertisements.last?[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID]
    #expect(services?.map(\.uuidString) == found)
  }
}
