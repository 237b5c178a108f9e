import BLEATT
import BLECore
import BLEHCI
import BLESMP
import Capture

extension PacketDecoder {
  /// Returns the kind of packet for a column, for example `ATT Send` or `HCI Event`.
  package static func typeText(of summary: PacketSummary) -> String {
    let way = summary.isSent ? "Send" : "Receive"
    switch summary.layer {
    case .command: return "HCI Command"
    case .event: return "HCI Event"
    case .acl: return "ACL \(way)"
    case .sco: return "SCO \(way)"
    case .iso: return "ISO \(way)"
    case .l2cap, .signalling, .channel: return "L2CAP \(way)"
    case .att: return "ATT \(way)"
    case .smp: return "SMP \(way)"
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
    let text = content(of: summary, in: record)
    switch summary.fault {
    case nil: return text
    case .malformed: return text + " - Malformed"
    case .recombination: return text + " - Recombination failed"
    case .unexpectedResponse: return text + " - No matching request"
    case .crc: return text + " - Wrong CRC"
    }
  }

  private func content(of summary: PacketSummary, in record: CaptureRecord) -> String {
    let octets = Array(summary.octets(in: record))
    let code = UInt8(truncatingIfNeeded: summary.opcode)
    switch summary.layer {
    case .command:
      return Self.join(
        [Self.name(CommandOpcode(rawValue: summary.opcode).description)] + Self.short(HCITree.command(octets), from: 3))
    case .event: return Self.eventText(summary, octets)
    case .acl: return "ACL Data - \(summary.value.count) octets"
    case .sco, .iso: return "Data - \(summary.value.count) octets"
    case .l2cap: return "Channel \(Self.hex(summary.channel ?? 0)) - \(summary.value.count) octets"
    case .signalling:
      let title = L2CAPTree.signallingNames[code] ?? "Signalling packet 0x" + [code].hexadecimal
      return Self.join([title] + Self.short(L2CAPTree.signalling(octets), from: 3))
    case .channel:
      let text =
        "Channel \(Self.hex(summary.channel ?? 0)) - SPSM \(Self.hex(summary.opcode)) - \(summary.value.count) octets"
      return summary.sdu.map { "\(text) - ends an SDU of \($0.count) octets" } ?? text
    case .smp:
      let title = SMPTree.names[code] ?? "SMP packet 0x" + [code].hexadecimal
      return Self.join([title] + Self.short(L2CAPTree.security(octets), from: 1))
    case .att: return attText(summary, octets)
    case .advertising: return Self.advertisingText(octets)
    case .linkControl:
      let fields = LinkLayerTree.data(octets, isEncrypted: false)
      let title = LinkLayerTree.controlNames[code] ?? "LL control PDU 0x" + [code].hexadecimal
      return Self.join([title] + Self.short(fields, from: 7))
    case .linkData:
      if summary.opcode == LinkDataKind.repeated { return "Repeated - \(summary.value.count) octets" }
      if summary.opcode == LinkDataKind.encrypted { return "Encrypted - \(summary.value.count) octets" }
      return octets.count <= 2 ? "Empty" : "Data - \(summary.value.count) octets"
    case .message: return String(decoding: record.octets, as: UTF8.self)
    case .unknown: return "\(record.octets.count) octets"
    }
  }

  // MARK: HCI

  private static func eventText(_ summary: PacketSummary, _ octets: [UInt8]) -> String {
    let fields = HCITree.event(octets)
    if summary.opcode >> 8 == 0x3E {
      let subevent = LESubevent(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
      let title = "LE - " + name(subevent.description).replacing(prefix: "LE ")
      switch subevent {
      case .leAdvertisingReport, .leExtendedAdvertisingReport, .leDirectedAdvertisingReport:
        return join([title] + reportTexts(fields))
      default: return join([title] + short(fields, from: 4))
      }
    }
    let code = EventCode(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
    let title = name(code.description)
    switch code {
    case .commandComplete, .commandStatus:
      guard let command = summary.command else { return title }
      let kept = short(fields, from: 3).filter { !$0.hasPrefix("Num HCI") && !$0.hasPrefix("Command Opcode") }
      let commandName = command == 0 ? "No command" : name(CommandOpcode(rawValue: command).description)
      return join([title, commandName] + kept)
    default: return join([title] + short(fields, from: 3))
    }
  }

  /// Returns the number of reports, and the kind, address and signal strength of the first.
  private static func reportTexts(_ fields: FieldList) -> [String] {
    guard let reports = fields.fields.first(where: { !$0.children.isEmpty })?.children, let first = reports.first else {
      return []
    }
    let inside = first.children
    func meaning(_ name: String) -> String? { inside.first { $0.name == name }.flatMap { $0.meaning } }
    func number(_ name: String) -> UInt64? { inside.first { $0.name == name }.flatMap { $0.number } }
    var texts = ["\(reports.count) Report\(reports.count == 1 ? "" : "s")"]
    let isLegacy = inside.first?.range.count == 1
    let kinds = ["Normal", "Directed", "Scannable", "Non-connectable", "Scan Response"]
    if isLegacy, let kind = number("Event_Type"), kind < kinds.count { texts.append(kinds[Int(kind)]) }
    if let type = number("Address_Type") { texts.append(type & 1 == 0 ? "Public" : "Random") }
    var address = meaning("Address") ?? ""
    if let rssi = number("RSSI") { address += "  \(Int8(truncatingIfNeeded: rssi)) dBm" }
    texts.append(address)
    if let data = inside.first(where: { $0.name == "Data" }) {
      texts += data.children.compactMap { structure in
        structure.meaning.flatMap { $0.isEmpty || structure.name == "Flags" ? nil : $0 }
      }
    }
    return texts
  }

  // MARK: ATT

  private func attText(_ summary: PacketSummary, _ octets: [UInt8]) -> String {
    let opcode = ATTOpcode(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
    var parts = [ATTTree.title(opcode.rawValue)]
    // Most PDUs have only a value, which needs no fields.
    lazy var fields = attTree(summary).fields(octets).fields
    func field(_ name: String) -> DescribedField? { fields.first { $0.name == name } }
    func number(_ name: String) -> String { field(name).map { $0.value } ?? "?" }
    let name = attributeName(of: summary)
    switch opcode {
    case .exchangeMTURequest, .exchangeMTUResponse: parts.append("MTU: \(fields.last?.meaning ?? "?")")
    case .findInformationRequest, .readByTypeRequest, .readByGroupTypeRequest, .findByTypeValueRequest:
      let (start, end) = (number("Starting Handle"), number("Ending Handle"))
      if start == end {
        parts.append("Handle: \(start)")
        parts += name.map { [$0] } ?? []
      } else {
        parts += ["Start Handle: \(start)", "End Handle: \(end)"]
      }
      let type = field("Attribute Type") ?? field("Attribute Group Type")
      if let type, type.value != "0028" {
        parts.append("UUID: \(Self.typeName(type.value) ?? type.meaning ?? type.value)")
      }
    case .readByGroupTypeResponse, .readByTypeResponse, .findInformationResponse, .findByTypeValueResponse:
      let list = fields.last?.children ?? []
      parts.append("Attributes: \(list.count)")
    case .errorResponse:
      parts.append("Attribute Handle: \(number("Attribute Handle In Error"))")
      parts.append("Error Code: \(field("Error Code")?.meaning ?? "?")")
    default:
      if let attribute = summary.attribute { parts.append("Handle: \(Self.hex(attribute))") }
      parts += name.map { [$0] } ?? []
      let value = summary.value.clamped(to: octets.indices)
      if !value.isEmpty {
        let content = Array(octets[value])
        parts.append(attTree(summary).value(content) ?? content.hexadecimal)
      }
    }
    return Self.join(parts)
  }

  /// Returns the types with names that are customary in the Attribute Protocol but differ from the Assigned Numbers.
  static func typeName(_ octets: String) -> String? {
    switch octets {
    case "0028": "GATT Primary Service Declaration"
    case "0128": "GATT Secondary Service Declaration"
    case "0228": "GATT Include Declaration"
    case "0328": "GATT Characteristic Declaration"
    default: nil
    }
  }

  // MARK: The air

  private static func advertisingText(_ octets: [UInt8]) -> String {
    let fields = LinkLayerTree.advertising(octets).fields
    let title = fields.first { $0.name == "PDU Type" }?.meaning ?? "Advertising PDU"
    let addresses = fields.filter { ["AdvA", "ScanA", "InitA", "TargetA"].contains($0.name) }
    let data = fields.first { $0.name == "AdvData" || $0.name == "ScanRspData" }
    let structures = data?.children.compactMap { $0.meaning.flatMap { $0.isEmpty ? nil : $0 } } ?? []
    return join([title] + addresses.map { "\($0.name): \($0.meaning ?? $0.value)" } + structures)
  }

  // MARK: Parts

  static func join(_ parts: [String]) -> String { parts.joined(separator: " - ") }

  static func hex(_ word: UInt16) -> String {
    "0x" + [UInt8(word >> 8), UInt8(truncatingIfNeeded: word)].uppercaseHexadecimal
  }

  /// Returns `HCI_LE_Set_PHY (0x2032)` without the parts that are already in its column.
  private static func name(_ description: String) -> String {
    guard description.hasPrefix("HCI_"), let parenthesis = description.utf8.lastIndex(of: UInt8(ascii: "(")) else {
      return description
    }
    return spaced(description.utf8[..<parenthesis].dropFirst(4).dropLast())
  }

  /// Returns a name from the specification with spaces instead of underscores.
  private static func spaced(_ name: some Sequence<UInt8>) -> String {
    String(decoding: name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }

  /// Returns the first fields after the header, as many as fit on a line.
  private static func short(_ list: FieldList, from start: Int) -> [String] {
    list.fields.dropFirst(start).prefix(6).map { field in
      let text = field.meaning ?? field.value
      // Characters are counted only if there may be too many, because counting takes longer than everything else.
      let isLong = text.utf8.count > 64 && text.count > 64
      return "\(spaced(field.name.utf8)): \(isLong ? text.prefix(64) + "…" : text)"
    }
  }
}

extension String {
  /// Returns the text without this prefix, if it has it.
  fileprivate func replacing(prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}
