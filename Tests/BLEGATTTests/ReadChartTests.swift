import BLEATT
import BLECore
import BLEGATT
import Testing

/// Reading (Core 5.4 Vol 3 Part G 4.8, 4.12).
@Suite("Reading")
struct ReadChartTests {
  private func run(_ range: Range<UInt8>) -> String { Array(range).hexadecimal }

  @Test("A characteristic value")
  func value() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 0c00", "0b 01")
    #expect(chart.effects.events == [.read(CharacteristicIndex(4), [1])])
    try chart.exchange("0a 0300", "0b" + Array("Tester".utf8).hexadecimal)
    try chart.exchange("0a 0500", "0b 4103")
  }

  @Test("Declarations are read like any attribute, and their reads are not reported")
  func declaration() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 0700", "0b 0d18")
    try chart.exchange("0a 0800", "0b 10 0900 372a")
    try chart.exchange("0a 1400", "0b 0f00 1200 0f18")
    #expect(chart.effects.events.isEmpty)
  }

  @Test("By characteristic UUID")
  func byUUID() throws {
    var chart = try Tester.chart()
    try chart.exchange("08 0100 ffff 192a", "09 03 1100 64")
    try chart.exchange("08 1200 ffff 192a", "01 08 1200 0a")
  }

  @Test("A long value, part by part to its end")
  func longValue() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 1600", "0b" + run(0..<22))
    try chart.exchange("0c 1600 0000", "0d" + run(0..<22))
    try chart.exchange("0c 1600 1600", "0d" + run(22..<44))
    try chart.exchange("0c 1600 2c00", "0d" + run(44..<60))
    try chart.exchange("0c 1600 3c00", "0d")
    try chart.exchange("0c 1600 3d00", "01 0c 1600 07")
    try chart.exchange("0c 1600 ffff", "01 0c 1600 07")
  }

  @Test("A long value in one answer at a larger MTU", arguments: [23, 24, 60, 61, 62, 517])
  func longValueWideMTU(mtu: Int) throws {
    var chart = try Tester.chart(mtu: mtu)
    try chart.exchange("0a 1600", "0b" + run(0..<UInt8(min(60, mtu - 1))))
  }

  @Test("Several values, truncated at the MTU")
  func multiple() throws {
    var chart = try Tester.chart()
    try chart.exchange("0e 0c00 1100", "0f 01 64")
    try chart.exchange("0e 1100 0c00 1100", "0f 64 01 64")
    try chart.exchange("0e 0c00 1600", "0f 01" + run(0..<21))
    try chart.exchange("0e 1600 1600", "0f" + run(0..<22))
    let whole = [UInt8](0..<60)
    #expect(chart.effects.events == [.read(Tester.longValue, whole), .read(Tester.longValue, whole)])
  }

  @Test("Several values of variable length have their lengths, and are truncated at the MTU")
  func multipleVariable() throws {
    var chart = try Tester.chart()
    try chart.exchange("20 0c00 1100", "21 0100 01 0100 64")
    try chart.exchange("20 0c00 1600", "21 0100 01 3c00" + run(0..<17))
    var wide = try Tester.chart(mtu: 100)
    try wide.exchange("20 1600 0c00", "21 3c00" + run(0..<60) + "0100 01")
  }

  /// Core 5.4 Vol 3 Part F 3.4.4.12.
  @Test("Several values of variable length are truncated at the MTU, but never within a length", arguments: 23...72)
  func multipleVariableCut(mtu: Int) throws {
    var chart = try Tester.chart(mtu: mtu)
    let whole = "0100 01 3c00" + run(0..<60) + "0100 64 0100 01"
    let list = try #require([UInt8](hexadecimal: whole))
    // The third and fourth lengths are at 65 and 68.
    let count = mtu - 1 == 66 ? 65 : mtu - 1 == 69 ? 68 : mtu - 1
    try chart.exchange("20 0c00 1600 1100 0c00", "21" + list.prefix(count).hexadecimal)
  }

  @Test("Values beyond the truncation are still checked")
  func multipleVariableChecks() throws {
    var chart = try Tester.chart()
    try chart.exchange("20 1600 1600 0e00", "01 20 0e00 02")
    try chart.exchange("20 1600 1600 ff00", "01 20 ff00 01")
  }

  @Test("Fewer than two handles, or half a handle, are an invalid set", arguments: ["0e", "20"])
  func malformedSets(opcode: String) throws {
    var chart = try Tester.chart()
    for rest in ["", "0c", "0c00", "0c00 11"] { try chart.exchange(opcode + rest, "01" + opcode + "0000 04") }
  }

  @Test("A descriptor")
  func descriptor() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 1700", "0b" + Array("User".utf8).hexadecimal)
  }

  @Test("A long descriptor")
  func longDescriptor() throws {
    var chart = try Tester.chart()
    try chart.exchange("0a 1d00", "0b" + run(0..<22))
    try chart.exchange("0c 1d00 1600", "0d" + run(22..<30))
    try chart.exchange("0c 1d00 1e00", "0d")
    try chart.exchange("0c 1d00 1f00", "01 0c 1d00 07")
  }

  // MARK: - Values of the application

  private func asked() throws -> SequenceChart {
    try SequenceChart(application: [
      .init(
        id: "a", uuid: .init(0xFFF0),
        characteristics: [
          .asked(.init(0xFFF1), [.read]), .asked(.init(0xFFF2), [.read]), .asked(.init(0xFFF1), [.read]),
        ]
      )
    ])
  }

  @Test("Every read asks the application, with the client and the time")
  func applicationValues() throws {
    var chart = try asked()
    chart.application.answers[CharacteristicIndex(0)] = .value([1])
    try chart.exchange("0a 0300", "0b 01")
    chart.application.answers[CharacteristicIndex(0)] = .value([2])
    try chart.exchange("0a 0300", "0b 02")
    let access = TestApplication.Access(characteristic: CharacteristicIndex(0), client: 1, now: chart.now)
    #expect(chart.application.reads == [access, access])
  }

  @Test(
    "The application's error, with any code, is the response", arguments: [0x0E, 0x11, 0x80, 0x9F, 0xFF] as [UInt8])
  func applicationErrors(code: UInt8) throws {
    var chart = try asked()
    chart.application.answers[CharacteristicIndex(0)] = .value([1])
    chart.application.answers[CharacteristicIndex(1)] = .error(ATTErrorCode(rawValue: code))
    let digits = [code].hexadecimal
    try chart.exchange("0a 0500", "01 0a 0500" + digits)
    #expect(chart.effects.events == [.refused(.readRequest, handle: 5, ATTErrorCode(rawValue: code))])
    try chart.exchange("0c 0500 0000", "01 0c 0500" + digits)
    try chart.exchange("0e 0300 0500", "01 0e 0500" + digits)
    try chart.exchange("20 0300 0500", "01 20 0500" + digits)
    try chart.exchange("08 0100 ffff f2ff", "01 08 0500" + digits)
  }

  @Test("A long value of the application is read in parts")
  func applicationLongValue() throws {
    var chart = try asked()
    chart.application.answers[CharacteristicIndex(0)] = .value((0..<30).map { UInt8($0) })
    try chart.exchange("0a 0300", "0b" + run(0..<22))
    try chart.exchange("0c 0300 1600", "0d" + run(22..<30))
    try chart.exchange("0c 0300 1f00", "01 0c 0300 07")
  }

  // MARK: - Read By Type

  private func values(_ values: [[UInt8]], mtu: Int) throws -> SequenceChart {
    try SequenceChart(
      application: [
        .init(
          id: "a", uuid: .init(0xFFF0), characteristics: values.map { .stored(.init(0xFFF1), [.read], $0) })
      ], mtu: mtu)
  }

  @Test("Read By Type returns values of one length; a different length ends the response")
  func byTypeMixedLengths() throws {
    var chart = try values([[1, 2], [3, 4], [5], [6, 7]], mtu: 100)
    try chart.exchange("08 0100 ffff f1ff", "09 04 0300 0102 0500 0304")
    try chart.exchange("08 0600 ffff f1ff", "09 03 0700 05")
    try chart.exchange("08 0800 ffff f1ff", "09 04 0900 0607")
  }

  @Test("Read By Type returns as many entries as fit, to the last octet")
  func byTypePacking() throws {
    var chart = try values(Array(repeating: [1, 2, 3, 4, 5], count: 4), mtu: 23)
    try chart.exchange("08 0100 ffff f1ff", "09 07 0300 0102030405 0500 0102030405 0700 0102030405")
    var wide = try values(Array(repeating: [1, 2, 3, 4, 5], count: 4), mtu: 29)
    #expect(wide.answer([0x08, 1, 0, 0xFF, 0xFF, 0xF1, 0xFF]).count == 2 + 3 * 7)
    var wider = try values(Array(repeating: [1, 2, 3, 4, 5], count: 4), mtu: 30)
    #expect(wider.answer([0x08, 1, 0, 0xFF, 0xFF, 0xF1, 0xFF]).count == 2 + 4 * 7)
  }

  @Test("Read By Type truncates a long value at the MTU, and at the maximum of the length octet")
  func byTypeLongValues() throws {
    let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    var chart = try values([value], mtu: 23)
    try chart.exchange("08 0100 ffff f1ff", "09 15 0300" + value.prefix(19).hexadecimal)
    var wide = try values([value], mtu: 517)
    try wide.exchange("08 0100 ffff f1ff", "09 ff 0300" + value.prefix(253).hexadecimal)
  }

  @Test("Two values truncated to 253 octets have the same length, and fit at the largest MTU")
  func byTypeTwoLongValues() throws {
    let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    var chart = try values([value, value + [1]], mtu: 517)
    let part = value.prefix(253).hexadecimal
    try chart.exchange("08 0100 ffff f1ff", "09 ff 0300" + part + "0500" + part)
  }

  @Test("Read By Type: an unreadable value is an error if it is the first, and otherwise ends the response")
  func byTypeForbidden() throws {
    var chart = try SequenceChart(application: [
      .init(
        id: "a", uuid: .init(0xFFF0),
        characteristics: [
          .stored(.init(0xFFF1), [.read], [1]), .stored(.init(0xFFF1), [.write], [2]),
          .stored(.init(0xFFF1), [.read], [3]),
        ])
    ])
    try chart.exchange("08 0100 ffff f1ff", "09 03 0300 01")
    try chart.exchange("08 0400 ffff f1ff", "01 08 0500 02")
    try chart.exchange("08 0600 ffff f1ff", "09 03 0700 03")
  }
}
