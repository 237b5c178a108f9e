import BLECore
import BLEHCI

/// Link-layer packets as fields (Core 5.4 Vol 6 Part B 2.3, 2.4).
enum LinkLayerTree {
  static let advertisingNames = [
    "ADV_IND", "ADV_DIRECT_IND", "ADV_NONCONN_IND", "SCAN_REQ", "SCAN_RSP", "CONNECT_IND", "ADV_SCAN_IND",
    "ADV_EXT_IND", "AUX_CONNECT_RSP",
  ]

  static let controlNames: [UInt8: String] = [
    0x00: "LL_CONNECTION_UPDATE_IND", 0x01: "LL_CHANNEL_MAP_IND", 0x02: "LL_TERMINATE_IND", 0x03: "LL_ENC_REQ",
    0x04: "LL_ENC_RSP", 0x05: "LL_START_ENC_REQ", 0x06: "LL_START_ENC_RSP", 0x07: "LL_UNKNOWN_RSP",
    0x08: "LL_FEATURE_REQ", 0x09: "LL_FEATURE_RSP", 0x0A: "LL_PAUSE_ENC_REQ", 0x0B: "LL_PAUSE_ENC_RSP",
    0x0C: "LL_VERSION_IND", 0x0D: "LL_REJECT_IND", 0x0E: "LL_PERIPHERAL_FEATURE_REQ",
    0x0F: "LL_CONNECTION_PARAM_REQ", 0x10: "LL_CONNECTION_PARAM_RSP", 0x11: "LL_REJECT_EXT_IND",
    0x12: "LL_PING_REQ", 0x13: "LL_PING_RSP", 0x14: "LL_LENGTH_REQ", 0x15: "LL_LENGTH_RSP", 0x16: "LL_PHY_REQ",
    0x17: "LL_PHY_RSP", 0x18: "LL_PHY_UPDATE_IND", 0x19: "LL_MIN_USED_CHANNELS_IND",
  ]

  static func data(_ octets: [UInt8], isEncrypted: Bool) -> FieldList {
    var list = FieldList(octets)
    guard let head = list.number("Header", 1) else { return list }
    let kinds = ["reserved", "continuation or empty", "start", "control"]
    list.bits("LLID", head & 3, kinds[Int(head & 3)])
    list.bits("NESN", head >> 2 & 1)
    list.bits("SN", head >> 3 & 1)
    list.bits("MD", head >> 4 & 1)
    list.number("Length", 1) { "\($0)" }
    if isEncrypted { list.rest("Encrypted Data") } else if head & 3 == 3 { control(&list) } else { list.rest("Data") }
    return list
  }

  private static func control(_ list: inout FieldList) {
    guard let opcode = list.number("Opcode", 1, { controlNames[UInt8(truncatingIfNeeded: $0)] }) else { return }
    switch UInt8(opcode) {
    case 0x00:
      list.number("WinSize", 1)
      list.number("WinOffset", 2)
      timing(&list)
      list.number("Instant", 2) { "\($0)" }
    case 0x01:
      list.octets("ChM", 5)
      list.number("Instant", 2) { "\($0)" }
    case 0x02, 0x0D: error(&list)
    case 0x03:
      list.octets("Rand", 8)
      list.number("EDIV", 2)
      list.octets("SKD_C", 8)
      list.octets("IV_C", 4)
    case 0x04:
      list.octets("SKD_P", 8)
      list.octets("IV_P", 4)
    case 0x07: list.number("UnknownType", 1) { controlNames[UInt8(truncatingIfNeeded: $0)] }
    case 0x08, 0x09, 0x0E: list.octets("FeatureSet", 8)
    case 0x0C:
      list.number("Version", 1) { CoreVersion(rawValue: UInt8(truncatingIfNeeded: $0)).description }
      list.number("Company Identifier", 2) {
        ControllerManufacturer(rawValue: UInt16(truncatingIfNeeded: $0)).description
      }
      list.number("Subversion", 2)
    case 0x0F, 0x10:
      list.number("Interval_Min", 2, interval)
      list.number("Interval_Max", 2, interval)
      list.number("Latency", 2) { "\($0)" }
      list.number("Timeout", 2) { "\($0 * 10) ms" }
      list.number("PreferredPeriodicity", 1)
      list.number("ReferenceConnEventCount", 2)
      for place in 0..<6 { list.number("Offset\(place)", 2) }
    case 0x11:
      list.number("RejectOpcode", 1) { controlNames[UInt8(truncatingIfNeeded: $0)] }
      error(&list)
    case 0x14, 0x15:
      for name in ["MaxRxOctets", "MaxRxTime", "MaxTxOctets", "MaxTxTime"] { list.number(name, 2) { "\($0)" } }
    case 0x16, 0x17:
      list.number("TX_PHYS", 1, phys)
      list.number("RX_PHYS", 1, phys)
    case 0x18:
      list.number("PHY_C_To_P", 1, phys)
      list.number("PHY_P_To_C", 1, phys)
      list.number("Instant", 2) { "\($0)" }
    default: break
    }
    list.rest("Control Data")
  }

