import BLECore
import Capture
import Decoding
import Testing

@testable import Viewing

/// The slide about Apple's PacketLogger (WWDC 2019, session 901), on this screen: both sides of a connection to a headset discover
/// each other at the same time, while another device advertises.
@Suite("The trace on the slide")
struct SlideTests {
  /// A row: the seconds after 23:04, whether the host sends it, the PDU, and its text on the slide.
  private typealias Row = (time: Int64, isSent: Bool, pdu: [UInt8], text: String)

  private static let discovery = "UUID: GATT Characteristic Declaration"
  private static let rows: [Row] = [
    (39_343, false, [0x02, 100, 0], "Exchange MTU Request - MTU: 100"),
    (39_343, true, [0x03, 100, 0], "Exchange MTU Response - MTU: 100"),
    (39_404, false, groups(1), "Read By Group Type Request - Start Handle: 0x0001 - End Handle: 0xFFFF"),
    (39_404, true, [0x11, 6, 1, 0, 9, 0, 0x01, 0x18], "Read By Group Type Response - Attributes: 1"),
    (39_438, true, groups(1), "Read By Group Type Request - Start Handle: 0x0001 - End Handle: 0xFFFF"),
    (39_463, false, groups(0x0A), "Read By Group Type Request - Start Handle: 0x000A - End Handle: 0xFFFF"),
    (39_463, true, [0x11, 6, 0x0A, 0, 0x13, 0, 0x0A, 0x18], "Read By Group Type Response - Attributes: 1"),
    (
      39_523, false, [0x11, 6, 1, 0, 4, 0, 0x01, 0x18, 5, 0, 0x17, 0, 0x0F, 0x18],
      "Read By Group Type Response - Attributes: 2"
    ),
    (
      39_524, true, characteristics(1, 4),
      "Read By Type Request - Start Handle: 0x0001 - End Handle: 0x0004 - \(discovery)"
    ),
    (39_554, false, groups(0x14), "Read By Group Type Request - Start Handle: 0x0014 - End Handle: 0xFFFF"),
    (39_554, true, [0x11, 6, 0x14, 0, 0x22, 0, 0x0F, 0x18], "Read By Group Type Response - Attributes: 1"),
    (39_583, false, [0x09, 7, 2, 0, 0x20, 3, 0, 0x05, 0x2A], "Read By Type Response - Attributes: 1"),
    (39_583, true, [0x04, 4, 0, 4, 0], "Find Information Request - Handle: 0x0004 - Service Changed"),
    (39_614, false, groups(0x23), "Read By Group Type Request - Start Handle: 0x0023 - End Handle: 0xFFFF"),
    (39_614, true, [0x11, 6, 0x23, 0, 0x38, 0, 0x0D, 0x18], "Read By Group Type Response - Attributes: 1"),
    (39_643, false, [0x05, 1, 4, 0, 0x02, 0x29], "Find Information Response - Attributes: 1"),
    (
      39_643, true, [0x12, 4, 0, 2, 0], "Write Request - Handle: 0x0004 - Service Changed - Configuration - Indication"
    ),
    (39_672, false, groups(0x39), "Read By Group Type Request - Start Handle: 0x0039 - End Handle: 0xFFFF"),
    (
      39_673, true, [0x01, 0x10, 0x39, 0, 0x0A],
      "Error Response - Attribute Handle: 0x0039 - Error Code: Attribute Not Found (0x0A)"
    ),
    (39_703, false, [0x13], "Write Response - Handle: 0x0004 - Service Changed - Configuration"),
    (
      39_794, false, characteristics(1, 9),
      "Read By Type Request - Start Handle: 0x0001 - End Handle: 0x0009 - \(discovery)"
    ),
    (39_794, true, [0x09, 7, 7, 0, 0x20, 8, 0, 0x05, 0x2A], "Read By Type Response - Attributes: 1"),
    (39_854, false, [0x04, 9, 0, 9, 0], "Find Information Request - Handle: 0x0009 - Service Changed"),
    (39_854, true, [0x05, 1, 9, 0, 0x02, 0x29], "Find Information Response - Attributes: 1"),
    (
      39_884, true, characteristics(0x18, 0xFFFF),
      "Read By Type Request - Start Handle: 0x0018 - End Handle: 0xFFFF - \(discovery)"
    ),
    (
      39_914, false, [0x12, 9, 0, 2, 0], "Write Request - Handle: 0x0009 - Service Changed - Configuration - Indication"
    ),
  ]

  private static func groups(_ start: UInt8) -> [UInt8] { [0x10, start, 0, 0xFF, 0xFF, 0x00, 0x28] }

