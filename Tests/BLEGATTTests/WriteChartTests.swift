import BLEATT
import BLECore
import BLEGATT
import Testing

/// Immediate writes (Core 5.4 Vol 3 Part G 4.9, 4.12).
@Suite("Writing")
struct WriteChartTests {
  @Test("Without response")
  func withoutResponse() throws {
    var chart = try Tester.chart()
    try chart.exchange("52 1c00 010203", nil)
    #expect(chart.server.database.storedValue(of: Tester.commanded) == [1, 2, 3])
    #expect(chart.effects.events == [.written(Tester.commanded, [1, 2, 3])])
    #expect(chart.application.writes.map(\.value) == [[1, 2, 3]])
  }

  @Test("A characteristic value, read back")
  func value() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1600 0a0b0c", "13")
    #expect(chart.effects.events == [.written(Tester.longValue, [10, 11, 12])])
    try chart.exchange("0a 1600", "0b 0a0b0c")
  }

  @Test("A value gets the length of the write, and may be empty")
  func lengths() throws {
    var chart = try Tester.chart(mtu: 200)
    try chart.exchange("12 1600", "13")
    try chart.exchange("0a 1600", "0b")
    let longest = Array(repeating: 7 as UInt8, count: 100).hexadecimal
    try chart.exchange("12 1600" + longest, "13")
    try chart.exchange("0a 1600", "0b" + longest)
    try chart.exchange("12 1600" + longest + "07", "01 12 1600 0d")
    try chart.exchange("0a 1600", "0b" + longest)
  }

  @Test("A value of fixed length accepts no other length", arguments: 0...4)
  func fixedLength(length: Int) throws {
    let characteristic = CharacteristicDefinition(
      id: "a", uuid: .init(0xFFF1), properties: [.read, .write], value: .stored([1, 2]), maximumLength: 2,
      hasFixedLength: true)
    var chart = try SequenceChart(application: [
      .init(id: "a", uuid: .init(0xFFF0), characteristics: [characteristic])
    ])
    let value = Array(repeating: 9 as UInt8, count: length).hexadecimal
    try chart.exchange("12 0300" + value, length == 2 ? "13" : "01 12 0300 0d")
    try chart.exchange("0a 0300", length == 2 ? "0b 0909" : "0b 0102")
  }

  @Test("A descriptor")
  func descriptor() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 1700 414243", "13")
    try chart.exchange("0a 1700", "0b 414243")
    try chart.exchange("12 1d00 00", "01 12 1d00 03")
  }

  @Test("Declarations are never written", arguments: ["0100", "0800", "1400"])
  func declarations(handle: String) throws {
    var chart = try Tester.chart()
    let before = chart.server.database.attributes.map(\.value)
    try chart.exchange("12" + handle + "00", "01 12" + handle + "03")
    try chart.exchange("52" + handle + "00", nil)
    try chart.exchange("16" + handle + "0000 00", "01 16" + handle + "03")
    #expect(chart.server.database.attributes.map(\.value) == before)
  }

  @Test("The host's own values do not involve the application")
  func hostValues() throws {
    let host = ServiceDefinition(
      id: "host", uuid: .init(0x1800), characteristics: [.stored(.init(0x2A00), [.read, .write], [1])])
    var chart = try SequenceChart(host: [host], application: [])
    try chart.exchange("12 0300 05", "13")
    try chart.exchange("0a 0300", "0b 05")
    #expect(chart.application.writes.isEmpty)
  }

  @Test("The application gets client, value and time, and its effects come after the response")
  func consequences() throws {
    var chart = try Tester.chart()
    chart.application.verdicts[Tester.controlPoint] = WriteAnswer(actions: [.notify(Tester.measurement)])
    try chart.exchange("12 0e00 01", "13")
    #expect(chart.effects.actions == [.notify(Tester.measurement)])
    #expect(
      chart.application.writes == [.init(characteristic: Tester.controlPoint, client: 1, value: [1], now: chart.now)])
  }

  @Test("The application's error is the response, and the value stays", arguments: [0x80, 0x9F, 0x13, 0xFC] as [UInt8])
  func applicationErrors(code: UInt8) throws {
    var chart = try Tester.chart()
    let error = ATTErrorCode(rawValue: code)
    chart.application.verdicts[Tester.longValue] = WriteAnswer(
      error: error, actions: [.notify(Tester.measurement)])
    try chart.exchange("12 1600 09", "01 12 1600" + [code].hexadecimal)
    #expect(chart.effects.events == [.refused(.writeRequest, handle: 0x16, error)])
    #expect(chart.effects.actions.isEmpty)
    #expect(chart.server.database.storedValue(of: Tester.longValue)?.count == 60)
    chart.application.verdicts[Tester.commanded] = WriteAnswer(error: error)
    try chart.exchange("52 1c00 09", nil)
    #expect(chart.effects.events == [.refused(.writeCommand, handle: 0x1C, error)])
    #expect(chart.server.database.storedValue(of: Tester.commanded) == [])
  }

  @Test("The application is not asked about a value of an impossible length")
  func lengthFirst() throws {
    var chart = try Tester.chart()
    try chart.exchange("12 0e00 0102", "01 12 0e00 0d")
    #expect(chart.application.writes.isEmpty)
  }

  @Test(
    "A command too long, empty or malformed is not answered", arguments: ["52", "521c", "52 1c00", "d2", "d2 1c00 01"])
  func silentCommands(command: String) throws {
    var chart = try Tester.chart()
    try chart.exchange(command, nil)
    try chart.exchange("52 1c00" + Array(repeating: 1 as UInt8, count: 21).hexadecimal, nil)
    #expect(chart.server.database.storedValue(of: Tester.commanded) == [])
  }

  @Test("Single reads and writes are reported only if an observer wants them")
  func reports() throws {
    var chart = try Tester.chart()
    for pdu in [[0x0A, 0x0C, 0], [0x12, 0x16, 0, 1], [0x0A, 0xFF, 0xFF], [0x52, 0xFF, 0xFF, 1]] as [[UInt8]] {
      var reply = OctetBuffer()
      var effects = ServerEffects(reportsAccess: false)
      chart.server.receive(
        pdu.span, on: &chart.bearer, from: &chart.session, application: &chart.application, at: chart.now,
        reply: &reply, effects: &effects)
      #expect(effects.events.isEmpty)
    }
  }
}
