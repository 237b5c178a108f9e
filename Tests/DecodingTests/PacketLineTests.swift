import BLECore
import BLEHCI
import Capture
import Testing

@testable import Decoding

@Suite("Packets on one line, and as JSON")
struct PacketLineTests {
  private static func records(_ packet: [UInt8], lengthAt place: Int) -> [CaptureRecord] {
    // Whole, cut off at every place, and with octets after the parameters, as far as their length allows.
    ((place + 1)...min(packet.count + 2, place + 256)).map { count in
      var octets = Array((packet + [0xAB, 0xCD]).prefix(count))
      octets[place] = UInt8(clamping: count - place - 1)
      return CaptureRecord(.hci(octets[0] == 1 ? .hostToController : .controllerToHost), octets: octets)
    }
  }

  /// Returns the parts of a line that show fields: the first ones, shortened.
  private static func parts(_ fields: ArraySlice<DescribedField>, omitting omitted: [String] = []) -> String {
    let parts = fields.prefix(6).filter { !omitted.contains($0.name) }.map { field in
      let text = field.meaning ?? field.value
      let name = String(field.name.map { $0 == "_" ? " " : $0 })
      return " - \(name): \(text.count > 64 ? text.prefix(64) + "…" : text)"
    }
    return parts.joined()
  }

  private static func check(_ record: CaptureRecord, head: Int, omitting omitted: [String] = []) {
    var decoder = PacketDecoder()
    let summary = decoder.receive(record)
    let line = decoder.text(of: summary, in: record)
    let fields = decoder.tree(of: summary, in: record)[0].fields
    let expected = parts(fields.dropFirst(head), omitting: omitted)
    #expect(line.hasSuffix(expected), "\(record.octets.hexadecimal)")
    let title = line.dropLast(expected.count)
    #expect(!title.contains(": "), "\(line)")
  }

  @Test("a command shows the same fields as its tree, also if it is cut off")
  func commands() {
    for type in CommandRegistry.all where type.opcode != .writeExtendedInquiryResponse {
      for record in Self.records(type.init().h4, lengthAt: 3) { Self.check(record, head: 3) }
    }
    Self.check(CaptureRecord(.hci(.hostToController), octets: [1, 0x01, 0xFD, 2, 3, 4]), head: 3)
  }

  @Test("an event shows the same fields as its tree, also if it is cut off")
  func events() {
    let others: [EventCode] = [.commandComplete, .extendedInquiryResult]
    for type in EventRegistry.all where !(type is any LEMetaEvent.Type) && !others.contains(type.code) {
      let flow = type.code == .commandStatus ? ["Num_HCI_Command_Packets", "Command_Opcode"] : []
      for record in Self.records(type.init().h4, lengthAt: 2) {
        // Without its command, an answer has only a title.
        if type.code == .commandStatus, record.octets.count < 7 { continue }
        Self.check(record, head: 3, omitting: flow)
      }
    }
    for type in EventRegistry.all where type is any LEMetaEvent.Type {
      for record in Self.records(type.init().h4, lengthAt: 2) where record.octets.count > 3 {
        if !["02", "0b", "0d"].contains([record.octets[3]].hexadecimal) { Self.check(record, head: 4) }
      }
    }
  }

  @Test("the answer to a command shows its return parameters")
  func answers() {
    for command in CommandRegistry.all.map({ $0.opcode.rawValue }) + [0xFD01] {
      let head: [UInt8] = [4, 0x0E, 0, 1, UInt8(truncatingIfNeeded: command), UInt8(command >> 8)]
      for status: UInt8 in [0, 0x0C] {
        for record in Self.records(head + [status] + [UInt8](repeating: 7, count: 80), lengthAt: 2).dropFirst(3) {
          Self.check(record, head: 3, omitting: ["Num_HCI_Command_Packets", "Command_Opcode"])
        }
      }
    }
  }

  @Test("entries of lists are only counted, and a cut off one counts")
  func lists() {
    let octets: [UInt8] = [4, 0x13, 7, 2, 0x40, 0, 1, 0, 0x41, 0]
    let record = CaptureRecord(.hci(.controllerToHost), octets: octets)
    var decoder = PacketDecoder()
    let line = decoder.text(of: decoder.receive(record), in: record)
    #expect(line == "Number Of Completed Packets - Num Handles: 0x02 - Num Handles: 2 - Cut Off: ")
  }

  @Test("JSON has the fields in the order of their names, and escapes remarks")
  func json() {
    var record = CaptureRecord(
      .hci(.controllerToHost), octets: [4, 0x0F, 4, 0x0C, 1, 0x0A, 0x20], comment: "why\n\u{202E}")
    record.isFlagged = true
    var decoder = PacketDecoder()
    let summary = decoder.receive(record)
    let json = String { decoder.writeJSON(of: summary, in: record, withTree: false, event: "packet", to: &$0) }
    #expect(
      json == """
        {"comment":"why\\n\\u202e","event":"packet","flagged":true,"layer":"event","level":"debug","nanoseconds":0,\
        "number":1,"octets":"040f040c010a20","opcode":15,"sent":false,"source":0,"status":12,\
        "text":"Command Status - LE Set Advertising Enable - Status: Command Disallowed (0x0C)","type":"HCI Event"}
        """)
  }

  @Test("JSON with fields has every layer, with nested fields")
  func jsonTree() {
    let record = CaptureRecord(.hci(.controllerToHost), octets: [4, 0x13, 5, 1, 0x40, 0, 1, 0])
    var decoder = PacketDecoder()
    let summary = decoder.receive(record)
    let json = String { decoder.writeJSON(of: summary, in: record, withTree: true, to: &$0) }
    #expect(
      json.contains(
        """
        {"fields":[{"fields":[{"meaning":"0x0040","name":"Connection_Handle","range":[4,6],"value":"0x0040"},\
        {"name":"Num_Completed_Packets","range":[6,8],"value":"0x0001"}],"name":"CompletedPackets","range":[4,8],\
        "value":""}],"name":"Num_Handles","range":[4,8],"value":"1"}
        """), "\(json)")
    #expect(json.contains(#""name":"HCI","octets":"0413050140000100","offset":0,"title":"Event"}],"level""#), "\(json)")
  }
}
