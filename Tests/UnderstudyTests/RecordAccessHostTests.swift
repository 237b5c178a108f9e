import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import Simulation
import Testing
import Understudy

@Suite("The Record Access Control Point through the whole host")
struct RecordAccessHostTests {
  /// Subscribes to the measurement and the control point; returns the handles of their values.
  private func subscribe(_ scene: ProfileScene) throws -> (measurement: UInt16, point: UInt16) {
    let measurement = try #require(scene.database.characteristic(BluetoothUUID(0x2A18))).value
    let point = try #require(scene.database.characteristic(BluetoothUUID(0x2A52))).value
    try scene.phone.configure(measurement, .notification, on: scene.link)
    try scene.phone.configure(point, .indication, on: scene.link)
    return (measurement, point)
  }

  /// Lets time pass until the given number of responses has arrived; returns the last.
  private func response(_ count: Int, of point: UInt16, _ scene: ProfileScene) throws -> String {
    let hasCome = scene.simulation.run(
      until: { scene.phone.pushed(of: point, on: scene.link).count >= count }, limit: .seconds(30))
    try #require(hasCome)
    return scene.phone.pushed(of: point, on: scene.link)[count - 1].value.hexadecimal
  }

  @Test("The shipped meter reports its records before the response")
  func glucose() throws {
    let path = try #require(ShippedProfiles.path(named: "glucose"))
    let scene = try ProfileScene(try Profile.load(contentsOf: path))
    let (measurement, point) = try subscribe(scene)
    try scene.phone.write([1, 3, 1, 4, 0], to: point, on: scene.link)
    #expect(try response(1, of: point, scene) == "06000101")
    #expect(
      scene.phone.pushed.map(\.value.hexadecimal) == [
        "0b0400" + "e807021c070a00" + "0000" + "47b0" + "11" + "0000",
        "0b0500" + "e807021c0d0000" + "c4ff" + "6eb0" + "11" + "0000", "06000101",
      ])
    #expect(scene.phone.pushed.map(\.isIndication) == [false, false, true])
    try scene.phone.write([2, 1], to: point, on: scene.link)
    #expect(try response(2, of: point, scene) == "06000201")
    try scene.phone.write([4, 1], to: point, on: scene.link)
    #expect(try response(3, of: point, scene) == "05000000")
    #expect(scene.phone.pushed(of: measurement, on: scene.link).count == 2)
  }

  @Test("An abort discards the records that have not been sent")
  func abort() throws {
    let rows = (1...300).map { "{ sequence: \($0), level: 7 }" }.joined(separator: ", ")
    let scene = try ProfileScene(
      """
      tables: [ { id: rows, columns: { sequence: u16, level: u8 }, rows: [ \(rows) ] } ]
      services:
        - uuid: glucose
          characteristics:
            - { id: measurement, uuid: glucose-measurement, properties: [notify] }
            - id: point
              uuid: record-access-control-point
              properties: [write, indicate]
              indicate: on-demand
              control-point:
                response: [hex:0600, opcode, result]
                unknown: { result: 2 }
                malformed: { result: 5 }
                busy: { error: 0x80 }
                commands:
                  - { opcode: 1, parameters: { which: { records: rows } }, do: { send: { which: measurement } } }
                  - { opcode: 3, while-busy: true, parameters: { operator: u8 }, do: stop }
      """)
    let (measurement, point) = try subscribe(scene)
    try scene.phone.write([1, 1], to: point, on: scene.link)
    try scene.phone.write([3, 0], to: point, on: scene.link)
    #expect(try response(1, of: point, scene) == "06000301")
    let count = scene.phone.pushed(of: measurement, on: scene.link).count
    #expect(count > 0 && count < 300)
    scene.simulation.run(for: .seconds(2))
    #expect(scene.phone.pushed(of: measurement, on: scene.link).count == count)
    #expect(scene.phone.pushed(of: point, on: scene.link).count == 1)
    try scene.phone.write([1, 1], to: point, on: scene.link)
    #expect(try response(2, of: point, scene) == "06000101")
    #expect(scene.phone.pushed(of: measurement, on: scene.link).count == count + 300)
  }
}
