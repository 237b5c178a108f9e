import BLECore
import BLEHCI
import Capture
import Decoding

/// A capture of an accessory's own host shows its address and advertising in commands.
extension DeviceObserver {
  /// Processes a command (Core 5.4 Vol 4 Part E 7.8.4, 7.8.7, 7.8.8, 7.8.52, 7.8.54, 7.8.55).
  mutating func takeCommand(_ summary: PacketSummary, _ record: CaptureRecord) {
    guard summary.fault == nil else { return }
    let parameters = Array(record.octets.dropFirst(4))
    switch summary.opcode {
    case 0x2005 where parameters.count == 6: noteOwnAddress(parameters, summary)
    case 0x2035 where parameters.count == 7: noteOwnAddress(Array(parameters.dropFirst()), summary)
    case 0x2008, 0x2009:
      guard let length = parameters.first, parameters.count > Int(length) else { return }
      noteOwnData(
        Array(parameters[1...Int(length)].prefix(Int(length))), isResponse: summary.opcode == 0x2009,
        ObservedSet.Key(isLegacy: true, setID: 0xFF), summary)
    case 0x2037, 0x2038:
      // Only complete data (operation 3): hosts send data in parts only if it does not fit into one command.
      guard parameters.count >= 4, parameters[1] == 3, parameters.count >= 4 + Int(parameters[3]) else { return }
      noteOwnData(
        Array(parameters[4..<4 + Int(parameters[3])]), isResponse: summary.opcode == 0x2038,
        ObservedSet.Key(isLegacy: legacySets.contains(parameters[0]), setID: parameters[0]), summary)
    case 0x2036 where parameters.count >= 3:
      // Extended parameters: the handle, then the properties. Bit 4 means legacy PDUs.
      if parameters[1] & 0x10 != 0 { legacySets.insert(parameters[0]) } else { legacySets.remove(parameters[0]) }
    default: break
    }
  }

  private mutating func noteOwnAddress(_ octets: [UInt8], _ summary: PacketSummary) {
    let bits = octets.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64($1.offset * 8) }
    // A central's host sets an address, too. A host becomes a device only when it advertises.
    ownAddresses[summary.source] = DeviceAddress(bits: bits)
  }

  private mutating func noteOwnData(
    _ data: [UInt8], isResponse: Bool, _ set: ObservedSet.Key, _ summary: PacketSummary
  ) {
    let address = ownAddresses[summary.source]
    change(.ownHost(source: summary.source)) { device in
      if device.address == nil, let address { device.address = address }
      var place = device.sets.firstIndex { $0.key == set }
      if place == nil {
        place = device.sets.count
        let kind: ExtendedReportType = set.isLegacy ? [.legacy, .connectable, .scannable] : .connectable
        device.sets.append(ObservedSet(set, kind: kind))
      }
      guard let place else { return }
      device.sets[place].note(data, isResponse: isResponse, at: summary.nanoseconds)
    }
  }
}
