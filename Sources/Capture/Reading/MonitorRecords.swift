import BLECore
import BLEHCI

/// The record types of Linux's monitor channel, as in btmon's files and in LINKTYPE_BLUETOOTH_LINUX_MONITOR.
enum MonitorOpcode {
  static let newIndex: UInt16 = 0
  static let deleteIndex: UInt16 = 1
  static let systemNote: UInt16 = 12
  static let userLogging: UInt16 = 13

  /// Returns the type and direction of a packet; nil if the opcode is not that of a packet.
  static func packet(_ opcode: UInt16) -> (H4PacketType, CapturedPacket.Direction)? {
    switch opcode {
    case 2: (.command, .hostToController)
    case 3: (.event, .controllerToHost)
    case 4: (.acl, .hostToController)
    case 5: (.acl, .controllerToHost)
    case 6: (.sync, .hostToController)
    case 7: (.sync, .controllerToHost)
    case 18: (.iso, .hostToController)
    case 19: (.iso, .controllerToHost)
    default: nil
    }
  }

  /// Returns the opcode of a packet; nil if the monitor has none for it.
  static func of(_ type: H4PacketType, _ direction: CapturedPacket.Direction) -> UInt16? {
    (2...19).first { packet($0).map { $0 == (type, direction) } ?? false }
  }
}

extension CaptureRecord {
  /// Fills the record from the monitor's `opcode`, for the controller with this index.
  mutating func fillMonitor(opcode: UInt16, index: UInt32, nanoseconds: Int64, _ octets: Span<UInt8>) {
    if let (type, direction) = MonitorOpcode.packet(opcode) {
      fill(.hci(direction), nanoseconds: nanoseconds, source: index, octets)
      self.octets.insert(type.rawValue, at: 0)
      originalLength = self.octets.count
      return
    }
    switch opcode {
    case 0, 1, 8, 9, 10:
      fill(.message(.controller), nanoseconds: nanoseconds, source: index, [UInt8]().span)
      self.octets = Array(Self.controllerText(opcode, octets).utf8)
    case MonitorOpcode.systemNote:
      fill(.message(.note), nanoseconds: nanoseconds, source: index, octets)
    case MonitorOpcode.userLogging:
      fill(.message(.log), nanoseconds: nanoseconds, source: index, octets)
      self.octets = Self.loggedText(octets)
      if octets.count > 0 { priority = octets[0] }
    default:
      fill(.message(.other(opcode)), nanoseconds: nanoseconds, source: index, octets)
    }
    while self.octets.last == 0, content != .message(.other(opcode)) { self.octets.removeLast() }
    originalLength = self.octets.count
  }

  /// Returns the text of a controller record. New Index has type and bus of one octet each, an address of six, and a name of eight. Index
  /// Info has only an address and a company.
  private static func controllerText(_ opcode: UInt16, _ octets: Span<UInt8>) -> String {
    func address(at offset: Int) -> String {
      guard octets.count >= offset + 6 else { return "" }
      let parts = octets.extracting(offset..<offset + 6).array.reversed().map { [$0].uppercaseHexadecimal }
      return " " + parts.joined(separator: ":")
    }
    switch opcode {
    case 0:
      let name = octets.count > 8 ? octets.extracting(8...).array.prefix { $0 != 0 } : []
      return "Controller added:\(address(at: 2)) \(String(decoding: name, as: UTF8.self))"
    case 1: return "Controller removed"
    case 8: return "Controller was opened"
    case 9: return "Controller was closed"
    default: return "Controller:\(address(at: 0))"
    }
  }

  /// Returns the text of a logged message: a priority, the length of the program's name, the name, and the message.
  private static func loggedText(_ octets: Span<UInt8>) -> [UInt8] {
    guard octets.count >= 2, octets.count >= 2 + Int(octets[1]) else { return octets.array }
    let all = octets.array
    let name = all[2..<2 + Int(octets[1])].prefix { $0 != 0 }
    return name + (name.isEmpty ? [] : Array(": ".utf8)) + all[(2 + Int(octets[1]))...]
  }
}
