import BLECore

extension CEvaluator {
  /// Returns the UUID of an expression: a macro that declares it, a variable, a name that a platform's headers define, or a number.
  func uuid(_ tokens: ArraySlice<CToken>, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    // The platform's headers, not this file, define these names.
    if let last = tokens.last, last.kind == .identifier, source.definitions[last.text] == nil,
      let uuid = ZephyrNames.uuid(last.text, kind)
    {
      return uuid
    }
    let tokens = resolved(tokens)
    guard let first = tokens.first else { return nil }
    if first.kind == .identifier, let (arguments, _) = CSource.arguments(in: tokens, at: tokens.startIndex) {
      return uuid(calling: first.text, arguments, kind)
    }
    if first.kind == .identifier, tokens.count == 1, let uuid = ZephyrNames.uuid(first.text, kind) { return uuid }
    if let number = number(tokens), let short = UInt16(exactly: number) { return BluetoothUUID(short) }
    if let (octets, isText) = octets(tokens), !isText { return BluetoothUUID(littleEndianOctets: octets) }
    return nil
  }

  private func uuid(
    calling name: String, _ arguments: [ArraySlice<CToken>], _ kind: AssignedName.Kind
  ) -> BluetoothUUID? {
    switch name {
    case "BT_UUID_DECLARE_16", "BT_UUID_INIT_16", "BLE_UUID16_DECLARE", "BLE_UUID16_INIT":
      return arguments.first.flatMap { number($0) }.flatMap { UInt16(exactly: $0) }.map { BluetoothUUID($0) }
    case "BT_UUID_DECLARE_32", "BT_UUID_INIT_32", "BLE_UUID32_DECLARE", "BLE_UUID32_INIT":
      return arguments.first.flatMap { number($0) }.flatMap { UInt32(exactly: $0) }
        .flatMap { word in
          BluetoothUUID(littleEndianOctets: (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) })
        }
    case "BT_UUID_DECLARE_128", "BT_UUID_INIT_128", "BLE_UUID128_DECLARE", "BLE_UUID128_INIT":
      if arguments.count == 1 { return uuid(arguments[0], kind) }
      let octets = arguments.compactMap { number($0) }.compactMap { UInt8(exactly: $0) }
      return octets.count == 16 ? BluetoothUUID(littleEndianOctets: octets) : nil
    case "BT_UUID_128_ENCODE":
      let parts = arguments.compactMap { number($0) }
      guard arguments.count == 5, parts.count == 5, parts.allSatisfy({ $0 >= 0 }) else { return nil }
      return uuid(parts: parts)
    default: return nil
    }
  }

  /// Returns the UUID of the five groups of digits in Zephyr's macro.
  private func uuid(parts: [Int]) -> BluetoothUUID? {
    let widths = [32, 16, 16, 16, 48]
    guard zip(parts, widths).allSatisfy({ $0 >> $1 == 0 }) else { return nil }
    let high = UInt64(parts[0]) << 32 | UInt64(parts[1]) << 16 | UInt64(parts[2])
    return BluetoothUUID(high: high, low: UInt64(parts[3]) << 48 | UInt64(parts[4]))
  }
}

/// The names of UUIDs in Zephyr's `uuid.h` (BT_UUID_HRS) and ESP-IDF's `esp_gatt_defs.h` (ESP_GATT_UUID_HEART_RATE_SVC).
enum ZephyrNames {
  /// The abbreviated names of services.
  private static let services: [String: UInt16] = [
    "GAP": 0x1800, "GATT": 0x1801, "IAS": 0x1802, "LLS": 0x1803, "TPS": 0x1804, "CTS": 0x1805, "RTUS": 0x1806,
    "NDSTS": 0x1807, "GS": 0x1808, "HTS": 0x1809, "DIS": 0x180A, "HRS": 0x180D, "PAS": 0x180E, "BAS": 0x180F,
    "BPS": 0x1810, "ANS": 0x1811, "HIDS": 0x1812, "SPS": 0x1813, "RSCS": 0x1814, "AIOS": 0x1815, "CSC": 0x1816,
    "CPS": 0x1818, "LNS": 0x1819, "ESS": 0x181A, "BCS": 0x181B, "UDS": 0x181C, "WSS": 0x181D, "BMS": 0x181E,
    "CGMS": 0x181F, "IPSS": 0x1820, "POS": 0x1822, "OTS": 0x1825, "FMS": 0x1826,
  ]

