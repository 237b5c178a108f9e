import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("A heart rate monitor as an app") struct HeartRateTests {
  @Test("The app scans, connects, discovers, and gets values") func values() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    #expect(stage.recorder.lines.first == "state poweredOn")
    #expect(try stage.peripheral.state == .connected)
    #expect(try stage.peripheral.name == "Heart Rate Belt")
    try stage.discover()
    let measurement = try stage.characteristic("2A37")
    try stage.peripheral.setNotifyValue(true, for: measurement)
    try stage.wait(for: "notifying true")
    try stage.wait(for: "value 2A37")
    let value = try #require(measurement.value)
    #expect(value.count >= 2)
    try stage.accessory.expect(.subscribed(to: "measurement"))
  }
}
