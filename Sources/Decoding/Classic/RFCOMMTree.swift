import BLECore

/// Frames of RFCOMM as fields (RFCOMM 1.2 4 and 5, GSM 07.10 5.2 and 5.4).
enum RFCOMMTree {
  private static let frames: [UInt8: String] = [
    0x2F: "SABM", 0x63: "UA", 0x0F: "DM", 0x43: "DISC", 0xEF: "UIH", 0x03: "UI",
  ]

  private static let commands: [UInt8: String] = [
    0x20: "Parameter Negotiation", 0x10: "Power Saving Control", 0x30: "Multiplexer Close Down", 0x08: "Test",
    0x28: "Flow Control On", 0x18: "Flow Control Off", 0x38: "Modem Status", 0x04: "Non Supported Command",
    0x24: "Remote Port Negotiation", 0x14: "Remote Line Status", 0x34: "Service Negotiation",
  ]

  /// The bit of the control field that asks for a response, or is one; in UIH, that a credit follows.
  static let poll: UInt8 = 0x10

  static func decode(_ octets: [UInt8]) -> ClassicPDU {
    var list = FieldList(octets)
    guard let address = list.number("Address", 1) else { return ClassicPDU("RFCOMM", "RFCOMM", list) }
    let number = address >> 2
    list.bits("DLCI", number, "\(number)" + (number > 1 ? " (server channel \(number >> 1))" : ""))
    list.bits("C/R", address >> 1 & 1)
    let control = list.number("Control", 1) { frames[UInt8(truncatingIfNeeded: $0) & ~poll] }
    let octet = UInt8(truncatingIfNeeded: control ?? 0)
    let name = frames[octet & ~poll]
    list.bits("P/F", UInt64(octet & poll) >> 4)
    length(&list)
    var title = name ?? "RFCOMM frame 0x" + [octet].uppercaseHexadecimal
    if name == "UIH", number != 0, octet & poll != 0 { list.number("Credits", 1) { "\($0)" } }
    let count = max(0, list.remaining - 1)
    if name == "UIH", number == 0, count > 0 {
      title += " - " + multiplexer(&list, count)
    } else if count > 0 {
      list.octets("Data", count) { text($0) }
    }
    list.number("FCS", 1)
    return ClassicPDU("RFCOMM", title, list)
  }

  /// Adds the length of the data: one octet, or two if the first is even.
  private static func length(_ list: inout FieldList) {
    let isLong = (list.next ?? 1) & 1 == 0
    list.number("Length", isLong ? 2 : 1) { "\($0 >> 1)" }
  }

  /// Adds a command of the multiplexer, and returns its name.
  private static func multiplexer(_ list: inout FieldList, _ count: Int) -> String {
    let type = list.next.map { $0 >> 2 } ?? 0
    let name = commands[type] ?? "Command 0x" + [type].uppercaseHexadecimal
    let isCommand = (list.next ?? 0) & 2 != 0
    let title = name + (isCommand ? " Command" : " Response")
    list.group(ClassicPDU.multiplexer, count, meaning: title) { inner in
      inner.number("Command Type", 1) { _ in title }
      let isLong = (inner.next ?? 1) & 1 == 0
      inner.number("Command Length", isLong ? 2 : 1) { "\($0 >> 1)" }
      parameters(of: type, &inner)
    }
    return title
  }

  private static func parameters(of type: UInt8, _ list: inout FieldList) {
    switch type {
    case 0x20:
      list.number("DLCI", 1) { "\($0 & 0x3F)" }
      list.number("Convergence Layer", 1) {
        switch $0 & 0xF0 {
        case 0xF0: "credit based, requested"
        case 0xE0: "credit based, accepted"
        default: nil
        }
      }
      list.number("Priority", 1) { "\($0 & 0x3F)" }
      list.number("Acknowledgement Timer", 1)
      list.number("Maximum Frame Size", 2) { "\($0)" }
      list.number("Maximum Retransmissions", 1)
      list.number("Initial Credits", 1) { "\($0 & 7)" }
    case 0x38:
      list.number("DLCI", 1) { "\($0 >> 2)" }
      list.number("Signals", 1) { number in
        let names = [(1, "FC"), (2, "RTC"), (3, "RTR"), (6, "IC"), (7, "DV")]
        let set = names.filter { number >> UInt64($0.0) & 1 != 0 }.map(\.1)
        return set.isEmpty ? nil : set.joined(separator: ", ")
      }
      if list.remaining > 0 { list.number("Break", 1) }
    case 0x24, 0x14, 0x34: list.number("DLCI", 1) { "\($0 >> 2)" }
    case 0x04: list.number("Command", 1) { commands[UInt8(truncatingIfNeeded: $0) >> 2] }
    default: break
    }
    list.rest("Values")
  }

  /// The octets as text, if they are: modem commands mostly (Hands-Free Profile 4.34).
  private static func text(_ octets: [UInt8]) -> String? {
    guard octets.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0D || $0 == 0x0A }) else { return nil }
    return String { $0.append(quoted: String(decoding: octets, as: UTF8.self)) }
  }
}
