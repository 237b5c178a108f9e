import BLECore
import BLEHCI
import Capture
import Testing

@testable import Decoding

/// The connection on a slide about Apple's PacketLogger (WWDC 2019, session 901): both sides are clients at once.
@Suite("The trace of a dual-role connection")
struct SlideTests {
  private var decoder = PacketDecoder()
  private var rows: [String] = []

  /// An ATT PDU on handle 0x0044.
  private mutating func att(_ direction: CapturedPacket.Direction, _ pdu: [UInt8]) {
    let length = pdu.count
    var octets: [UInt8] = [2, 0x44, direction == .hostToController ? 0x00 : 0x20]
    octets += [UInt8(length + 4), 0, UInt8(length), 0, 4, 0]
    take(CaptureRecord(.hci(direction), octets: octets + pdu))
  }

  private mutating func take(_ record: CaptureRecord) {
    let summary = decoder.receive(record)
    #expect(summary.fault == nil)
    rows.append(PacketDecoder.typeText(of: summary) + ": " + decoder.text(of: summary, in: record))
  }

  private mutating func exchange() {
    var connected = LEConnectionComplete()
    connected.connectionHandle = ConnectionHandle(rawValue: 0x44)
    connected.peerAddress = DeviceAddress(bits: 0x0009_A724_2638)
    take(CaptureRecord(.hci(.controllerToHost), octets: connected.h4))
    att(.controllerToHost, [0x02, 100, 0])
    att(.hostToController, [0x03, 100, 0])
    att(.controllerToHost, [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
    att(.hostToController, [0x11, 6, 1, 0, 9, 0, 0x01, 0x18])
    att(.hostToController, [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
    att(.controllerToHost, [0x10, 0x0A, 0, 0xFF, 0xFF, 0x00, 0x28])
    att(.controllerToHost, [0x11, 6, 1, 0, 4, 0, 0x01, 0x18, 5, 0, 9, 0, 0x0F, 0x18])
    att(.hostToController, [0x01, 0x10, 0x0A, 0, 0x0A])
    att(.hostToController, [0x08, 1, 0, 4, 0, 0x03, 0x28])
    att(.controllerToHost, [0x09, 7, 2, 0, 0x20, 3, 0, 0x05, 0x2A])
    att(.hostToController, [0x04, 4, 0, 4, 0])
    att(.controllerToHost, [0x05, 1, 4, 0, 0x02, 0x29])
    att(.hostToController, [0x12, 4, 0, 2, 0])
    att(.controllerToHost, [0x13])
    att(.hostToController, [0x08, 0x18, 0, 0xFF, 0xFF, 0x03, 0x28])
  }

  @Test("rows read as on the slide, with names from the discovery")
  mutating func rowTexts() {
    exchange()
    let expected = [
      "ATT Receive: Exchange MTU Request - MTU: 100",
      "ATT Send: Exchange MTU Response - MTU: 100",
      "ATT Receive: Read By Group Type Request - Start Handle: 0x0001 - End Handle: 0xFFFF",
      "ATT Send: Read By Group Type Response - Attributes: 1",
      "ATT Send: Read By Group Type Request - Start Handle: 0x0001 - End Handle: 0xFFFF",
      "ATT Receive: Read By Group Type Request - Start Handle: 0x000A - End Handle: 0xFFFF",
      "ATT Receive: Read By Group Type Response - Attributes: 2",
      "ATT Send: Error Response - Attribute Handle: 0x000A - Error Code: Attribute Not Found (0x0A)",
      "ATT Send: Read By Type Request - Start Handle: 0x0001 - End Handle: 0x0004 - UUID: GATT Characteristic Declaration",
      "ATT Receive: Read By Type Response - Attributes: 1",
      "ATT Send: Find Information Request - Handle: 0x0004 - Service Changed",
      "ATT Receive: Find Information Response - Attributes: 1",
      "ATT Send: Write Request - Handle: 0x0004 - Service Changed - Configuration - Indication",
      "ATT Receive: Write Response - Handle: 0x0004 - Service Changed - Configuration",
      "ATT Send: Read By Type Request - Start Handle: 0x0018 - End Handle: 0xFFFF - UUID: GATT Characteristic Declaration",
    ]
    #expect(Array(rows.dropFirst()) == expected)
  }

  @Test("an advertising report shows the number, kind, address and RSSI")
  mutating func report() {
    var report = AdvertisingReport()
    report.addressType = .random
    report.address = DeviceAddress(bits: 0x2418_976D_C0AB)
    report.rssi = -67
    var event = LEAdvertisingReport()
    event.reports = [report]
    take(CaptureRecord(.hci(.controllerToHost), octets: event.h4))
    #expect(rows == ["HCI Event: LE - Advertising Report - 1 Report - Normal - Random - 24:18:97:6D:C0:AB  -67 dBm"])
  }

  @Test("the last row opens to ATT in L2CAP in ACL, with every octet")
  mutating func tree() {
    exchange()
    let octets: [UInt8] = [2, 0x44, 0, 11, 0, 7, 0, 4, 0, 8, 0x18, 0, 0xFF, 0xFF, 3, 0x28]
    let record = CaptureRecord(.hci(.hostToController), octets: octets)
    let layers = decoder.tree(of: decoder.receive(record), in: record)
    #expect(layers.map(\.name) == ["ACL", "L2CAP", "ATT"])
    #expect(layers.map(\.offset) == [0, 5, 9])
    func field(_ layer: Int, _ name: String) -> DescribedField? { layers[layer].fields.first { $0.name == name } }
    #expect(field(0, "Handle")?.meaning == "0x0044")
    #expect(field(0, "Packet Boundary Flags")?.number == 0)
    #expect(field(0, "Broadcast Flags")?.meaning == "point-to-point (0x0)")
    #expect(field(0, "Data Total Length")?.value == "0x000B")
    #expect(field(1, "PDU Length")?.value == "0x0007")
    #expect(field(1, "Channel ID")?.value == "0x0004")
    #expect(layers[1].octets == Array(octets[5...]))
    #expect(field(2, "Opcode")?.number == 8)
    #expect(field(2, "Starting Handle")?.value == "0x0018")
    #expect(field(2, "Ending Handle")?.value == "0xFFFF")
    #expect(field(2, "Attribute Type")?.range == 5..<7)
    #expect(layers[2].octets == [8, 0x18, 0, 0xFF, 0xFF, 3, 0x28])
  }

  @Test("requests and their responses are paired in both directions at once, with their latency")
  func pairs() {
    var decoder = PacketDecoder()
    func record(_ direction: CapturedPacket.Direction, _ pdu: [UInt8], _ time: Int64) -> CaptureRecord {
      let head: [UInt8] = [2, 0x44, 0, UInt8(pdu.count + 4), 0, UInt8(pdu.count), 0, 4, 0]
      return CaptureRecord(.hci(direction), nanoseconds: time, octets: head + pdu)
    }
    let ours = decoder.receive(record(.hostToController, [0x0A, 3, 0], 1_000_000))
    let theirs = decoder.receive(record(.controllerToHost, [0x0A, 9, 0], 2_000_000))
    let toThem = decoder.receive(record(.hostToController, [0x0B, 1], 5_000_000))
    let toUs = decoder.receive(record(.controllerToHost, [0x0B, 2], 31_000_000))
    #expect(toThem.request == theirs.number && toThem.latency == 3_000_000 && toThem.attribute == 9)
    #expect(toUs.request == ours.number && toUs.latency == 30_000_000 && toUs.attribute == 3)
    #expect(decoder.receive(record(.controllerToHost, [0x0B, 2], 0)).fault == .unexpectedResponse)
  }
}
