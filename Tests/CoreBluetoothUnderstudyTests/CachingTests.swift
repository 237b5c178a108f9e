import BLEGATT
import BLELink
import CoreBluetoothUnderstudy
import Foundation
import PeripheralHost
import Simulation
import Testing
import UnderstudyTesting

@Suite("Cached services, and their changes") struct CachingTests {
  private static func profile(serviceChanged: String, secure: Bool = false) -> String {
    """
    understudy: 1
    name: Device
    security: { pairing: \(secure ? "just-works" : "none") }
    gatt: { service-changed: \(serviceChanged) }
    services:
      - { id: first, uuid: A000, characteristics: [ { id: a, uuid: A001, properties: [read], value: hex:01\(secure ? ", permissions: { read: encrypted }" : "") } ] }
      - { id: second, uuid: B000, characteristics: [ { id: b, uuid: B001, properties: [read], value: hex:02 } ] }
    """
  }

  /// Returns the number of discovery requests that an accessory gets on a second link.
  private func requests(_ profile: String, pairs: Bool = false) throws -> Int {
    let stage = try Stage(Profile.load(text: profile))
    stage.phone.person = .pairs()
    try stage.connect()
    try stage.discover()
    if pairs {
      try stage.peripheral.readValue(for: try stage.characteristic("A001"))
      try stage.wait(for: "value")
    }
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    let before = stage.accessory.discoveries
    stage.recorder.clear()
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
    try stage.discover()
    return stage.accessory.discoveries - before
  }

  @Test("The system discovers a device without a bond and without Service Changed once") func fixed() throws {
    #expect(try requests(Self.profile(serviceChanged: "absent")) == 0)
  }

  @Test("The system discovers a device without a bond but with Service Changed on each link") func changing() throws {
    #expect(try requests(Self.profile(serviceChanged: "present")) > 0)
  }

  @Test("The system discovers a bonded device once") func bonded() throws {
    #expect(try requests(Self.profile(serviceChanged: "present", secure: true), pairs: true) == 0)
  }

  @Test("Service Changed invalidates the services in its range, and the app discovers them again") func changed() throws
  {
    let stage = try Stage(Profile.load(text: Self.profile(serviceChanged: "present")))
    try stage.connect()
    try stage.discover()
    let old = try #require(try stage.peripheral.services?.last)
    stage.air.advance(by: .seconds(1))
    try stage.accessory.removeService("second")
    try stage.wait(for: "modify")
    #expect(stage.recorder.lines == ["modify [\"B000\"]"])
    #expect(try stage.peripheral.services?.map(\.uuid.uuidString) == ["A000"])
    try stage.peripheral.discoverCharacteristics(nil, for: old)
    #expect(stage.app.misuses.count == 1)
    stage.recorder.clear()
    try stage.peripheral.discoverServices(nil)
    try stage.wait(for: "services [\"A000\"]")
    let kept = try #require(try stage.peripheral.services?.first)
    try stage.peripheral.discoverCharacteristics(nil, for: kept)
    try stage.wait(for: "characteristics [\"A001\"]")
  }

  @Test("An app can use a characteristic of an earlier link at once, while the system discovers the services again")
  func keptObjects() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    try stage.discover()
    let measurement = try stage.characteristic("2A37")
    try stage.reconnect()
    try stage.peripheral.setNotifyValue(true, for: measurement)
    try stage.peripheral.discoverDescriptors(for: measurement)
    try stage.wait(for: "notifying true")
    try stage.wait(for: "descriptors [\"2902\"]")
  }

  @Test("Each Service Changed leaves the services outside its range as they were") func changedTwice() throws {
    let stage = try Stage(
      Profile.load(
        text: """
          understudy: 1
          name: Device
          gatt: { service-changed: present }
          services:
            - { id: first, uuid: A000, characteristics: [ { id: a, uuid: A001, properties: [notify], value: hex:01, notify: on-demand } ] }
            - { id: second, uuid: B000 }
            - { id: third, uuid: C000 }
          """))
    try stage.connect()
    try stage.discover()
    stage.air.advance(by: .seconds(1))
    for (id, uuid) in [("third", "C000"), ("second", "B000")] {
      try stage.accessory.removeService(id)
      try stage.wait(for: "modify [\"\(uuid)\"]")
      stage.air.advance(by: .seconds(1))
    }
    try stage.peripheral.setNotifyValue(true, for: try stage.characteristic("A001"))
    try stage.wait(for: "notifying true")
  }

  @Test("The system hides its own services from apps") func hidden() throws {
    let stage = try Stage("hid-keyboard")
    try stage.connect()
    try stage.peripheral.discoverServices(nil)
    try stage.wait(for: "services")
    let uuids = try #require(try stage.peripheral.services?.map(\.uuid.uuidString))
    #expect(uuids.contains("180F") && !uuids.contains("1812") && !uuids.contains("1800") && !uuids.contains("1801"))
  }

  @Test("The name of the Generic Access service replaces the advertised one") func name() throws {
    let stage = try Stage(
      Profile.load(
        text: """
          understudy: 1
          name: A name that is too long for the advertising data
          """))
    try stage.connect()
    try stage.wait(for: "name")
    #expect(try stage.peripheral.name == "A name that is too long for the advertising data")
  }
}

extension TestAccessory {
  /// The number of discovery procedures that have reached the end of the database.
  fileprivate var discoveries: Int { simulated.events.count { $0.isEndOfDiscovery } }

  fileprivate func removeService(_ id: String) throws { try simulated.perform(.edit(.remove(id))) }
}
