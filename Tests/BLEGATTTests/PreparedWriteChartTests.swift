import BLEATT
import BLECore
import BLEGATT
import Testing

/// Long and reliable writes (Core 5.4 Vol 3 Part F 3.4.6, Part G 4.9.4, 4.9.5).
@Suite("Prepared writes")
struct PreparedWriteChartTests {
  private func octets(_ count: Int, from first: UInt8 = 0) -> String {
    (0..<count).map { first &+ UInt8($0) }.hexadecimal
  }

  /// Prepares a part, and expects the same part as the response.
  private func prepare(_ chart: inout SequenceChart, _ part: String) throws {
    try chart.exchange("16" + part, "17" + part)
  }

  @Test("A long value in parts")
  func longValue() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1600 0000" + octets(18, from: 100))
    try prepare(&chart, "1600 1200" + octets(18, from: 118))
    try prepare(&chart, "1600 2400" + octets(4, from: 136))
    #expect(chart.application.writes.isEmpty)
    try chart.exchange("0a 1600", "0b" + octets(22))
    try chart.exchange("18 01", "19")
    #expect(chart.server.database.storedValue(of: Tester.longValue) == (100..<140).map { UInt8($0) })
    #expect(chart.application.writes.map(\.value) == [(100..<140).map { UInt8($0) }])
    #expect(chart.effects.events == [.written(Tester.longValue, (100..<140).map { UInt8($0) })])
  }

  @Test("A long descriptor")
  func longDescriptor() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1700 0000" + octets(18))
    try prepare(&chart, "1700 1200" + octets(10, from: 18))
    try chart.exchange("18 01", "19")
    try chart.exchange("0c 1700 1600", "0d" + octets(6, from: 22))
    #expect(chart.application.writes.isEmpty)
  }

  /// Core 5.4 Vol 3 Part F 3.4.6.3: writes between two parts of an attribute are executed between them.
  @Test("Several values, reliably, in the order of their parts")
  func reliable() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1700 0000 41")
    try prepare(&chart, "1600 0000 0102")
    try prepare(&chart, "0e00 0000 05")
    try prepare(&chart, "1600 0200 0304")
    try chart.exchange("18 01", "19")
    #expect(
      chart.effects.events == [
        .written(Tester.longValue, [1, 2]), .written(Tester.controlPoint, [5]),
        .written(Tester.longValue, [1, 2, 3, 4]),
      ])
    try chart.exchange("0a 1600", "0b 01020304")
    try chart.exchange("0a 1700", "0b 41")
  }

  @Test("Cancel drops all parts")
  func cancel() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1600 0000 ff")
    try chart.exchange("18 00", "19")
    #expect(chart.session.preparedWrites.parts.isEmpty)
    try chart.exchange("18 01", "19")
    #expect(chart.server.database.storedValue(of: Tester.longValue)?.count == 60)
    #expect(chart.application.writes.isEmpty)
  }

  @Test("Executing nothing is answered")
  func nothing() throws {
    var chart = try Tester.chart()
    try chart.exchange("18 01", "19")
    try chart.exchange("18 00", "19")
    #expect(chart.effects.events.isEmpty)
  }

  @Test("An offset past the end is detected on execution, and the value is unchanged")
  func invalidOffset() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1600 3d00 01")
    try chart.exchange("18 01", "01 18 1600 07")
    #expect(chart.server.database.storedValue(of: Tester.longValue) == (0..<60).map { UInt8($0) })
    #expect(chart.session.preparedWrites.parts.isEmpty)
    try chart.exchange("18 01", "19")
    try prepare(&chart, "1600 3c00 01")
    try chart.exchange("18 01", "19")
    #expect(chart.server.database.storedValue(of: Tester.longValue)?.count == 61)
  }

  @Test("A part may begin where the previous part ended, past the old value, but leave no gap")
  func growth() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1700 0400 0000")
    try prepare(&chart, "1700 0600 0000")
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 1700", "0b 55736572 00000000")
    try prepare(&chart, "1700 0800 00")
    try prepare(&chart, "1700 0a00 00")
    try chart.exchange("18 01", "01 18 1700 07")
    try chart.exchange("0a 1700", "0b 55736572 00000000")
  }

  @Test("Parts in any order are all in the value, which ends at the end of the furthest")
  func anyOrder() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1600 1200 010203")
    try prepare(&chart, "1600 0000 0a0b")
    try chart.exchange("18 01", "19")
    #expect(
      chart.server.database.storedValue(of: Tester.longValue) == [10, 11] + (2..<18).map { UInt8($0) } + [1, 2, 3])
    try prepare(&chart, "1700 0000 4142434445")
    try prepare(&chart, "1700 0200 7a")
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 1700", "0b 41427a4445")
  }

  @Test("If the parts exceed the maximum length, all of them are refused")
  func tooLong() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1600 0000 99")
    for offset in [0, 18] as [UInt8] { try prepare(&chart, "1700" + [offset, 0].hexadecimal + octets(18)) }
    try prepare(&chart, "1700 2400" + octets(5))
    try chart.exchange("18 01", "01 18 1700 0d")
    try chart.exchange("0a 1700", "0b 55736572")
    #expect(chart.server.database.storedValue(of: Tester.longValue)?.count == 60)
    #expect(chart.application.writes.isEmpty)
  }

  @Test("The last octet that fits may be written")
  func longest() throws {
    var chart = try Tester.chart()
    for offset in [0, 18] as [UInt8] { try prepare(&chart, "1700" + [offset, 0].hexadecimal + octets(18)) }
    try prepare(&chart, "1700 2400" + octets(4))
    try chart.exchange("18 01", "19")
  }

  @Test("If the application refuses one value, none is written")
  func allOrNothing() throws {
    var chart = try Tester.chart()
    chart.application.verdicts[Tester.longValue] = WriteAnswer(actions: [.notify(Tester.measurement)])
    chart.application.verdicts[Tester.controlPoint] = WriteAnswer(error: ATTErrorCode(rawValue: 0x81))
    try prepare(&chart, "1600 0000 01")
    try prepare(&chart, "0a00 0000 0100")
    try prepare(&chart, "0e00 0000 01")
    try chart.exchange("18 01", "01 18 0e00 81")
    #expect(chart.server.database.storedValue(of: Tester.longValue)?.count == 60)
    #expect(chart.session.configuration(of: Tester.measurement) == [])
    #expect(chart.effects.actions.isEmpty)
    #expect(chart.effects.events == [.refused(.executeWriteRequest, handle: 0x0E, ATTErrorCode(rawValue: 0x81))])
    #expect(chart.application.writes.isEmpty)
  }

  @Test("If a permission has been lost since, the parts are refused on execution")
  func rightLost() throws {
    let secret = CharacteristicDefinition.stored(
      .init(0xFFF1), [.read, .write], [1],
      permissions: .init(read: .open, write: .init(protection: .encrypted)))
    var chart = try SequenceChart(application: [.init(id: "a", uuid: .init(0xFFF0), characteristics: [secret])])
    chart.session.security = LinkSecurity(protection: .encrypted, keySize: 16)
    try prepare(&chart, "0300 0000 09")
    chart.session.security = .open
    try chart.exchange("18 01", "01 18 0300 05")
    try chart.exchange("0a 0300", "0b 01")
  }

  @Test("A full queue refuses parts, and keeps its contents")
  func fullQueue() throws {
    var chart = try Tester.chart()
    for number in 0..<PreparedWriteQueue.capacity {
      try prepare(&chart, "1600" + [UInt8(number), 0].hexadecimal + "07")
    }
    try chart.exchange("16 1600 4000 07", "01 16 1600 09")
    try chart.exchange("18 01", "19")
    #expect(
      chart.server.database.storedValue(of: Tester.longValue)
        == Array(repeating: 7, count: PreparedWriteQueue.capacity))
    try prepare(&chart, "1600 0000 01")
  }

  @Test("A value of fixed length may be changed in part")
  func fixedLength() throws {
    let characteristic = CharacteristicDefinition(
      id: "a", uuid: .init(0xFFF1), properties: [.read, .write], value: .stored([1, 2, 3]), maximumLength: 3,
      hasFixedLength: true)
    var chart = try SequenceChart(application: [
      .init(id: "a", uuid: .init(0xFFF0), characteristics: [characteristic])
    ])
    try prepare(&chart, "0300 0100 09")
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 0300", "0b 010903")
    try prepare(&chart, "0300 0200 0809")
    try chart.exchange("18 01", "01 18 0300 0d")
  }

  @Test("Parts are based on the application's value, whether or not it is readable")
  func applicationValue() throws {
    var chart = try SequenceChart(application: [
      .init(id: "a", uuid: .init(0xFFF0), characteristics: [.asked(.init(0xFFF1), [.write])])
    ])
    let index = CharacteristicIndex(0)
    chart.application.answers[index] = .value([1, 2, 3])
    try prepare(&chart, "0300 0300 04")
    try chart.exchange("18 01", "19")
    #expect(chart.application.writes.map(\.value) == [[1, 2, 3, 4]])
    chart.application.answers[index] = .error(.unlikelyError)
    try prepare(&chart, "0300 0100 04")
    try chart.exchange("18 01", "01 18 0300 07")
  }

  @Test("Each client has its own queue, and gets only its own errors")
  func perClient() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1600 ff00 01")
    var other = chart
    other.session = GATTSession(client: 2)
    other.bearer = ServerBearer()
    try other.exchange("18 01", "19")
    #expect(chart.session.preparedWrites.parts.count == 1)
    try chart.exchange("18 01", "01 18 1600 07")
  }

  @Test("Any other flag is an invalid PDU", arguments: ["18 02", "18 ff", "18", "18 0101"])
  func flags(request: String) throws {
    var chart = try Tester.chart()
    try chart.exchange(request, "01 18 0000 04")
  }

  @Test("A part that does not fit into the response is an invalid PDU")
  func longerThanTheMTU() throws {
    var chart = try Tester.chart()
    try chart.exchange("16 1600 0000" + octets(19), "01 16 0000 04")
    #expect(chart.session.preparedWrites.parts.isEmpty)
  }

  @Test("An empty part keeps the value up to its offset")
  func emptyPart() throws {
    var chart = try Tester.chart()
    try prepare(&chart, "1700 0200")
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 1700", "0b 5573")
  }
}