  private static func error(_ list: inout FieldList) {
    list.number("ErrorCode", 1) { ErrorCode(rawValue: UInt8(truncatingIfNeeded: $0)).description }
  }

  private static func timing(_ list: inout FieldList) {
    list.number("Interval", 2, interval)
    list.number("Latency", 2) { "\($0)" }
    list.number("Timeout", 2) { "\($0 * 10) ms" }
  }

  private static func interval(_ units: UInt64) -> String { "\(Double(units) * 1.25) ms" }

  private static func phys(_ mask: UInt64) -> String {
    let names = ["LE 1M", "LE 2M", "LE Coded"]
    let present = names.indices.filter { mask >> UInt64($0) & 1 != 0 }.map { names[$0] }
    return present.isEmpty ? "unchanged" : present.joined(separator: ", ")
  }

  static func advertising(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    guard let head = list.number("Header", 1) else { return list }
    let type = Int(head & 0xF)
    list.bits("PDU Type", head & 0xF, type < advertisingNames.count ? advertisingNames[type] : nil)
    list.bits("ChSel", head >> 5 & 1)
    list.bits("TxAdd", head >> 6 & 1, head >> 6 & 1 == 0 ? "public" : "random")
    list.bits("RxAdd", head >> 7 & 1, head >> 7 & 1 == 0 ? "public" : "random")
    list.number("Length", 1) { "\($0)" }
    switch type {
    case 0, 2, 4, 6:
      list.address("AdvA")
      if list.remaining > 0 {
        list.group(type == 4 ? "ScanRspData" : "AdvData", list.remaining) {
          AdvertisingFields.add($0.remaining, to: &$0)
        }
      }
    case 1:
      list.address("AdvA")
      list.address("TargetA")
    case 3:
      list.address("ScanA")
      list.address("AdvA")
    case 5: connect(&list)
    case 7, 8: extended(&list)
    default: break
    }
    list.rest("Undecoded")
    return list
  }

  private static func connect(_ list: inout FieldList) {
    list.address("InitA")
    list.address("AdvA")
    list.number("AA", 4)
    list.number("CRCInit", 3)
    list.number("WinSize", 1)
    list.number("WinOffset", 2)
    timing(&list)
    list.octets("ChM", 5)
    if let last = list.number("Hop and SCA", 1) {
      list.bits("Hop", last & 0x1F)
      list.bits("SCA", last >> 5)
    }
  }

  /// Adds the Common Extended Advertising Payload Format (2.3.4).
  private static func extended(_ list: inout FieldList) {
    guard let first = list.number("Extended Header Length and AdvMode", 1) else { return }
    let modes = ["non-connectable, non-scannable", "connectable", "scannable", "reserved"]
    list.bits("AdvMode", first >> 6, modes[Int(first >> 6)])
    let length = Int(first & 0x3F)
    if length > 0 {
      list.group("Extended Header", length) { list in
        guard let flags = list.number("Extended Header Flags", 1) else { return }
        if flags & 0x01 != 0 { list.address("AdvA") }
        if flags & 0x02 != 0 { list.address("TargetA") }
        if flags & 0x04 != 0 { list.number("CTEInfo", 1) }
        if flags & 0x08 != 0 {
          list.number("ADI", 2) { "DID \($0 & 0xFFF), SID \($0 >> 12)" }
        }
        if flags & 0x10 != 0 { list.number("AuxPtr", 3) { "channel \($0 & 0x3F)" } }
        if flags & 0x20 != 0 { list.octets("SyncInfo", 18) }
        if flags & 0x40 != 0 { list.number("TxPower", 1) { "\(Int8(truncatingIfNeeded: $0)) dBm" } }
        list.rest("ACAD")
      }
    }
    if list.remaining > 0 {
      list.group("AdvData", list.remaining) { AdvertisingFields.add($0.remaining, to: &$0) }
    }
  }
}
