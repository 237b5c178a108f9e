import BLECore
import BLEHCI
import BLEL2CAP
import BLESMP
import Capture

extension PacketDecoder {
  /// Returns the kind of packet for a column, for example `ATT Send` or `HCI Event`.
  package static func typeText(of summary: PacketSummary) -> String {
    let isSent = summary.isSent
    switch summary.layer {
    case .command: return "HCI Command"
    case .event: return "HCI Event"
    case .acl: return isSent ? "ACL Send" : "ACL Receive"
    case .sco: return isSent ? "SCO Send" : "SCO Receive"
    case .iso: return isSent ? "ISO Send" : "ISO Receive"
    case .l2cap, .signalling, .channel: return isSent ? "L2CAP Send" : "L2CAP Receive"
    case .att: return isSent ? "ATT Send" : "ATT Receive"
    case .smp: return isSent ? "SMP Send" : "SMP Receive"
    case .sdp, .rfcomm, .avdtp, .avctp, .hid, .bnep:
      return summary.layer.rawValue.uppercased() + (isSent ? " Send" : " Receive")
    case .advertising: return "LL Advertising"
    case .linkControl: return "LL Control"
    case .linkData: return "LL Data"
    case .message: return "Message"
    case .unknown: return "Unknown"
    }
  }

  /// Returns the reason of a Pairing Failed packet in words.
  package static func pairingFailure(_ reason: UInt8) -> String {
    PairingFailed.Reason(rawValue: reason).name ?? "reason 0x" + [reason].uppercaseHexadecimal
  }

  /// Returns the contents of the latest record on one line.
  package func text(of summary: PacketSummary, in record: CaptureRecord) -> String {
    String { write(summary, in: record, to: &$0) }
  }

  /// Appends the contents of the latest record to a line.
  package func write(_ summary: PacketSummary, in record: CaptureRecord, to text: inout OctetBuffer) {
    writeContent(of: summary, in: record, to: &text)
    switch summary.fault {
    case nil: break
    case .malformed: text.append(" - Malformed")
    case .recombination: text.append(" - Recombination failed")
    case .unexpectedResponse: text.append(" - No matching request")
    case .crc: text.append(" - Wrong CRC")
    }
  }

  private func writeContent(of summary: PacketSummary, in record: CaptureRecord, to text: inout OctetBuffer) {
    let code = UInt8(truncatingIfNeeded: summary.opcode)
    var octets: [UInt8] { Array(summary.octets(in: record)) }
    switch summary.layer {
    case .command: Self.writeCommand(summary, record.octets, to: &text)
    case .event: Self.writeEvent(summary, record.octets, to: &text)
    case .acl: text.append("ACL Data", count: summary.value.count)
    case .sco: Self.writeSCO(summary, octets, to: &text)
    case .iso: text.append("Data", count: summary.value.count)
    case .l2cap: Self.writeChannel(of: summary, octets, to: &text)
    case .signalling: Self.writeSignalling(code, octets, to: &text)
    case .channel:
      Self.writeChannel(of: summary, spsm: summary.opcode, to: &text)
      if let sdu = summary.sdu { text.append(" - ends an SDU of \(sdu.count) octets") }
    case .smp:
      text.append(SMPTree.names[code] ?? "SMP packet 0x" + [code].hexadecimal)
      text.append(L2CAPTree.security(octets).fields.dropFirst())
    case .sdp, .rfcomm, .avdtp, .avctp, .hid, .bnep:
      guard let pdu = ClassicPDU(summary, octets) else { break }
      text.append(pdu.title)
      text.append(pdu.lineFields[...])
    case .att: writeATT(summary, in: record, to: &text)
    case .advertising: Self.writeAdvertising(octets, to: &text)
    case .linkControl:
      text.append(LinkLayerTree.controlNames[code] ?? "LL control PDU 0x" + [code].hexadecimal)
      text.append(LinkLayerTree.data(octets, isEncrypted: false).fields.dropFirst(7))
    case .linkData:
      switch summary.opcode {
      case LinkDataKind.repeated: text.append("Repeated", count: summary.value.count)
      case LinkDataKind.encrypted: text.append("Encrypted", count: summary.value.count)
      case _ where summary.octets(in: record).count <= 2: text.append("Empty")
      default: text.append("Data", count: summary.value.count)
      }
    case .message: text.append(String(decoding: record.octets, as: UTF8.self))
    case .unknown: text.append("\(record.octets.count) octets")
    }
  }

