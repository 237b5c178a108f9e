import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing

/// The services of the phone in these tests.
private enum Phone {
  static let level = CharacteristicIndex(0)
  static let alarm = CharacteristicIndex(1)
  static let changes = CharacteristicIndex(2)
  static let count = 12

  static let services = [
    ServiceDefinition(
      id: "battery", uuid: BluetoothUUID(0x180F),
      characteristics: [
        CharacteristicDefinition(
          id: "level", uuid: BluetoothUUID(0x2A19), properties: [.read, .notify], value: .stored([80])),
        CharacteristicDefinition(
          id: "alarm", uuid: BluetoothUUID(0xFFA1), properties: [.indicate], value: .stored([])),
        CharacteristicDefinition(
          id: "changes", uuid: .serviceChanged, properties: [.indicate], value: .stored([])),
      ]),
    ServiceDefinition(
      id: "shelf", uuid: BluetoothUUID(0xFFB0),
      characteristics: (0..<count).map { number in
        CharacteristicDefinition(
          id: "book-\(number)", uuid: BluetoothUUID(UInt16(0xFFB1 + number)),
          properties: [.read, .write, .writeWithoutResponse], value: .stored(book(number)))
      }),
  ]

  /// Values of all lengths: some take several requests at the default MTU.
  static func book(_ number: Int) -> [UInt8] { Array(repeating: UInt8(number), count: 1 + number * 13) }

  static var configuration: CentralConfiguration { CentralConfiguration(services: services) }
}

/// A lamp and a phone that each use the other's server.
private struct BothScene {
  let simulation: RadioSimulation
  let lamp: SimulatedAccessory<CountingApplication>
  let phone: ScriptedCentral
  /// The link's handle at the phone, and at the lamp.
  let link: ConnectionHandle
  let back: ConnectionHandle

  init(seed: UInt64 = 1) throws {
    simulation = RadioSimulation(seed: seed)
    lamp = try simulation.addAccessory(Lamp.configuration(), application: CountingApplication(), on: .underTest)
    phone = try simulation.addCentral(Phone.configuration)
    try lamp.start()
    try phone.start()
    link = try phone.connect(to: Lamp.address)
    back = try #require(lamp.stack.linkStates.first).handle
  }

  func database() throws -> RemoteDatabase {
    try lamp.perform(.discoverAll, on: back)
    return try #require(lamp.stack.remoteDatabase(of: back))
  }

  func value(_ index: CharacteristicIndex) -> UInt16 { phone.stack.server.database[index].value }

  func pushed() -> [GATTClientEvent] {
    lamp.events.compactMap { event in
      switch event {
      case .client(back, .notification(let handle, let value)): .notification(handle: handle, value: value)
      case .client(back, .indication(let handle, let value)): .indication(handle: handle, value: value)
      default: nil
      }
    }
  }
}

