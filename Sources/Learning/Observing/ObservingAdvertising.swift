import BLECore
import BLEHCI
import Capture
import Decoding

extension DeviceObserver {
  /// Processes the advertising reports of an event. `parameters` are the octets after the subevent code.
  mutating func takeReports(_ summary: PacketSummary, _ parameters: [UInt8]) {
    if summary.opcode == 0x3E02 {
      guard let event = try? LEAdvertisingReport(decoding: parameters) else { return }
      for report in event.reports { note(report, at: summary.nanoseconds) }
    } else {
      guard let event = try? LEExtendedAdvertisingReport(decoding: parameters) else { return }
      for report in event.reports { note(report, at: summary.nanoseconds) }
    }
  }

  private mutating func note(_ report: AdvertisingReport, at time: Int64) {
    var kind: ExtendedReportType = .legacy
    switch report.reportType {
    case .connectableScannable: kind.formUnion([.connectable, .scannable])
    case .directed: kind.formUnion([.connectable, .directed])
    case .scannable: kind.formUnion(.scannable)
    case .scanResponse: kind.formUnion(.scanResponse)
    default: break
    }
    note(
      report.data, kind: kind, of: report.address, type: report.addressType,
      ObservedSet.Key(isLegacy: true, setID: 0xFF), at: time)
  }

  private mutating func note(_ report: ExtendedAdvertisingReport, at time: Int64) {
    let key = Key.address(report.address.bits)
    var data = report.data
    if let earlier = fragments.removeValue(forKey: key) { data = earlier + data }
    if report.reportType.dataStatus == .moreToCome {
      if data.count <= 1_650 { fragments[key] = data }
      return
    }
    let isLegacy = report.reportType.contains(.legacy)
    note(
      data, kind: report.reportType, of: report.address, type: report.addressType,
      ObservedSet.Key(isLegacy: isLegacy, setID: isLegacy ? 0xFF : report.advertisingSID), at: time,
      secondary: report.secondaryPHY, power: report.txPower)
  }

  mutating func note(
    _ data: [UInt8], kind: ExtendedReportType, of address: DeviceAddress, type: AddressType, _ set: ObservedSet.Key,
    at time: Int64, secondary: PHY = .none, power: Int8 = 127
  ) {
    change(.address(address.bits)) { device in
      device.address = address
      device.addressType = type
      let isResponse = kind.contains(.scanResponse)
      var place = device.sets.firstIndex { $0.key == set }
      if place == nil, !isResponse {
        place = device.sets.count
        device.sets.append(ObservedSet(set, kind: kind))
      }
      guard let place else { return }
      if !isResponse, secondary != .none { device.sets[place].secondaryPHY = secondary }
      if power != 127 { device.sets[place].txPower = power }
      device.sets[place].note(data, isResponse: isResponse, at: time)
    }
  }

  /// Processes an advertising PDU that a sniffer received (Core 5.4 Vol 6 Part B 2.3).
  mutating func takeAirAdvertising(_ summary: PacketSummary, _ record: CaptureRecord) {
    let pdu = record.octets
    guard summary.fault == nil else { return }
    if pdu.count >= 3, pdu[0] & 0x0F == 7 { return takeExtendedAdvertising(summary, record) }
    guard pdu.count >= 8, let bits = summary.address else { return }
    var kind: ExtendedReportType = .legacy
    switch pdu[0] & 0x0F {
    case 0: kind.formUnion([.connectable, .scannable])
    case 1: kind.formUnion([.connectable, .directed])
    case 2: break
    case 4: kind.formUnion(.scanResponse)
    case 6: kind.formUnion(.scannable)
    case 5:
      change(.address(bits)) { $0.links.append(ObservedLink(begin: summary.nanoseconds)) }
      return
    default: return
    }
    let type: AddressType = pdu[0] & 0x40 == 0 ? .publicDevice : .random
    note(
      kind.contains(.directed) ? [] : Array(pdu.dropFirst(8)), kind: kind, of: DeviceAddress(bits: bits), type: type,
      ObservedSet.Key(isLegacy: true, setID: 0xFF), at: summary.nanoseconds)
  }
}