  private static func characteristics(_ start: UInt16, _ end: UInt16) -> [UInt8] {
    [0x08, UInt8(start & 0xFF), UInt8(start >> 8), UInt8(end & 0xFF), UInt8(end >> 8), 0x03, 0x28]
  }

  /// 23:04:00 of a day.
  private static let minute: Int64 = (23 * 3600 + 4 * 60) * 1_000_000_000

  private static func record(_ row: Row) -> CaptureRecord {
    let length = UInt8(row.pdu.count)
    let head: [UInt8] = [2, 0x44, row.isSent ? 0x00 : 0x20, length + 4, 0, length, 0, 4, 0]
    return CaptureRecord(
      .hci(row.isSent ? .hostToController : .controllerToHost), nanoseconds: minute + row.time * 1_000_000,
      octets: head + row.pdu)
  }

  /// LE Connection Complete of handle 0x0044 with 00:09:A7:24:26:38.
  private static let connected = CaptureRecord(
    .hci(.controllerToHost), nanoseconds: minute + 39_200_000_000,
    octets: [4, 0x3E, 19, 1, 0, 0x44, 0, 0, 0, 0x38, 0x26, 0x24, 0xA7, 0x09, 0x00, 24, 0, 0, 0, 72, 0, 0])
  /// An advertising report of 24:18:97:6D:C0:AB at -67 dBm; the slide has several.
  private static let report = CaptureRecord(
    .hci(.controllerToHost), nanoseconds: minute + 39_825_000_000,
    octets: [4, 0x3E, 12, 2, 1, 0, 1, 0xAB, 0xC0, 0x6D, 0x97, 0x18, 0x24, 0, 0xBD])

  private static func screen(rows: Int = 80) throws -> ScreenModel {
    var model = try ScreenModel(title: "slide.pklg", decoder: PacketDecoder()) { $0 }
    model.resize(rows: rows, columns: 200)
    model.add(connected)
    for row in Self.rows { model.add(record(row)) }
    model.add(report)
    return model
  }

  private static func press(_ key: ScreenKey, _ model: inout ScreenModel) {
    let goesOn = model.press(key)
    #expect(goesOn)
  }

  @Test("The list has the slide's columns and words, with names from the discovery of either side")
  func list() throws {
    let lines = try Self.screen().lines.map(\.text)
    for (place, row) in Self.rows.enumerated() {
      let line = lines[place + 2]
      let type = row.isSent ? "ATT Send" : "ATT Receive"
      let time = "23:04:39.\(row.time % 1000)000"
      #expect(line.contains(time), "\(line)")
      let columns = PacketWords.padded(type, 14) + "  0x0044  00:09:A7:24:26:38"
      #expect(line.contains(columns), "\(line)")
      #expect(line.hasSuffix("  " + row.text) || line.contains("  \(row.text) "), "\(line)")
    }
    let report = try #require(lines.first { $0.contains("Advertising Report") })
    #expect(report.contains("HCI Event"))
    #expect(report.contains("LE - Advertising Report - 1 Report - Normal - Random - 24:18:97:6D:C0:AB  -67 dBm"))
  }

  @Test("The screen shows counters and the time between two rows")
  func counters() throws {
    var model = try Self.screen()
    let last = { (model: ScreenModel) in model.lines.last?.text ?? "" }
    #expect(last(model).contains("28 total (0 Err / 2 HCI / 26 ACL / 0 SCO / 0 Misc)"))
    // From the last row of the conversation back to 39.438, past 39.471, which is not in the conversation.
    for key in [ScreenKey.up, .character("m")] { Self.press(key, &model) }
    #expect(last(model).contains("Δ 0.000 s"))
    for _ in 0..<21 { Self.press(.up, &model) }
    #expect(last(model).contains("Δ -0.476 s"))
    // Without a mark, the time is since the row above.
    Self.press(.character("m"), &model)
    #expect(last(model).contains("Δ 0.034 s"))
  }

  @Test("The row that the slide opens shows ATT in L2CAP in ACL, and its octets")
  func tree() throws {
    var model = try Self.screen(rows: 120)
    for _ in 0..<2 { Self.press(.up, &model) }
    let detail = model.detail.map(\.text)
    let words = [
      "Opcode: 0x08", "Starting Handle: 0x0018", "Ending Handle: 0xFFFF", "GATT Characteristic Declaration",
      "PDU Length: 0x0007",
      "Channel ID: 0x0004", "Handle: 0x0044", "point-to-point", "Data Total Length: 0x000B",
    ]
    for word in words { #expect(detail.contains { $0.contains(word) }, "\(word) in \(detail)") }
    #expect(detail.last?.contains("02 44 00 0b 00 07 00 04 00 08 18 00 ff ff 03 28") == true)
  }
}
