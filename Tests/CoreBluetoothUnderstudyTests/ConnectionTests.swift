@testable import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("Scanning and connecting") struct ConnectionTests {
  @Test("The app gets a peripheral once, with its advertising data and scan response") func coalesced() throws {
    let stage = try Stage("heart-rate")
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    stage.air.advance(by: .seconds(3))
    #expect(stage.recorder.found.count == 1)
    let data = stage.recorder.advertisements[0]
    #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Heart Rate Belt")
    #expect((data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])?.contains(CBUUID(string: "180D")) ?? false)
    #expect(data[CBAdvertisementDataIsConnectable] as? Bool == true)
    #expect(try stage.manager.isScanning)
  }

  @Test("With duplicates, the app gets each advertisement") func duplicates() throws {
    let stage = try Stage("heart-rate")
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    stage.air.advance(by: .seconds(3))
    #expect(stage.recorder.found.count > 20)
    #expect(Set(stage.recorder.found.map(\.identifier)).count == 1)
    try stage.manager.stopScan()
    stage.air.advance(by: .seconds(1))
    let count = stage.recorder.found.count
    stage.air.advance(by: .seconds(3))
    #expect(stage.recorder.found.count == count)
  }

  @Test("A scan for other services finds nothing") func filtered() throws {
    let stage = try Stage("heart-rate")
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: [CBUUID(string: "1809")])
    stage.air.advance(by: .seconds(5))
    #expect(stage.recorder.found.isEmpty)
  }

  @Test("An attempt to connect waits for hours until the accessory is there") func pending() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    stage.recorder.clear()
    stage.air.advance(by: .seconds(1))
    let sets = try stage.silence()
    try stage.manager.connect(try stage.peripheral)
    stage.air.advance(by: .seconds(6 * 3600))
    #expect(try stage.peripheral.state == .connecting)
    try stage.resume(sets)
    try stage.wait(for: "connect", within: .seconds(10))
  }

  @Test("The app, the accessory and the distance end a link with different errors") func ends() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    #expect(stage.recorder.lines.last == "disconnect")
    stage.recorder.clear()
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
    try stage.accessory.disconnect()
    try stage.wait(for: "disconnect")
    #expect(stage.recorder.lines.last == "disconnect: \(CBError(.peripheralDisconnected).localizedDescription)")
    stage.recorder.clear()
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
    stage.air.isReachable = false
    try stage.wait(for: "disconnect")
    #expect(stage.recorder.lines.last == "disconnect: \(CBError(.connectionTimeout).localizedDescription)")
  }

  @Test("An app connects to several accessories in any order of appearance") func several() throws {
    let stage = try Stage("heart-rate")
    let others = try ["battery", "smart-lock", "led-button"].map { try stage.air.accessory($0) }
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    #expect(stage.air.advance(until: { Set(stage.recorder.found).count == 4 }, within: .seconds(10)))
    try stage.manager.stopScan()
    for peripheral in Set(stage.recorder.found) { try stage.manager.connect(peripheral) }
    let areConnected = { stage.recorder.found.allSatisfy { $0.state == .connected } }
    #expect(stage.air.advance(until: areConnected, within: .seconds(30)))
    #expect(others.allSatisfy { $0.connections == 1 })
  }

  @Test("An app retrieves a known peripheral by its identifier, and connects without a scan") func retrieved() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    let identifier = try stage.peripheral.identifier
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    let again = stage.app.run { Recorder() }
    #expect(stage.air.advance(until: { again.lines == ["state poweredOn"] }, within: .seconds(1)))
    let manager = try #require(again.manager)
    let peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [identifier, UUID()]).first)
    peripheral.delegate = again
    manager.connect(peripheral)
    #expect(stage.air.advance(until: { peripheral.state == .connected }, within: .seconds(10)))
  }

  @Test("Two apps share one link and its subscription") func shared() throws {
    let stage = try Stage("heart-rate")
    try stage.subscribe(to: "2A37")
    let second = stage.phone.app("Second").run { Recorder() }
    #expect(stage.air.advance(until: { !second.lines.isEmpty }, within: .seconds(1)))
    let manager = try #require(second.manager)
    let peripheral = try #require(manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]).first)
    peripheral.delegate = second
    #expect(peripheral.state == .disconnected)
    manager.connect(peripheral)
    #expect(stage.air.advance(until: { peripheral.state == .connected }, within: .seconds(1)))
    peripheral.discoverServices([CBUUID(string: "180D")])
    #expect(stage.air.advance(until: { peripheral.services != nil }, within: .seconds(5)))
    let service = try #require(peripheral.services?.first)
    peripheral.discoverCharacteristics(nil, for: service)
    #expect(stage.air.advance(until: { service.characteristics != nil }, within: .seconds(5)))
    let measurement = try #require(service.characteristics?.first { $0.uuid == CBUUID(string: "2A37") })
    peripheral.setNotifyValue(true, for: measurement)
    #expect(stage.air.advance(until: { measurement.value != nil }, within: .seconds(5)))
    #expect(stage.accessory.connections == 1)
    #expect(stage.accessory.events.count { $0.name == "subscribed" } == 1)
    // The first app leaves; the second keeps its values.
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    second.clear()
    #expect(stage.air.advance(until: { second.lines.contains("value 2A37") }, within: .seconds(5)))
    manager.cancelPeripheralConnection(peripheral)
    #expect(stage.air.advance(until: { stage.accessory.connections == 0 }, within: .seconds(5)))
  }

  @Test("An app learns that another app has connected a device with its service") func connectionEvents() throws {
    let stage = try Stage("heart-rate")
    let second = stage.phone.app("Second").run { Recorder() }
    #expect(stage.air.advance(until: { !second.lines.isEmpty }, within: .seconds(1)))
    second.manager?.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
    try stage.connect()
    #expect(stage.air.advance(until: { second.lines.contains("event peerConnected") }, within: .seconds(5)))
    try stage.accessory.disconnect()
    #expect(stage.air.advance(until: { second.lines.contains("event peerDisconnected") }, within: .seconds(5)))
  }

  @Test("With automatic reconnection, the system connects again after a loss") func reconnects() throws {
    let stage = try Stage("heart-rate")
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    try stage.wait(for: "discover")
    try stage.manager.connect(try stage.peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
    try stage.wait(for: "connect")
    try stage.accessory.disconnect()
    try stage.wait(for: "disconnect")
    #expect(try stage.peripheral.state == .connecting)
    stage.recorder.clear()
    try stage.wait(for: "connect")
  }

  @Test("A delayed connection begins after its delay") func delayed() throws {
    let stage = try Stage("heart-rate")
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    try stage.wait(for: "discover")
    let start = stage.air.now
    try stage.manager.connect(try stage.peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 5])
    try stage.wait(for: "connect")
    #expect(stage.air.now - start >= .seconds(5))
  }

  @Test("A watch connects to at most two accessories") func limit() throws {
    let stage = try Stage("heart-rate", persona: .watchOS)
    for profile in ["battery", "led-button"] { _ = try stage.air.accessory(profile) }
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    #expect(stage.air.advance(until: { Set(stage.recorder.found).count == 3 }, within: .seconds(10)))
    let all = Array(Set(stage.recorder.found))
    for peripheral in all.prefix(2) { try stage.manager.connect(peripheral) }
    #expect(stage.air.advance(until: { all.count { $0.state == .connected } == 2 }, within: .seconds(10)))
    try stage.manager.connect(all[2])
    try stage.wait(for: "fail to connect")
    #expect(all[2].state == .disconnected)
  }

  @Test("A peripheral that the app does not keep loses its connection") func unused() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    stage.recorder.forgetPeripherals()
    #expect(stage.air.advance(until: { stage.accessory.connections == 0 }, within: .seconds(5)))
    #expect(stage.app.misuses.first?.contains("unused peripheral") ?? false)
  }

  @Test("A connection requested while the link ends is made afterwards") func again() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    stage.recorder.clear()
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
    #expect(stage.recorder.lines == ["disconnect", "connect"])
    #expect(try stage.peripheral.state == .connected)
  }

  @Test("A connection requested and canceled while the link ends is not made") func notAgain() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    stage.recorder.clear()
    let (manager, peripheral) = (try stage.manager, try stage.peripheral)
    manager.cancelPeripheralConnection(peripheral)
    manager.connect(peripheral)
    manager.cancelPeripheralConnection(peripheral)
    stage.air.advance(by: .seconds(10))
    #expect(stage.recorder.lines == ["disconnect"])
    #expect(peripheral.state == .disconnected && stage.accessory.connections == 0)
  }

  @Test("A flood of addresses does not fill the memory, and the app's peripheral stays known") func flood() throws {
    let profile = """
      understudy: 1
      name: Flood
      identity: { address: private, rotation: 1 s }
      advertising: [ { id: main, data: { services: [180D] }, schedule: [ { interval: 100 ms } ] } ]
      """
    let stage = try Stage(Profile.load(text: profile))
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    try stage.wait(for: "discover")
    let first = try stage.peripheral
    stage.recorder.keepsFound = false
    stage.air.advance(by: .seconds(1100))
    #expect(stage.phone.access.read { $0.devices.count } == PhoneSystem.deviceLimit)
    #expect(try stage.manager.retrievePeripherals(withIdentifiers: [first.identifier]).first === first)
  }
}
