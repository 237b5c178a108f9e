import BLEATT
import BLECore
import BLEGATT
import Testing

/// The group GATT/SR/GAR, read procedures (Core 5.4 Vol 3 Part G 4.8, 4.12), on the accessory in `Tester`.
@Suite("GATT/SR/GAR")
struct GARTests {
  private func run(_ range: Range<UInt8>) -> String { Array(range).hexadecimal }

  @Test("GATT/SR/GAR/BV-01-C: read a characteristic value")
  func value() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 0c00", "0b 01")
  }

  @Test("GATT/SR/GAR/BV-03-C: read by characteristic UUID")
  func byUUID() throws {
    var chart = try Tester.chart()
    try chart.exchange("08 0100 ffff 192a", "09 03 1100 64")
    try chart.exchange(
      "08 0100 ffff" + BluetoothUUID.long(2).littleEndianOctets.hexadecimal, "09 15 1600" + run(0..<19))
  }

  @Test("GATT/SR/GAR/BV-04-C: read a long characteristic value to its end")
  func longValue() throws {
    var chart = try Tester.chart()
    try chart.exchange("0c 1600 0000", "0d" + run(0..<22))
    try chart.exchange("0c 1600 1600", "0d" + run(22..<44))
    try chart.exchange("0c 1600 2c00", "0d" + run(44..<60))
  }

  @Test("GATT/SR/GAR/BV-05-C: read several characteristic values")
  func multiple() throws {
    var chart = try Tester.chart()
    try chart.exchange("0e 0c00 1100", "0f 01 64")
  }

  @Test("GATT/SR/GAR/BV-06-C: read a characteristic descriptor")
  func descriptor() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 1700", "0b" + Array("User".utf8).hexadecimal)
  }

  @Test("GATT/SR/GAR/BV-07-C: read a long characteristic descriptor")
  func longDescriptor() throws {
    var chart = try Tester.chart()
    try chart.exchange("0c 1d00 0000", "0d" + run(0..<22))
    try chart.exchange("0c 1d00 1600", "0d" + run(22..<30))
  }

  @Test("GATT/SR/GAR/BV-08-C: read past the end of a long characteristic descriptor")
  func behindLongDescriptor() throws {
    var chart = try Tester.chart()
    try chart.exchange("0c 1d00 1e00", "0d")
    try chart.exchange("0c 1d00 1f00", "01 0c 1d00 07")
  }

  @Test("GATT/SR/GAR/BV-09-C: read several values of variable length")
  func variable() throws {
    var chart = try Tester.chart()
    try chart.exchange("20 0c00 1700 0c00", "21 0100 01 0400" + Array("User".utf8).hexadecimal + "0100 01")
  }

  @Test("GATT/SR/GAR/BI-45-C: a second request before the first is answered")
  func pipelined() throws {
    var chart = try SequenceChart(application: [
      .init(
        id: "a", uuid: .init(0xFFF0),
        characteristics: [.asked(.init(0xFFF1), [.read]), .stored(.init(0xFFF2), [.read], [2])])
    ])
    let ticket = AnswerTicket(1)
    chart.application.answers[CharacteristicIndex(0)] = .later(ticket)
    try chart.exchange("0a 0300", nil)
    try chart.exchange("0a 0500", nil)
    // Both are answered, in the order of the requests.
    #expect(chart.answer(ticket, with: .value([1])) == "0b01")
    #expect(chart.answerEarly() == "0b02")
  }
}
