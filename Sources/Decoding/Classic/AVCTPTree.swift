import BLECore

/// PDUs of the Audio/Video Control Transport Protocol, and of AVRCP in them, as fields (AVCTP 1.4 6.1, AVRCP 1.6.2 4 to 6).
enum AVCTPTree {
  static func decode(_ octets: [UInt8]) -> ClassicPDU {
    var list = FieldList(octets)
    guard let profile = header(&list) else { return ClassicPDU("AVCTP", "AVCTP", list) }
    var title = profile
    if list.remaining > 0 { title = "AVRCP " + control(&list) }
    list.rest("Data")
    return ClassicPDU("AVCTP", title, list)
  }

  static func decodeBrowsing(_ octets: [UInt8]) -> ClassicPDU {
    var list = FieldList(octets)
    let isResponse = octets.first.map { $0 & 2 != 0 } ?? false
    guard let profile = header(&list) else { return ClassicPDU("AVCTP", "AVCTP", list) }
    guard list.remaining > 0 else { return ClassicPDU("AVCTP", profile, list) }
    let id = list.number("PDU ID", 1) { pdus[$0] }
    list.bigEndian("Parameter Length", 2) { "\($0)" }
    if isResponse { list.number("Status", 1) { statuses[$0] } }
    list.rest("Parameters")
    return ClassicPDU(
      "AVCTP", "AVRCP \(name(of: id)) \(isResponse ? "Response" : "Command")", list)
  }

  /// Adds the header, and returns what the PDU is if nothing of AVRCP follows; nil if it has no header.
  private static func header(_ list: inout FieldList) -> String? {
    guard let head = list.number("Header", 1) else { return nil }
    let packet = Int(head >> 2 & 3)
    list.bits("Transaction", head >> 4)
    list.bits("Packet Type", head >> 2 & 3, ["single", "start", "continue", "end"][packet])
    list.bits("Message Type", head >> 1 & 1, head & 2 == 0 ? "Command" : "Response")
    list.bits("Profile Present", head & 1, head & 1 == 0 ? "yes" : "invalid profile identifier")
    guard packet < 2 else {
      list.rest("Data")
      return "AVCTP Fragment"
    }
    if packet == 1 { list.number("Number of Packets", 1) { "\($0)" } }
    list.bigEndian("Profile", 2) { $0 == 0x110E ? "A/V Remote Control" : nil }
    if packet == 1 { list.rest("Data") }
    return head & 1 == 0 ? "AVCTP \(head & 2 == 0 ? "Command" : "Response")" : "AVCTP Invalid Profile"
  }

  private static let types: [UInt64: String] = [
    0x0: "Control", 0x1: "Status", 0x2: "Specific Inquiry", 0x3: "Notify", 0x4: "General Inquiry",
    0x8: "Not Implemented", 0x9: "Accepted", 0xA: "Rejected", 0xB: "In Transition", 0xC: "Stable", 0xD: "Changed",
    0xF: "Interim",
  ]

  /// Adds an AV/C frame, and returns its name.
  private static func control(_ list: inout FieldList) -> String {
    let type = (list.number("Response", 1) { types[$0 & 0xF] } ?? 0) & 0xF
    let kind = types[type] ?? "Type \(type)"
    list.number("Subunit", 1)
    let opcode = list.number("Opcode", 1)
    switch opcode {
    case 0x00:
      list.bigEndian("Company ID", 3) { $0 == 0x1958 ? "Bluetooth SIG" : nil }
      let id = list.number("PDU ID", 1) { pdus[$0] }
      list.number("AVRCP Packet Type", 1) { ["single", "start", "continue", "end"][Int($0 & 3)] }
      list.bigEndian("Parameter Length", 2) { "\($0)" }
      if type == 0xA {
        list.number("Error Code", 1) { statuses[$0] }
      } else if id == 0x31 {
        list.number("Event", 1) { events[$0] }
      }
      list.rest("Parameters")
      return "\(name(of: id)) - \(kind)"
    case 0x7C:
      list.number("Operation", 1) { number in
        (operations[number & 0x7F] ?? "operation \(number & 0x7F)") + (number & 0x80 == 0 ? " pressed" : " released")
      }
      list.rest("Operation Data")
      return "Pass Through - \(kind)"
    case 0x30: return "Unit Info - \(kind)"
    case 0x31: return "Subunit Info - \(kind)"
    default: return "AV/C - \(kind)"
    }
  }

