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
    if let opcode, let type = CommandRegistry.type(for: CommandOpcode(rawValue: UInt16(opcode))) {
      list.layout(type, list.remaining)
    } else {
      list.rest("Parameters")
    }
    expandAdvertisingData(&list)
    return list
  }

  /// Returns the fields of an event with its H4 type.
  static func event(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    list.number("Packet Type", 1) { _ in "Event" }
    let code = list.number("Event Code", 1) { EventCode(rawValue: UInt8(truncatingIfNeeded: $0)).description }
    list.number("Parameter Total Length", 1)
    guard let code else { return list }
    let event = EventCode(rawValue: UInt8(truncatingIfNeeded: code))
    switch event {
    case .leMeta:
      let number = list.number("Subevent Code", 1) { LESubevent(rawValue: UInt8(truncatingIfNeeded: $0)).description }
      guard let number else { break }
      add(EventRegistry.type(for: event, subevent: LESubevent(rawValue: UInt8(number))), &list)
    case .commandComplete: commandComplete(&list)
    default: add(EventRegistry.type(for: event), &list)
    }
    expandAdvertisingData(&list)
    return list
  }

  private static func add(_ type: (any HCIEvent.Type)?, _ list: inout FieldList) {
    if let type { list.layout(type, list.remaining) } else { list.rest("Parameters") }
  }

  private static func commandComplete(_ list: inout FieldList) {
    list.number("Num_HCI_Command_Packets", 1)
    let opcode = list.number("Command_Opcode", 2) {
      CommandOpcode(rawValue: UInt16(truncatingIfNeeded: $0)).description
    }
    guard list.remaining > 0 else { return }
    // After a failure a controller may return only the status.
    if list.octets[list.offset] != 0, list.remaining == 1 {
      list.number("Status", 1) { ErrorCode(rawValue: UInt8(truncatingIfNeeded: $0)).description }
    } else if let opcode, let type = CommandRegistry.type(for: CommandOpcode(rawValue: UInt16(opcode))),
      let command = type as? any HCISyncCommand.Type
    {
      returned(command, &list)
    } else {
      list.rest("Return_Parameters")
    }
  }

  private static func returned<Command: HCISyncCommand>(_: Command.Type, _ list: inout FieldList) {
    list.layout(Command.ReturnParameters.self, list.remaining)
  }

  private static let advertisingDataNames: Set<String> = ["Data", "Advertising_Data", "Scan_Response_Data"]

  /// Adds the structures to fields with advertising data.
  private static func expandAdvertisingData(_ list: inout FieldList) {
    let octets = list.octets
    list.amendAll { field in
      guard advertisingDataNames.contains(field.name), field.children.isEmpty, !field.range.isEmpty else { return }
      var data = FieldList(octets[..<field.range.upperBound], from: field.range.lowerBound)
      AdvertisingFields.add(field.range.count, to: &data)
      field.children = data.fields
    }
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
