import BLECore

/// Packets of the Bluetooth Network Encapsulation Protocol as fields (BNEP 1.0 2.4 to 2.6).
enum BNEPTree {
  private static let types = [
    "General Ethernet", "Control", "Compressed Ethernet", "Compressed Ethernet Source Only",
    "Compressed Ethernet Destination Only",
  ]
  private static let controls = [
    "Command Not Understood", "Setup Connection Request", "Setup Connection Response", "Filter Net Type Set",
    "Filter Net Type Response", "Filter Multi Addr Set", "Filter Multi Addr Response",
  ]
  private static let protocols: [UInt64: String] = [
    0x0800: "IPv4", 0x0806: "ARP", 0x8100: "VLAN", 0x86DD: "IPv6",
  ]

  static func decode(_ octets: [UInt8]) -> ClassicPDU {
    var list = FieldList(octets)
    guard let head = list.number("Type", 1) else { return ClassicPDU("BNEP", "BNEP", list) }
    let type = Int(head & 0x7F)
    list.bits("Extension", head >> 7)
    var title = type < types.count ? types[type] : "Type 0x" + [UInt8(type)].uppercaseHexadecimal
    switch type {
    case 1:
      let control = list.number("Control Type", 1) { $0 < controls.count ? controls[Int($0)] : nil }
      if let control, control < controls.count { title = controls[Int(control)] }
      parameters(of: control, &list)
    case 0, 2, 3, 4:
      if type == 0 || type == 4 { address("Destination", &list) }
      if type == 0 || type == 3 { address("Source", &list) }
      list.bigEndian("Protocol", 2) { protocols[$0] }
    default: break
    }
    let count = list.remaining
    list.rest("Payload")
    list.amend { if $0.name == "Payload" { $0.meaning = "\(count) octets" } }
    return ClassicPDU("BNEP", title, list)
  }

  private static func parameters(of control: UInt64?, _ list: inout FieldList) {
    switch control {
    case 1:
      let size = Int(list.number("UUID Size", 1) { "\($0)" } ?? 0)
      for name in ["Destination Service", "Source Service"] {
        list.octets(name, size) { octets in BluetoothUUID(littleEndianOctets: octets.reversed())?.description }
      }
    case 2, 4, 6: list.bigEndian("Response Code", 2) { $0 == 0 ? "Success" : nil }
    default: break
    }
  }

  /// Adds an Ethernet address, most significant octet first.
  private static func address(_ name: String, _ list: inout FieldList) {
    list.octets(name, 6) { DeviceAddress(littleEndianOctets: $0.reversed()).description }
  }
}