  private static func writeSCO(_ summary: PacketSummary, _ octets: [UInt8], to text: inout OctetBuffer) {
    text.append("SCO Data")
    if octets.count >= 3 { text.append(part: "Status: " + HCITree.synchronousStatus(octets[2] >> 4 & 3)) }
    text.append("", count: summary.value.count)
  }

  private static func writeSignalling(_ code: UInt8, _ octets: [UInt8], to text: inout OctetBuffer) {
    text.append(L2CAPTree.signallingNames[code] ?? "Signalling packet 0x" + [code].hexadecimal)
    let packets = L2CAPTree.packets(octets)
    text.append(L2CAPTree.signalling(octets, in: packets[0]).fields.dropFirst(3))
    for packet in packets.dropFirst() {
      let code = octets[packet.lowerBound]
      text.append(part: "and " + (L2CAPTree.signallingNames[code] ?? "packet 0x" + [code].hexadecimal))
    }
  }

  private static func writeChannel(
    of summary: PacketSummary, _ octets: [UInt8] = [], spsm: UInt16? = nil, to text: inout OctetBuffer
  ) {
    if summary.opcode == ClassicOpcode.connectionless, summary.channel == ChannelID.connectionless.rawValue {
      text.append("Connectionless Data")
      let psm = PSM(rawValue: octets.span.word(0))
      text.append(part: "PSM: " + (psm.meaning ?? psm.rawValue.hexadecimalText))
      return text.append("", count: summary.value.count)
    }
    text.append("Channel ")
    text.append(hexadecimalNumber: UInt64(summary.channel ?? 0), width: 4)
    if summary.layer == .l2cap, summary.opcode != 0 {
      text.append(" - PSM ")
      text.append(hexadecimalNumber: UInt64(summary.opcode), width: 4)
    }
    if let spsm {
      text.append(" - SPSM ")
      text.append(hexadecimalNumber: UInt64(spsm), width: 4)
    }
    text.append("", count: summary.value.count)
  }

  private static func writeAdvertising(_ octets: [UInt8], to text: inout OctetBuffer) {
    let fields = LinkLayerTree.advertising(octets).fields
    text.append(fields.first { $0.name == "PDU Type" }?.meaning ?? "Advertising PDU")
    for field in fields where ["AdvA", "ScanA", "InitA", "TargetA"].contains(field.name) {
      text.append(field.name, of: field)
    }
    let data = fields.first { $0.name == "AdvData" || $0.name == "ScanRspData" }
    for structure in data?.children ?? [] {
      if let meaning = structure.meaning, !meaning.isEmpty { text.append(part: meaning) }
    }
  }
}

/// The parts of a line, separated by ` - `.
extension OctetBuffer {
  /// Appends a part.
  mutating func append(part: String) {
    append(" - ")
    append(part)
  }

  /// Appends what something is, and how many octets it has.
  mutating func append(_ name: String, count: Int) {
    append(name)
    append(" - ")
    append(decimal: Int64(count))
    append(" octets")
  }

  /// Appends a part with a field's meaning, or else its value, under this name.
  mutating func append(_ name: String, of field: DescribedField?) {
    append(" - ")
    append(name)
    append(": ")
    append(field.map { $0.meaning ?? $0.value } ?? "?")
  }

  /// Appends a part with the handle of an attribute.
  mutating func append(handle: UInt16) {
    append(" - Handle: ")
    append(hexadecimalNumber: UInt64(handle), width: 4)
  }

  /// Appends a name from the specification with spaces instead of underscores.
  mutating func append(spaced name: String) {
    let start = count
    append(name)
    replace(UInt8(ascii: "_"), with: UInt8(ascii: " "), from: start)
  }

  /// Begins a part with the name of a field.
  mutating func appendName(_ name: String) {
    append(" - ")
    append(spaced: name)
    append(": ")
  }

  /// The number of fields on a line.
  static var fieldLimit: Int { 6 }

  /// Appends as many fields as fit on a line, each as a part.
  mutating func append(_ fields: ArraySlice<DescribedField>) {
    for field in fields.prefix(Self.fieldLimit) {
      appendName(field.name)
      let start = count
      append(field.meaning ?? field.value)
      shorten(from: start)
    }
  }

  /// Replaces the end of a long text by an ellipsis.
  mutating func shorten(from start: Int) {
    let limit = 64
    guard count - start > limit else { return }
    // Characters are counted only if an octet may not be one.
    if isPrintable(from: start) {
      truncate(to: start + limit)
      return append("…")
    }
    let text = removeText(from: start)
    append(text.count > limit ? text.prefix(limit) + "…" : text)
  }
}
