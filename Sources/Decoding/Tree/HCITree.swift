import BLECore
import BLEHCI
import Capture

/// HCI packets as fields, from the layouts of `BLEHCI`.
enum HCITree {
  /// Returns the fields of a command with its H4 type.
  static func command(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    list.number("Packet Type", 1) { _ in "Command" }
    let opcode = list.number("Opcode", 2) { CommandOpcode(rawValue: UInt16(truncatingIfNeeded: $0)).description }
    list.number("Parameter Total Length", 1)
    list.layout(opcode.flatMap { CommandRegistry.type(for: CommandOpcode(rawValue: UInt16($0))) }, or: "Parameters")
    expandAdvertisingData(&list)
    return list
  }

  /// Returns the fields of an event with its H4 type.
  static func event(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    list.number("Packet Type", 1) { _ in "Event" }
    let code = list.number("Event Code", 1) { EventCode(rawValue: UInt8(truncatingIfNeeded: $0)).description }
    list.number("Parameter Total Length", 1)
    guard let code = code.map({ EventCode(rawValue: UInt8($0)) }) else { return list }
    switch code {
    case .leMeta:
      let number = list.number("Subevent Code", 1) { LESubevent(rawValue: UInt8(truncatingIfNeeded: $0)).description }
      guard let number else { break }
      list.layout(EventRegistry.type(for: code, subevent: LESubevent(rawValue: UInt8(number))), or: "Parameters")
    case .commandComplete: commandComplete(&list)
    default: list.layout(EventRegistry.type(for: code), or: "Parameters")
    }
    expandAdvertisingData(&list)
    return list
  }

  private static func commandComplete(_ list: inout FieldList) {
    list.number("Num_HCI_Command_Packets", 1)
    let opcode = list.number("Command_Opcode", 2) {
      CommandOpcode(rawValue: UInt16(truncatingIfNeeded: $0)).description
    }
    guard let opcode, list.remaining > 0 else { return }
    list.layout(returnLayout(of: CommandOpcode(rawValue: UInt16(opcode)), list.rest), or: "Return_Parameters")
  }

  /// Returns the layout of a command's return parameters; nil if it is unknown.
  static func returnLayout(of opcode: CommandOpcode, _ octets: ArraySlice<UInt8>) -> (any OctetLayout.Type)? {
    // After a failure a controller may return only the status.
    if octets.count == 1, octets.first != 0 { return StatusReturn.self }
    return returnParameters[opcode.rawValue]
  }

  /// The layouts of return parameters by opcode, because a conversion to a protocol takes longer than a text.
  private static let returnParameters: [UInt16: any OctetLayout.Type] = {
    func layout<Command: HCISyncCommand>(_: Command.Type) -> any OctetLayout.Type { Command.ReturnParameters.self }
    return Dictionary(
      CommandRegistry.all.compactMap { type in
        (type as? any HCISyncCommand.Type).map { (type.opcode.rawValue, layout($0)) }
      }, uniquingKeysWith: { first, _ in first })
  }()

  /// Adds the structures to fields with advertising data.
  private static func expandAdvertisingData(_ list: inout FieldList) {
    let octets = list.octets
    list.amendAll { field in
      guard field.children.isEmpty, !field.range.isEmpty,
        advertisingFields.contains(field.name)
      else { return }
      field.children = AdvertisingFields.structures(octets, in: field.range)
    }
  }

  private static let advertisingFields: Set<String> = [
    "Data", "Advertising_Data", "Scan_Response_Data", "Extended_Inquiry_Response",
  ]

  /// Returns the fields of a synchronous data packet with its H4 type (Core 5.4 Vol 4 Part E 5.4.3).
  static func synchronous(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    list.number("Packet Type", 1) { _ in "Synchronous Data" }
    if let word = list.number("Handle and Flags", 2) {
      let handle = ConnectionHandle(rawValue: UInt16(word & 0xFFF))
      list.bits("Handle", word & 0xFFF, back: 2, handle.description)
      list.bits("Packet Status Flag", word >> 12 & 3, back: 1, synchronousStatus(UInt8(word >> 12 & 3)))
    }
    list.number("Data Total Length", 1) { "\($0)" }
    list.rest("Data")
    return list
  }

  /// Returns what a Packet_Status_Flag says, of two bits.
  static func synchronousStatus(_ flag: UInt8) -> String {
    ["correct", "possibly invalid", "no data received", "partially lost"][Int(flag & 3)]
  }

  /// Returns the header of an ACL packet with its H4 type, followed by its data.
  static func acl(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    list.number("Packet Type", 1) { _ in "ACL Data" }
    if let word = list.number("Handle and Flags", 2) {
      let handle = ConnectionHandle(rawValue: UInt16(word & 0xFFF))
      list.bits("Handle", word & 0xFFF, back: 2, handle.description)
      let boundaries = [
        "first, not flushable (0x0)", "continuing (0x1)", "first, flushable (0x2)", "whole PDU (0x3)",
      ]
      list.bits("Packet Boundary Flags", word >> 12 & 3, back: 1, boundaries[Int(word >> 12 & 3)])
      list.bits("Broadcast Flags", word >> 14, back: 1, word >> 14 == 0 ? "point-to-point (0x0)" : nil)
    }
    list.number("Data Total Length", 2) { "\($0)" }
    list.rest("Data")
    return list
  }
}