@Suite("The accessory as a client of its central")
struct ClientSideTests {
  @Test("It discovers the central's server, reads and writes it")
  func discovery() throws {
    let scene = try BothScene()
    #expect(scene.lamp.stack.remoteDatabase(of: scene.back) == RemoteDatabase())
    let database = try scene.database()
    #expect(database.services.map(\.uuid).suffix(2) == [BluetoothUUID(0x180F), BluetoothUUID(0xFFB0)])
    let level = try #require(database.characteristic(BluetoothUUID(0x2A19)))
    #expect(level.value == scene.value(Phone.level) && level.configuration != nil)
    #expect(try scene.lamp.perform(.read(level.value), on: scene.back) == .value([80]))
    let book = try #require(database.characteristic(BluetoothUUID(0xFFB1)))
    try scene.lamp.perform(.write(book.value, Array(repeating: 7, count: 400)), on: scene.back)
    #expect(try scene.lamp.perform(.read(book.value), on: scene.back) == .value(Array(repeating: 7, count: 400)))
    #expect(throws: GATTFailure.refused(.invalidHandle, request: .readRequest, handle: 0x7777)) {
      try scene.lamp.perform(.read(0x7777), on: scene.back)
    }
  }

  @Test(
    "A thousand operations in both directions on one bearer: each gets its own response", arguments: 1...3)
  func bothWays(seed: UInt64) throws {
    let scene = try BothScene(seed: seed)
    var random = SplitMix64(seed: seed)
    let shelf = try scene.database().characteristics.suffix(Phone.count).map(\.value)
    let text = scene.value(of: Lamp.text)
    var lampWaits: [OperationID: [UInt8]] = [:]
    var written: [UInt8] = []
    var phoneDone = 0
    for step in 0..<1000 {
      // The phone may start the MTU exchange at any time, and so may the lamp.
      if step == 300 { try scene.phone.exchangeMTU(on: scene.link) }
      if step == 600 { _ = try scene.lamp.begin(.exchangeMTU, on: scene.back) }
      if random.next() % 2 == 0 {
        let number = Int(random.next() % UInt64(Phone.count))
        let id = try scene.lamp.begin(.read(shelf[number]), on: scene.back)
        lampWaits[id] = Phone.book(number)
      } else if random.next() % 3 == 0 {
        written = random.octets(Int(random.next() % 40))
        try scene.phone.write(written, to: text, on: scene.link)
        phoneDone += 1
      } else {
        #expect(try scene.phone.read(text, on: scene.link) == written)
        phoneDone += 1
      }
    }
    let lampCount = lampWaits.count
    #expect(lampCount + phoneDone == 1000 && lampCount > 400 && phoneDone > 400)
    #expect(
      scene.simulation.run(until: { scene.lamp.stack.pendingOperations(of: scene.back) == 0 }, limit: .seconds(600)))
    for case .client(_, .ended(let id, let outcome)) in scene.lamp.events {
      guard let expected = lampWaits.removeValue(forKey: id) else { continue }
      #expect(outcome == .success(.value(expected)))
    }
    #expect(lampWaits.isEmpty)
    #expect(scene.lamp.stack.linkStates.first?.mtu == 517 && scene.phone.stack.linkStates.first?.mtu == 517)
    #expect(!scene.lamp.events.contains { if case .fault = $0 { true } else { false } })
  }

  @Test("Notifications arrive as events, and indications are confirmed, so that the next one follows")
  func pushes() throws {
    let scene = try BothScene()
    _ = try scene.database()
    let (level, alarm) = (scene.value(Phone.level), scene.value(Phone.alarm))
    try scene.lamp.perform(.configure(level, .notification), on: scene.back)
    try scene.lamp.perform(.configure(alarm, .indication), on: scene.back)
    for number in UInt8(1)...3 {
      try scene.phone.perform(.setValue(Phone.level, [number]))
      try scene.phone.perform(.setValue(Phone.alarm, [number, number]))
    }
    scene.simulation.run(for: .seconds(40))
    let notifications = scene.pushed().filter { if case .notification = $0 { true } else { false } }
    let indications = scene.pushed().filter { if case .indication = $0 { true } else { false } }
    #expect(notifications == (1...3).map { .notification(handle: level, value: [$0]) })
    // The waiting value was replaced by the newer one.
    #expect(indications == [1, 3].map { .indication(handle: alarm, value: [$0, $0]) })
    let confirmed = scene.phone.events.filter { if case .server(_, .confirmed(alarm)) = $0 { true } else { false } }
    #expect(confirmed.count == 2 && scene.phone.links == [scene.link])
    #expect(try scene.lamp.perform(.read(level), on: scene.back) == .value([3]))
  }

  @Test("Service Changed of the central removes the known attributes in its range")
  func servicesChanged() throws {
    let scene = try BothScene()
    let database = try scene.database()
    let shelf = try #require(database.service(BluetoothUUID(0xFFB0)))
    try scene.lamp.perform(.configure(scene.value(Phone.changes), .indication), on: scene.back)
    try scene.phone.perform(
      .setValue(Phone.changes, octets(shelf.handles.lowerBound) + octets(shelf.handles.upperBound)))
    scene.simulation.run(for: .seconds(1))
    let present = try #require(scene.lamp.stack.remoteDatabase(of: scene.back))
    #expect(present.services == database.services.filter { $0 != shelf })
    #expect(
      scene.lamp.events.contains { if case .client(_, .servicesChanged(shelf.handles)) = $0 { true } else { false } })
  }

  @Test("The end of the link ends every operation, before the event for the link")
  func linkEnd() throws {
    let scene = try BothScene()
    let ids = try (0..<3).map { _ in try scene.lamp.begin(.discoverAll, on: scene.back) }
    try scene.phone.disconnect(scene.link)
    scene.simulation.run(for: .seconds(1))
    let end = try #require(scene.lamp.events.firstIndex { if case .disconnected = $0 { true } else { false } })
    for id in ids {
      let place = scene.lamp.events.firstIndex {
        if case .client(scene.back, .ended(id, .failure(.closed))) = $0 { true } else { false }
      }
      #expect(try #require(place) < end)
    }
    #expect(scene.lamp.stack.remoteDatabase(of: scene.back) == nil)
    #expect(throws: HostRequestError.unknownConnection(scene.back)) {
      try scene.lamp.begin(.exchangeMTU, on: scene.back)
    }
    // The next link begins without the knowledge of the last one.
    try scene.phone.connect(to: Lamp.address)
    let next = try #require(scene.lamp.stack.linkStates.first).handle
    #expect(scene.lamp.stack.remoteDatabase(of: next) == RemoteDatabase())
  }
}

/// The octets of a handle in a PDU.
private func octets(_ handle: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] }

extension BothScene {
  func value(of index: CharacteristicIndex) -> UInt16 { lamp.stack.server.database[index].value }
}

extension SplitMix64 {
  fileprivate mutating func octets(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
