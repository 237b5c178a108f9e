import BLECore

/// PDUs of the Human Interface Device Profile as fields (HIDP 1.1 3.1).
enum HIDTree {
  private static let transactions: [UInt64: String] = [
    0x0: "Handshake", 0x1: "Control", 0x4: "Get Report", 0x5: "Set Report", 0x6: "Get Protocol", 0x7: "Set Protocol",
    0x8: "Get Idle", 0x9: "Set Idle", 0xA: "Data", 0xB: "Data Continuation",
  ]
  private static let results: [UInt64: String] = [
    0x0: "Successful", 0x1: "Not Ready", 0x2: "Invalid Report ID", 0x3: "Unsupported Request",
    0x4: "Invalid Parameter", 0xE: "Unknown", 0xF: "Fatal",
  ]
  private static let operations: [UInt64: String] = [
    0x3: "Suspend", 0x4: "Exit Suspend", 0x5: "Virtual Cable Unplug",
  ]
  private static let reports = ["Other", "Input", "Output", "Feature"]

  static func decode(_ octets: [UInt8]) -> ClassicPDU {
    var list = FieldList(octets)
    guard let head = list.number("Header", 1) else { return ClassicPDU("HID", "HID", list) }
    let type = head >> 4
    let parameter = head & 0xF
    let name = transactions[type] ?? "Transaction 0x" + [UInt8(truncatingIfNeeded: type)].uppercaseHexadecimal
    switch type {
    case 0x0: list.bits("Result", parameter, results[parameter])
    case 0x1: list.bits("Operation", parameter, operations[parameter])
    case 0x4, 0x5, 0xA, 0xB: list.bits("Report Type", parameter & 3, reports[Int(parameter & 3)])
    case 0x7: list.bits("Protocol", parameter & 1, parameter & 1 == 0 ? "Boot" : "Report")
    default: break
    }
    list.rest(type == 0x4 ? "Report ID and Size" : "Data")
    return ClassicPDU("HID", name, list)
  }
}
