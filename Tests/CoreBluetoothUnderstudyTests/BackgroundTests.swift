import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("Apps in the background, ended and restored") struct BackgroundTests {
  /// An app with state restoration that is connected and subscribed.
  private final class Life: @unchecked Sendable {
    let stage: Stage
    var relaunched: Recorder?

    init() throws {
      let options = [CBCentralManagerOptionRestoreIdentifierKey: "belt"]
      stage = try Stage(Profile.load("heart-rate"), background: true, options: options)
      try stage.subscribe(to: "2A37")
      stage.phone.whenLaunched(stage.app) { [unowned self] _ in
        relaunched = Recorder(options: [CBCentralManagerOptionRestoreIdentifierKey: "belt"])
      }
    }
  }

  @Test("A suspended app gets its events when it returns to the foreground") func suspended() throws {
    let stage = try Stage("heart-rate")
    try stage.subscribe(to: "2A37")
    stage.phone.moveToBackground(stage.app)
    stage.recorder.clear()
    stage.air.advance(by: .seconds(5))
    #expect(stage.recorder.lines.isEmpty)
    stage.phone.open(stage.app)
    #expect(stage.recorder.lines.count >= 4)
  }

  @Test("With the background mode, events arrive, but a scan without services finds nothing") func background() throws {
    let stage = try Stage("heart-rate", background: true)
    try stage.wait(for: "state")
    stage.phone.moveToBackground(stage.app)
    try stage.manager.scanForPeripherals(withServices: nil)
    stage.air.advance(by: .seconds(20))
    #expect(stage.recorder.found.isEmpty)
    let options = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
    try stage.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")], options: options)
    stage.air.advance(by: .seconds(120))
    #expect(stage.recorder.found.count == 1)
  }

  @Test("A notification launches an app that the system has ended, and the app gets its peripherals back")
  func restored() throws {
    let life = try Life()
    let stage = life.stage
    stage.phone.moveToBackground(stage.app)
    stage.phone.terminate(stage.app)
    #expect(stage.accessory.connections == 1)
    #expect(stage.air.advance(until: { life.relaunched != nil }, within: .seconds(5)))
    let recorder = try #require(life.relaunched)
    #expect(stage.air.advance(until: { recorder.lines.contains("value 2A37") }, within: .seconds(5)))
    #expect(recorder.lines.prefix(2) == ["restore [\"Heart Rate Belt\"]", "state poweredOn"])
    let peripheral = try #require(recorder.restored.first)
    #expect(peripheral.state == .connected)
    let measurement = peripheral.services?.flatMap { $0.characteristics ?? [] }
      .first { $0.uuid == CBUUID(string: "2A37") }
    #expect(measurement?.isNotifying ?? false)
    #expect(measurement?.value != nil)
  }

  @Test("An attempt to connect continues without the app, and launches it") func pending() throws {
    let life = try Life()
    let stage = life.stage
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    stage.air.advance(by: .seconds(1))
    let sets = try stage.silence()
    try stage.manager.connect(try stage.peripheral)
    stage.air.advance(by: .seconds(1))
    stage.phone.moveToBackground(stage.app)
    stage.phone.terminate(stage.app)
    stage.air.advance(by: .seconds(3600))
    #expect(life.relaunched == nil)
    try stage.resume(sets)
    #expect(stage.air.advance(until: { life.relaunched?.lines.contains("connect") ?? false }, within: .seconds(60)))
  }

  @Test("A force quit ends the app's connections") func forceQuit() throws {
    let life = try Life()
    let stage = life.stage
    stage.phone.forceQuit(stage.app)
    #expect(stage.air.advance(until: { stage.accessory.connections == 0 }, within: .seconds(5)))
    stage.air.advance(by: .seconds(60))
    #expect(life.relaunched == nil)
    stage.phone.open(stage.app)
    #expect(stage.air.advance(until: { life.relaunched?.lines == ["state poweredOn"] }, within: .seconds(5)))
  }

  @Test("Preserved managers survive a reset of Bluetooth") func resetWhileEnded() throws {
    let life = try Life()
    let stage = life.stage
    stage.phone.moveToBackground(stage.app)
    stage.phone.terminate(stage.app)
    stage.phone.resetBluetooth()
    #expect(stage.air.advance(until: { life.relaunched?.lines.contains("connect") ?? false }, within: .seconds(120)))
  }

  @Test("Alerts of connection options are shown while the app is suspended") func alerts() throws {
    let stage = try Stage("heart-rate")
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    try stage.wait(for: "discover")
    let options = [
      CBConnectPeripheralOptionNotifyOnConnectionKey: true, CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
    ]
    try stage.manager.connect(try stage.peripheral, options: options)
    stage.phone.moveToBackground(stage.app)
    #expect(stage.air.advance(until: { stage.app.alerts.count == 1 }, within: .seconds(10)))
    try stage.accessory.disconnect()
    #expect(stage.air.advance(until: { stage.app.alerts.count == 2 }, within: .seconds(10)))
    #expect(stage.app.alerts == ["Heart Rate Belt is connected", "Heart Rate Belt is disconnected"])
  }

  @Test("Two managers with one restore identifier are misuse") func twice() throws {
    let options = [CBCentralManagerOptionRestoreIdentifierKey: "belt"]
    let stage = try Stage(Profile.load("heart-rate"), options: options)
    try stage.wait(for: "state")
    let second = stage.app.run { Recorder(options: options) }
    #expect(stage.air.advance(until: { !second.lines.isEmpty }, within: .seconds(1)))
    #expect(stage.app.misuses.first?.contains("restore identifier belt") ?? false)
  }

  @Test("A watch loses its connections when its app is suspended") func watch() throws {
    let stage = try Stage("heart-rate", persona: .watchOS)
    try stage.connect()
    stage.phone.moveToBackground(stage.app)
    #expect(stage.air.advance(until: { stage.accessory.connections == 0 }, within: .seconds(5)))
  }
}
