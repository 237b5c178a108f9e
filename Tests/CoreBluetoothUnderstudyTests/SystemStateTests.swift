import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("Bluetooth on, off, broken and forbidden") struct SystemStateTests {
  @Test("Switching Bluetooth off ends links, scans and attempts to connect, for good") func power() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    stage.recorder.clear()
    stage.phone.isBluetoothOn = false
    try stage.wait(for: "state poweredOff")
    #expect(try stage.peripheral.state == .disconnected)
    #expect(stage.air.advance(until: { stage.accessory.connections == 0 }, within: .seconds(5)))
    try stage.manager.scanForPeripherals(withServices: nil)
    #expect(stage.app.misuses.count == 1)
    stage.phone.isBluetoothOn = true
    try stage.wait(for: "state poweredOn")
    stage.air.advance(by: .seconds(5))
    #expect(stage.recorder.lines == ["state poweredOff", "state poweredOn"])
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
  }

  @Test("After a crash of the Bluetooth service, apps see a reset, and the accessory loses its link without notice")
  func reset()
    throws
  {
    let stage = try Stage("heart-rate")
    try stage.connect()
    stage.recorder.clear()
    stage.phone.resetBluetooth()
    try stage.wait(for: "state poweredOn")
    #expect(stage.recorder.lines == ["state resetting", "state poweredOn"])
    #expect(stage.air.advance(until: { stage.accessory.connections == 0 }, within: .seconds(30)))
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
  }

  @Test(
    "Bluetooth can be switched off and on again in the middle of anything",
    arguments: Array(stride(from: 0, to: 3000, by: 150)))
  func anyMoment(_ milliseconds: Int) throws {
    let stage = try Stage("smart-lock")
    stage.phone.person = .pairs(passkey: 123456)
    let recorder = stage.recorder
    recorder.then = { line in
      guard let manager = recorder.manager else { return }
      if line == "state poweredOn" { manager.scanForPeripherals(withServices: nil) }
      if line.hasPrefix("discover") { recorder.peripheral.map { manager.connect($0) } }
      if line == "connect" { recorder.peripheral?.discoverServices(nil) }
      if line.hasPrefix("services"), let service = recorder.peripheral?.services?.first {
        recorder.peripheral?.discoverCharacteristics(nil, for: service)
      }
      if line.hasPrefix("characteristics"), let state = recorder.peripheral?.services?.first?.characteristics?.first {
        recorder.peripheral?.readValue(for: state)
      }
    }
    stage.air.advance(by: .milliseconds(milliseconds))
    if milliseconds.isMultiple(of: 2) { stage.phone.isBluetoothOn = false } else { stage.phone.resetBluetooth() }
    stage.air.advance(by: .milliseconds(700))
    #expect(recorder.peripheral.map { $0.state == .disconnected } ?? true)
    recorder.clear()
    recorder.forgetPeripherals()
    stage.phone.isBluetoothOn = true
    try stage.wait(for: "value")
    #expect(!recorder.lines.contains { $0.contains("error") })
  }

  @Test("Without permission the state is unauthorized, and commands are misuse") func unauthorized() throws {
    let air = TestAir()
    let phone = try air.phone()
    let app = phone.app("Denied", permission: .denied)
    let recorder = app.run { Recorder() }
    #expect(air.advance(until: { !recorder.lines.isEmpty }, within: .seconds(1)))
    #expect(recorder.lines == ["state unauthorized"])
    #expect(app.run { CBCentralManager.authorization } == .denied)
    recorder.manager?.scanForPeripherals(withServices: nil)
    #expect(app.misuses.count == 1)
  }

  @Test("The system asks for permission, and the state follows the answer") func asked() throws {
    let air = TestAir()
    let phone = try air.phone()
    let app = phone.app("Belt", permission: .notDetermined)
    let recorder = app.run { Recorder() }
    air.advance(by: .seconds(1))
    #expect(recorder.lines.isEmpty && app.alerts == ["Belt would like to use Bluetooth"])
    phone.setPermission(.allowedAlways, for: app)
    #expect(air.advance(until: { recorder.lines == ["state poweredOn"] }, within: .seconds(1)))
  }

  @Test("An app without a phone has no Bluetooth") func noPhone() {
    let manager = CBCentralManager(delegate: nil, queue: nil)
    #expect(manager.state == .unsupported)
    manager.scanForPeripherals(withServices: nil)
    #expect(!manager.isScanning)
  }
}
