import BLECore

/// The devices that an inquiry finds: the lower part of an address (Assigned Numbers 2.2). Three octets.
package struct InquiryAccessCode: OpenCode, OctetLayout {
  package var rawValue: UInt32
  @inlinable
  package init(rawValue: UInt32) { self.rawValue = rawValue & 0xFF_FFFF }

  /// All discoverable devices.
  package static let general = InquiryAccessCode(rawValue: 0x9E_8B33)
  /// Those in limited discoverable mode.
  package static let limited = InquiryAccessCode(rawValue: 0x9E_8B00)

  package init() { self = .general }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code24("IAC_LAP", &self)
  }

  package var meaning: String? {
    switch self {
    case .general: "General Inquiry (0x9E8B33)"
    case .limited: "Limited Inquiry (0x9E8B00)"
    default: nil
    }
  }
}

/// Whether a device can be found and connected to (Core 5.4 Vol 4 Part E 7.3.18).
package struct ScanEnable: OptionSet, OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The device can be found.
  package static let inquiry = ScanEnable(rawValue: 1 << 0)
  /// The device can be connected to.
  package static let page = ScanEnable(rawValue: 1 << 1)

  private static let names: [String?] = ["Inquiry Scan", "Page Scan"]

  package var meaning: String? { meaning(ofBits: Self.names) }
}

/// How a controller scans for inquiries or pages (Core 5.4 Vol 4 Part E 7.3.48, 7.3.52).
package struct BasebandScanType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let standard = BasebandScanType(rawValue: 0x00)
  package static let interlaced = BasebandScanType(rawValue: 0x01)

  private static let names: [UInt8: String] = [0: "Standard", 1: "Interlaced"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// The event that reports a response to an inquiry (Core 5.4 Vol 4 Part E 7.3.50).
package struct InquiryMode: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let standard = InquiryMode(rawValue: 0x00)
  package static let rssi = InquiryMode(rawValue: 0x01)
  package static let extended = InquiryMode(rawValue: 0x02)

  private static let names: [UInt8: String] = [0: "Standard", 1: "With RSSI", 2: "With RSSI or Extended"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// How often a device scans for pages (Core 5.4 Vol 4 Part E 7.1.5).
package struct PageScanRepetitionMode: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let r0 = PageScanRepetitionMode(rawValue: 0x00)
  package static let r1 = PageScanRepetitionMode(rawValue: 0x01)
  package static let r2 = PageScanRepetitionMode(rawValue: 0x02)

  private static let names: [UInt8: String] = [0: "R0", 1: "R1", 2: "R2"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// What an event filter restricts (Core 5.4 Vol 4 Part E 7.3.3).
package struct EventFilterType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Nothing: all filters are removed.
  package static let clearAll = EventFilterType(rawValue: 0x00)
  package static let inquiryResult = EventFilterType(rawValue: 0x01)
  package static let connectionSetup = EventFilterType(rawValue: 0x02)

  private static let names: [UInt8: String] = [0: "Clear All Filters", 1: "Inquiry Result", 2: "Connection Setup"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// The difference between the clocks of two devices, in units of 1.25 ms (Core 5.4 Vol 4 Part E 7.1.5).
package struct ClockOffset: OpenCode {
  package var rawValue: UInt16
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Whether it is known; only in commands.
  package var isValid: Bool { rawValue & 0x8000 != 0 }
}

/// The responses of a device to an inquiry (Core 5.4 Vol 4 Part E 7.7.2).
///
/// The fields of a device follow each other, as controllers send them.
package struct InquiryResponse: OctetLayout, Hashable {
  package var address = DeviceAddress.zero
  package var repetitionMode = PageScanRepetitionMode.r1
  /// Two octets, for scan modes in older versions.
  package var reserved: UInt16 = 0
  package var classOfDevice = ClassOfDevice(rawValue: 0)
  package var clockOffset = ClockOffset(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Page_Scan_Repetition_Mode", &repetitionMode)
    try fields.integer("Reserved", &reserved)
    try fields.code24("Class_Of_Device", &classOfDevice)
    try fields.code("Clock_Offset", &clockOffset)
  }
}

/// The response of a device to an inquiry, with its signal strength (Core 5.4 Vol 4 Part E 7.7.33, 7.7.38).
package struct InquiryResponseWithRSSI: OctetLayout, Hashable {
  package var address = DeviceAddress.zero
  package var repetitionMode = PageScanRepetitionMode.r1
  package var reserved: UInt8 = 0
  package var classOfDevice = ClassOfDevice(rawValue: 0)
  package var clockOffset = ClockOffset(rawValue: 0)
  /// In dBm, -127...20.
  package var rssi: Int8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Page_Scan_Repetition_Mode", &repetitionMode)
    try fields.integer("Reserved", &reserved)
    try fields.code24("Class_Of_Device", &classOfDevice)
    try fields.code("Clock_Offset", &clockOffset)
    try fields.integer("RSSI", &rssi)
  }
}
