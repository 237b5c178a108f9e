import BLEATT
import BLECore
import BLEGATT
import Testing

/// The group GATT/SR/GAW, write procedures (Core 5.4 Vol 3 Part G 4.9, 4.12), on the accessory in `Tester`.
@Suite("GATT/SR/GAW")
struct GAWTests {
  private func octets(_ count: Int, _ octet: UInt8 = 7) -> String { Array(repeating: octet, count: count).hexadecimal }

  /// Prepares parts, and expects the same parts as responses.
  private func prepare(_ chart: inout SequenceChart, _ parts: [String]) throws {
    for part in parts { try chart.exchange("16" + part, "17" + part) }
  }

  @Test("GATT/SR/GAW/BV-01-C: write without response")
  func withoutResponse() throws {
    var chart = try Obstacle.none.chart()
    try chart.exchange("52 0300 0506", nil)
    try chart.exchange("0a 0300", "0b 0506")
  }

  @Test("A signed write with an invalid signature changes nothing")
  func signed() throws {
    var chart = try Obstacle.none.chart()
    try chart.exchange("d2 0300 05" + octets(12), nil)
    #expect(chart.effects.events == [.refused(.signedWriteCommand, handle: 3, .insufficientAuthentication)])
    try chart.exchange("0a 0300", "0b 01")
  }

