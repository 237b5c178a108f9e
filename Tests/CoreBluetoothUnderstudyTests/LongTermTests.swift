import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("Days, and thousands of connections") struct LongTermTests {
  /// A complication may wake its app a few times an hour (WWDC 2017 session 712).
  @Test("A complication connects, reads one value and disconnects, four times an hour for a day") func complication()
    throws
  {
    let stage = try Stage("battery", persona: .watchOS)
    try stage.connect()
    try stage.discover()
    let level = try stage.characteristic("2A19")
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    for _ in 0..<96 {
      stage.air.advance(by: .seconds(15 * 60))
      stage.recorder.clear()
      let start = stage.air.now
      try stage.manager.connect(try stage.peripheral)
      try stage.wait(for: "connect")
      // The services are known: the accessory has no Service Changed, and never pairs.
      try stage.peripheral.readValue(for: level)
      try stage.wait(for: "value 2A19")
      #expect(stage.air.now - start < .seconds(3))
      try stage.manager.cancelPeripheralConnection(try stage.peripheral)
      try stage.wait(for: "disconnect")
    }
    #expect(stage.accessory.connections == 0 && stage.app.misuses.isEmpty)
  }

  @Test("A thousand connections with discovery") func connections() throws {
    let stage = try Stage("heart-rate")
    try stage.wait(for: "state poweredOn")
    try stage.manager.scanForPeripherals(withServices: nil)
    try stage.wait(for: "discover")
    try stage.manager.stopScan()
    for _ in 0..<1000 {
      stage.recorder.clear()
      try stage.manager.connect(try stage.peripheral)
      try stage.wait(for: "connect")
      try stage.discover()
      try stage.manager.cancelPeripheralConnection(try stage.peripheral)
      try stage.wait(for: "disconnect")
    }
    #expect(stage.accessory.connections == 0 && stage.app.misuses.isEmpty)
  }

  @Test("A suspended app gets the last thousand values, and all other events") func backlog() throws {
    let stage = try Stage("heart-rate")
    try stage.subscribe(to: "2A37")
    stage.phone.moveToBackground(stage.app)
    stage.recorder.clear()
    stage.air.advance(by: .seconds(3600))
    try stage.accessory.disconnect()
    stage.air.advance(by: .seconds(10))
    stage.phone.open(stage.app)
    #expect(stage.recorder.lines.count == 1000)
    #expect(stage.recorder.lines.last?.hasPrefix("disconnect") ?? false)
  }
}
