import BLECore
import BLEHCI

/// Commands and events on one line.
extension PacketDecoder {
  static func writeCommand(_ summary: PacketSummary, _ octets: [UInt8], to text: inout OctetBuffer) {
    let opcode = CommandOpcode(rawValue: summary.opcode)
    text.append(spaced: opcode.name, or: opcode)
    if opcode == .writeExtendedInquiryResponse { return writeInquiryResponse(HCITree.command(octets), to: &text) }
    text.append(CommandRegistry.type(for: opcode), or: "Parameters", octets, from: 4)
  }

  static func writeEvent(_ summary: PacketSummary, _ octets: [UInt8], to text: inout OctetBuffer) {
    if summary.opcode >> 8 == 0x3E { return writeLEEvent(summary, octets, to: &text) }
    let code = EventCode(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
    text.append(spaced: code.name, or: code)
    switch code {
    case .commandComplete, .commandStatus:
      guard let command = summary.command.map({ CommandOpcode(rawValue: $0) }) else { return }
      text.append(" - ")
      if command == .none { text.append("No command") } else { text.append(spaced: command.name, or: command) }
      writeOutcome(of: command, code, octets, to: &text)
    case .extendedInquiryResult: writeInquiryResponse(HCITree.event(octets), to: &text)
    // Only a damaged one has no subevent.
    case .leMeta: text.append(HCITree.event(octets).fields.dropFirst(3))
    default: text.append(EventRegistry.type(for: code), or: "Parameters", octets, from: 3)
    }
  }

  /// Appends what a device is, its signal strength, and its data.
  private static func writeInquiryResponse(_ list: FieldList, to text: inout OctetBuffer) {
    for field in list.fields {
      switch field.name {
      case "BD_ADDR", "Class_Of_Device", "RSSI": text.append([field][...])
      case "Extended_Inquiry_Response":
        for structure in field.children {
          if let meaning = structure.meaning, !meaning.isEmpty { text.append(part: meaning) }
        }
      default: break
      }
    }
  }

  /// Appends the fields of a command's answer that follow from the command, without those for the flow of commands.
  private static func writeOutcome(
    of command: CommandOpcode, _ code: EventCode, _ octets: [UInt8], to text: inout OctetBuffer
  ) {
    let flow = ["Num_HCI_Command_Packets", "Command_Opcode"]
    if code == .commandStatus {
      text.append(HCICommandStatus.self, or: "Parameters", octets, from: 3, omitting: flow)
    } else if octets.count > 6 {
      text.append(
        HCITree.returnLayout(of: command, octets[6...]), or: "Return_Parameters", octets, from: 6,
        limit: OctetBuffer.fieldLimit - flow.count)
    }
  }

  private static func writeLEEvent(_ summary: PacketSummary, _ octets: [UInt8], to text: inout OctetBuffer) {
    let subevent = LESubevent(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
    text.append("LE - ")
    let start = text.count
    text.append(spaced: subevent.name, or: subevent)
    text.remove(start..<start + "LE ".utf8.count)
    let layout = EventRegistry.type(for: .leMeta, subevent: subevent)
    switch subevent {
    case .leAdvertisingReport, .leExtendedAdvertisingReport, .leDirectedAdvertisingReport:
      var list = FieldList(octets, from: 4)
      list.layout(layout, or: "Parameters")
      writeReports(list, to: &text)
    default: text.append(layout, or: "Parameters", octets, from: 4)
    }
  }

  /// Appends the number of reports, and the kind, address and signal strength of the first.
  private static func writeReports(_ list: FieldList, to text: inout OctetBuffer) {
    guard let reports = list.fields.first(where: { !$0.children.isEmpty })?.children, let first = reports.first else {
      return
    }
    let inside = first.children
    func field(_ name: String) -> DescribedField? { inside.first { $0.name == name } }
    func number(_ name: String) -> UInt64? { field(name).flatMap { $0.number } }
    text.append(part: "\(reports.count) Report\(reports.count == 1 ? "" : "s")")
    let isLegacy = inside.first?.range.count == 1
    let kinds = ["Normal", "Directed", "Scannable", "Non-connectable", "Scan Response"]
    if isLegacy, let kind = number("Event_Type"), kind < kinds.count { text.append(part: kinds[Int(kind)]) }
    if let type = number("Address_Type") { text.append(part: type & 1 == 0 ? "Public" : "Random") }
    text.append(part: field("Address").flatMap { $0.meaning } ?? "")
    if let rssi = number("RSSI") {
      text.append("  ")
      text.append(decimal: Int64(Int8(truncatingIfNeeded: rssi)))
      text.append(" dBm")
    }
    guard let data = field("Data") else { return }
    for structure in AdvertisingFields.structures(list.octets, in: data.range) where structure.name != "Flags" {
      if let meaning = structure.meaning, !meaning.isEmpty { text.append(part: meaning) }
    }
  }
}

extension OctetBuffer {
  /// Appends a name from the specification with spaces instead of underscores, or else the description of an unknown number.
  fileprivate mutating func append(spaced name: String?, or number: some CustomStringConvertible) {
    if let name { append(spaced: name) } else { append(number.description) }
  }
}