  @Test("GATT/SR/GAW/BV-03-C: write a characteristic value")
  func value() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1600 0a0b0c", "13")
    try chart.exchange("0a 1600", "0b 0a0b0c")
  }

  @Test("GATT/SR/GAW/BV-05-C: write a long characteristic value")
  func longValue() throws {
    var chart = try Tester.chart()
    try prepare(&chart, ["1600 0000" + octets(18), "1600 1200" + octets(18), "1600 2400" + octets(4)])
    try chart.exchange("18 01", "19")
    #expect(chart.server.database.storedValue(of: Tester.longValue) == Array(repeating: 7, count: 40))
  }

  @Test("GATT/SR/GAW/BV-06-C: reliable writes")
  func reliable() throws {
    var chart = try Tester.chart()
    try prepare(&chart, ["1600 0000 01", "1700 0000 41"])
    try chart.exchange("0a 1700", "0b" + Array("User".utf8).hexadecimal)
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 1600", "0b 01")
    try chart.exchange("0a 1700", "0b 41")
  }

  @Test("GATT/SR/GAW/BV-07-C: cancel reliable writes")
  func cancel() throws {
    var chart = try Tester.chart()
    try prepare(&chart, ["1700 0000 41"])
    try chart.exchange("18 00", "19")
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 1700", "0b" + Array("User".utf8).hexadecimal)
  }

  @Test("GATT/SR/GAW/BV-08-C: write a characteristic descriptor")
  func descriptor() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1700 4142", "13")
    try chart.exchange("0a 1700", "0b 4142")
  }

  @Test("GATT/SR/GAW/BV-09-C: write a long characteristic descriptor")
  func longDescriptor() throws {
    var chart = try Tester.chart()
    try prepare(&chart, ["1700 0000" + octets(18), "1700 1200" + octets(18)])
    try chart.exchange("18 01", "19")
    try chart.exchange("0c 1700 1600", "0d" + octets(14))
  }

  @Test("GATT/SR/GAW/BV-10-C: nested reliable writes of long values")
  func nested() throws {
    var chart = try Tester.chart()
    try prepare(
      &chart,
      [
        "1600 0000" + octets(18), "1700 0000" + octets(18), "1600 1200" + octets(18), "1700 1200" + octets(18),
      ])
    try chart.exchange("18 01", "19")
    #expect(chart.server.database.storedValue(of: Tester.longValue) == Array(repeating: 7, count: 36))
    try chart.exchange("0c 1700 1600", "0d" + octets(14))
  }

  @Test("GATT/SR/GAW/BV-11-C: execute without anything prepared", arguments: ["18 00", "18 01"])
  func nothing(request: String) throws {
    var chart = try Tester.chart()
    try chart.exchange(request, "19")
  }

  @Test("GATT/SR/GAW/BI-02-C: write, Invalid Handle")
  func invalidHandle() throws { try Obstacle.noSuchHandle.refuses("12", "05", with: "01") }

  @Test("GATT/SR/GAW/BI-03-C: write, Write Not Permitted")
  func notPermitted() throws { try Obstacle.notPermitted.refuses("12", "05", with: "03") }

  @Test("GATT/SR/GAW/BI-04-C: write, Insufficient Authorization")
  func authorization() throws { try Obstacle.authorization.refuses("12", "05", with: "08") }

  @Test("GATT/SR/GAW/BI-05-C: write, Insufficient Authentication")
  func authentication() throws { try Obstacle.authentication.refuses("12", "05", with: "05") }

  @Test("Write, Encryption Key Size Too Short")
  func keySize() throws { try Obstacle.keySize.refuses("12", "05", with: "0c") }

  @Test("GATT/SR/GAW/BI-07-C: write long, Invalid Handle")
  func longInvalidHandle() throws { try Obstacle.noSuchHandle.refuses("16", "0000 05", with: "01") }

  @Test("GATT/SR/GAW/BI-08-C: write long, Write Not Permitted")
  func longNotPermitted() throws { try Obstacle.notPermitted.refuses("16", "0000 05", with: "03") }

  @Test("GATT/SR/GAW/BI-09-C: write long, Invalid Offset")
  func longOffset() throws {
    var chart = try Tester.chart()
    try prepare(&chart, ["1600 3d00 01"])
    try chart.exchange("18 01", "01 18 1600 07")
    try chart.exchange("0c 1600 3c00", "0d")
  }

  @Test("GATT/SR/GAW/BI-11-C: write long, Insufficient Authorization")
  func longAuthorization() throws { try Obstacle.authorization.refuses("16", "0000 05", with: "08") }

  @Test("GATT/SR/GAW/BI-12-C: write long, Insufficient Authentication")
  func longAuthentication() throws { try Obstacle.authentication.refuses("16", "0000 05", with: "05") }

  @Test("Write long, Encryption Key Size Too Short")
  func longKeySize() throws { try Obstacle.keySize.refuses("16", "0000 05", with: "0c") }

  @Test("GATT/SR/GAW/BI-14-C: reliable write, Invalid Handle")
  func reliableInvalidHandle() throws {
    var chart = try Obstacle.none.chart()
    try prepare(&chart, ["0300 0000 05"])
    try chart.exchange("16 ee00 0000 05", "01 16 ee00 01")
    try chart.exchange("18 00", "19")
    try chart.exchange("0a 0300", "0b 01")
  }

  @Test("GATT/SR/GAW/BI-15-C: reliable write, Write Not Permitted")
  func reliableNotPermitted() throws {
    var chart = try Obstacle.notPermitted.chart()
    try prepare(&chart, ["0300 0000 05"])
    try chart.exchange("16 0600 0000 05", "01 16 0600 03")
    try chart.exchange("18 00", "19")
    try chart.exchange("0a 0300", "0b 01")
  }

  @Test("GATT/SR/GAW/BI-20-C: write a descriptor, Invalid Handle")
  func descriptorInvalidHandle() throws {
    try Obstacle.noSuchHandle.refuses("12", "05", ofDescriptor: true, with: "01")
  }

  @Test("GATT/SR/GAW/BI-21-C: write a descriptor, Write Not Permitted")
  func descriptorNotPermitted() throws { try Obstacle.notPermitted.refuses("12", "05", ofDescriptor: true, with: "03") }

  @Test("GATT/SR/GAW/BI-25-C: write a long descriptor, Invalid Handle")
  func longDescriptorInvalidHandle() throws {
    try Obstacle.noSuchHandle.refuses("16", "0000 05", ofDescriptor: true, with: "01")
  }

  @Test("GATT/SR/GAW/BI-26-C: write a long descriptor, Write Not Permitted")
  func longDescriptorNotPermitted() throws {
    try Obstacle.notPermitted.refuses("16", "0000 05", ofDescriptor: true, with: "03")
  }

  @Test("GATT/SR/GAW/BI-32-C: write, a value that is too long")
  func tooLong() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 0e00 0102", "01 12 0e00 0d")
    #expect(chart.application.writes.isEmpty)
  }

  @Test("GATT/SR/GAW/BI-33-C: write long, a value that is too long")
  func longTooLong() throws {
    var chart = try Tester.chart()
    try prepare(&chart, ["1700 0000" + octets(18), "1700 1200" + octets(18), "1700 2400" + octets(5)])
    try chart.exchange("18 01", "01 18 1700 0d")
    try chart.exchange("0a 1700", "0b" + Array("User".utf8).hexadecimal)
  }

  @Test("GATT/SR/GAW/BI-39-C: write without response, a value that is too long")
  func commandTooLong() throws {
    var chart = try Tester.chart(mtu: 64)
    try chart.exchange("52 1c00" + octets(21), nil)
    #expect(chart.server.database.storedValue(of: Tester.commanded) == [])
  }

  @Test("GATT/SR/GAW/BI-41-C: execute a write of a removed attribute")
  func outOfSync() throws {
    var chart = try Tester.chart()
    try prepare(&chart, ["1600 0000 01"])
    _ = try chart.edit(.remove("vendor"))
    try chart.exchange("18 01", "01 18 1600 12")
    try chart.exchange("18 01", "19")
  }
}
