import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

/// Apps and accessories over BR/EDR, as in "What's New in Core Bluetooth" (WWDC 2019 session 901).
@Suite("A phone over LE and BR/EDR") struct DualModeTests {
  private static let profile = """
    understudy: 1
    name: Speaker
    transports: [le, br-edr]
    identity: { address: public }
    classic: { class: 0x240414 }
    security: { pairing: just-works, keys: { distributed: [encryption, identity, link], wanted: [encryption, identity, link] } }
    services:
      - uuid: FFF0
        characteristics:
          - { id: volume, uuid: FFF1, properties: [read, notify], format: u8, value: 5, permissions: { read: encrypted }, notify: on-change }
    """

  private let air = TestAir()
  private let speaker: TestAccessory
  private let phone: Phone
  private let recorder: Recorder

  init() throws {
    speaker = try air.accessory(Profile.load(text: Self.profile))
    phone = try air.phone(usesClassic: true)
    phone.person = .pairs()
    recorder = phone.app("Player").run { Recorder() }
    try wait(for: "state poweredOn")
  }

  private func wait(for line: String) throws {
    let isThere = air.advance(until: { recorder.lines.contains { $0.hasPrefix(line) } }, within: .seconds(60))
    if !isThere { throw MissingCallback(missing: line, recorder.lines) }
  }

  @Test("An app is told of an accessory that a person connects in Settings, and uses its services over BR/EDR")
  func settings() throws {
    let manager = try #require(recorder.manager)
    manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "FFF0")]])
    phone.connectInSettings("Speaker")
    try wait(for: "event peerConnected")
    #expect(phone.connectedOverClassic == ["Speaker"])
    #expect(speaker.connections == 1)
    let peripheral = try #require(
      manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "FFF0")]).first)
    recorder.adopt(peripheral)
    manager.connect(peripheral)
    try wait(for: "connect")
    peripheral.discoverServices(nil)
    try wait(for: "services")
    let service = try #require(peripheral.services?.first { $0.uuid == CBUUID(string: "FFF0") })
    peripheral.discoverCharacteristics(nil, for: service)
    try wait(for: "characteristics")
    let volume = try #require(service.characteristics?.first)
    peripheral.readValue(for: volume)
    try wait(for: "value")
    #expect(volume.value == Data([5]))
    #expect(speaker.connections == 1)
    // The app no longer uses the accessory, and the link of the system remains.
    manager.cancelPeripheralConnection(peripheral)
    try wait(for: "disconnect")
    air.advance(by: .seconds(10))
    #expect(phone.connectedOverClassic == ["Speaker"])
    try speaker.disconnect()
    try wait(for: "event peerDisconnected")
    #expect(phone.connectedOverClassic == [])
  }

  @Test("With transport bridging, a pairing over LE brings a link over BR/EDR", arguments: [true, false])
  func bridging(_ bridges: Bool) throws {
    let manager = try #require(recorder.manager)
    manager.scanForPeripherals(withServices: nil)
    try wait(for: "discover")
    manager.stopScan()
    let peripheral = try #require(recorder.peripheral)
    manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableTransportBridgingKey: bridges])
    try wait(for: "connect")
    peripheral.discoverServices([CBUUID(string: "FFF0")])
    try wait(for: "services")
    peripheral.discoverCharacteristics(nil, for: try #require(peripheral.services?.first))
    try wait(for: "characteristics")
    // The read needs encryption, so the phone pairs.
    peripheral.readValue(for: try #require(peripheral.services?.first?.characteristics?.first))
    try wait(for: "value")
    air.advance(by: .seconds(10))
    #expect(phone.connectedOverClassic == (bridges ? ["Speaker"] : []))
    #expect(speaker.connections == (bridges ? 2 : 1))
    manager.cancelPeripheralConnection(peripheral)
    try wait(for: "disconnect")
    air.advance(by: .seconds(10))
    #expect(speaker.connections == (bridges ? 1 : 0))
  }

  @Test("A phone with LE alone does not look for accessories over BR/EDR")
  func leAlone() throws {
    let other = try air.phone()
    other.connectInSettings("Speaker")
    air.advance(by: .seconds(20))
    #expect(other.connectedOverClassic == [])
  }
}