  private static func name(of pdu: UInt64?) -> String {
    pdu.flatMap { pdus[$0] } ?? "PDU 0x" + [UInt8(truncatingIfNeeded: pdu ?? 0)].uppercaseHexadecimal
  }

  private static let pdus: [UInt64: String] = [
    0x10: "Get Capabilities", 0x11: "List Player Application Setting Attributes",
    0x12: "List Player Application Setting Values", 0x13: "Get Current Player Application Setting Value",
    0x14: "Set Player Application Setting Value", 0x15: "Get Player Application Setting Attribute Text",
    0x16: "Get Player Application Setting Value Text", 0x17: "Inform Displayable Character Set",
    0x18: "Inform Battery Status Of CT", 0x20: "Get Element Attributes", 0x30: "Get Play Status",
    0x31: "Register Notification", 0x40: "Request Continuing Response", 0x41: "Abort Continuing Response",
    0x50: "Set Absolute Volume", 0x60: "Set Addressed Player", 0x70: "Set Browsed Player", 0x71: "Get Folder Items",
    0x72: "Change Path", 0x73: "Get Item Attributes", 0x74: "Play Item", 0x75: "Get Total Number Of Items",
    0x80: "Search", 0x90: "Add To Now Playing", 0xA0: "General Reject",
  ]

  private static let events: [UInt64: String] = [
    0x01: "Playback Status Changed", 0x02: "Track Changed", 0x03: "Track Reached End", 0x04: "Track Reached Start",
    0x05: "Playback Position Changed", 0x06: "Battery Status Changed", 0x07: "System Status Changed",
    0x08: "Player Application Setting Changed", 0x09: "Now Playing Content Changed",
    0x0A: "Available Players Changed", 0x0B: "Addressed Player Changed", 0x0C: "UIDs Changed",
    0x0D: "Volume Changed",
  ]

  private static let operations: [UInt64: String] = [
    0x00: "Select", 0x01: "Up", 0x02: "Down", 0x03: "Left", 0x04: "Right", 0x09: "Root Menu", 0x0D: "Exit",
    0x40: "Power", 0x41: "Volume Up", 0x42: "Volume Down", 0x43: "Mute", 0x44: "Play", 0x45: "Stop", 0x46: "Pause",
    0x47: "Record", 0x48: "Rewind", 0x49: "Fast Forward", 0x4A: "Eject", 0x4B: "Forward", 0x4C: "Backward",
    0x7E: "Vendor Unique",
  ]

  private static let statuses: [UInt64: String] = [
    0x00: "Invalid Command", 0x01: "Invalid Parameter", 0x02: "Parameter Content Error", 0x03: "Internal Error",
    0x04: "Success", 0x05: "UID Changed", 0x07: "Invalid Direction", 0x08: "Not A Directory", 0x09: "Does Not Exist",
    0x0A: "Invalid Scope", 0x0B: "Range Out Of Bounds", 0x0C: "Folder Item Is Not Playable", 0x0D: "Media In Use",
    0x0E: "Now Playing List Full", 0x0F: "Search Not Supported", 0x10: "Search In Progress",
    0x11: "Invalid Player Id", 0x12: "Player Not Browsable", 0x13: "Player Not Addressed",
    0x14: "No Valid Search Results", 0x15: "No Available Players", 0x16: "Addressed Player Changed",
  ]
}