  /// The names of characteristics that are not just another spelling of the assigned names.
  private static let characteristics: [String: UInt16] = [
    "BAS_BATTERY_LEVEL": 0x2A19, "HRS_MEASUREMENT": 0x2A37, "HRS_BODY_SENSOR": 0x2A38, "HRS_CONTROL_POINT": 0x2A39,
    "HTS_MEASUREMENT": 0x2A1C, "HTS_TEMP_TYP": 0x2A1D, "HTS_TEMP_INT": 0x2A1E, "HTS_INTERVAL": 0x2A21,
    "CTS_CURRENT_TIME": 0x2A2B, "DIS_SYSTEM_ID": 0x2A23, "DIS_MODEL_NUMBER": 0x2A24, "DIS_SERIAL_NUMBER": 0x2A25,
    "DIS_FIRMWARE_REVISION": 0x2A26, "DIS_HARDWARE_REVISION": 0x2A27, "DIS_SOFTWARE_REVISION": 0x2A28,
    "DIS_MANUFACTURER_NAME": 0x2A29, "DIS_PNP_ID": 0x2A50, "HIDS_INFO": 0x2A4A, "HIDS_REPORT_MAP": 0x2A4B,
    "HIDS_CTRL_POINT": 0x2A4C, "HIDS_REPORT": 0x2A4D, "HIDS_PROTOCOL_MODE": 0x2A4E, "ALERT_LEVEL": 0x2A06,
    "TPS_TX_POWER_LEVEL": 0x2A07, "GAP_DEVICE_NAME": 0x2A00, "GAP_APPEARANCE": 0x2A01, "GAP_PPCP": 0x2A04,
    "GATT_SC": 0x2A05, "CSC_MEASUREMENT": 0x2A5B, "CSC_FEATURE": 0x2A5C, "SENSOR_LOCATION": 0x2A5D,
    "SC_CONTROL_POINT": 0x2A55, "RSC_MEASUREMENT": 0x2A53, "RSC_FEATURE": 0x2A54,
  ]

  /// The names of descriptors that are not just another spelling of the assigned names.
  private static let descriptors: [String: UInt16] = [
    "GATT_CEP": 0x2900, "GATT_CUD": 0x2901, "GATT_CCC": 0x2902, "GATT_SCC": 0x2903, "GATT_CPF": 0x2904,
    "GATT_CAF": 0x2905, "VALID_RANGE": 0x2906, "HIDS_EXT_REPORT": 0x2907, "HIDS_REPORT_REF": 0x2908,
    "ES_CONFIGURATION": 0x290B, "ES_MEASUREMENT": 0x290C, "ES_TRIGGER_SETTING": 0x290D,
  ]

  /// Returns the UUID of a name.
  static func uuid(_ name: String, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    var word = Substring(name)
    if word.hasPrefix("BT_UUID_") {
      word = word.dropFirst(8)
    } else if word.hasPrefix("ESP_GATT_UUID_") {
      word = word.dropFirst(14)
    } else {
      return nil
    }
    if word.hasSuffix("_VAL") { word = word.dropLast(4) }
    if word.hasSuffix("_SVC") { word = word.dropLast(4) }
    let tables: [AssignedName.Kind: [String: UInt16]] = [
      .service: services, .characteristic: characteristics, .descriptor: descriptors,
    ]
    if let number = tables[kind]?[String(word)] { return BluetoothUUID(number) }
    return SIGNames.uuid(named: word.lowercased().split(separator: "_").joined(separator: "-"), kind)
  }
}
