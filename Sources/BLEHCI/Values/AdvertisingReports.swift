// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The type of a received legacy PDU (Core 5.4 Vol 4 Part E 7.7.65.2).
package struct AdvertisingReportType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// ADV_IND.
  package static let connectableScannable = AdvertisingReportType(rawValue: 0x00)
  /// ADV_DIRECT_IND.
  package static let directed = AdvertisingReportType(rawValue: 0x01)
  /// ADV_SCAN_IND.
  package static let scannable = AdvertisingReportType(rawValue: 0x02)
  /// ADV_NONCONN_IND.
  package static let nonConnectable = AdvertisingReportType(rawValue: 0x03)
  /// SCAN_RSP.
  package static let scanResponse = AdvertisingReportType(rawValue: 0x04)
}

/// A received legacy advertisement or scan response (Core 5.4 Vol 4 Part E 7.7.65.2).
package struct AdvertisingReport: OctetLayout, Hashable {
  package var reportType = AdvertisingReportType.connectableScannable
  package var addressType = AddressType.publicDevice
  package var address = DeviceAddress.zero
  /// At most 31 octets.
  package var data: [UInt8] = []
  /// In dBm, -127...20; 127 if unknown.
  package var rssi: Int8 = 127

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Event_Type", &reportType)
    try fields.code("Address_Type", &addressType)
    try fields.address("Address", &address)
    try fields.counted("Data", &data)
    try fields.integer("RSSI", &rssi)
  }
}

/// A received directed advertisement whose target could not be resolved (Core 5.4 Vol 4 Part E 7.7.65.11).
package struct DirectedAdvertisingReport: OctetLayout, Hashable {
  package var reportType = AdvertisingReportType.directed
  package var addressType = AddressType.publicDevice
  package var address = DeviceAddress.zero
  package var directAddressType = AddressType.random
  /// The target.
  package var directAddress = DeviceAddress.zero
  /// In dBm, -127...20; 127 if unknown.
  package var rssi: Int8 = 127

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Event_Type", &reportType)
    try fields.code("Address_Type", &addressType)
    try fields.address("Address", &address)
    try fields.code("Direct_Address_Type", &directAddressType)
    try fields.address("Direct_Address", &directAddress)
    try fields.integer("RSSI", &rssi)
  }
}

/// The type of the advertisement in an extended report (Core 5.4 Vol 4 Part E 7.7.65.13).
public struct ExtendedReportType: OptionSet, Hashable, Sendable {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let connectable = ExtendedReportType(rawValue: 1 << 0)
  public static let scannable = ExtendedReportType(rawValue: 1 << 1)
  public static let directed = ExtendedReportType(rawValue: 1 << 2)
  public static let scanResponse = ExtendedReportType(rawValue: 1 << 3)
  public static let legacy = ExtendedReportType(rawValue: 1 << 4)

  /// The completeness of the data, bits 5 and 6.
  public var dataStatus: AdvertisingDataStatus {
    get { AdvertisingDataStatus(rawValue: UInt8(truncatingIfNeeded: rawValue >> 5) & 0b11) }
    set { rawValue = rawValue & ~0b110_0000 | UInt16(newValue.rawValue & 0b11) << 5 }
  }
}

/// The completeness of the data in an extended report (Core 5.4 Vol 4 Part E 7.7.65.13).
public struct AdvertisingDataStatus: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let complete = AdvertisingDataStatus(rawValue: 0b00)
  /// The rest follows in later reports.
  public static let moreToCome = AdvertisingDataStatus(rawValue: 0b01)
  /// Truncated; no more follows.
  public static let truncated = AdvertisingDataStatus(rawValue: 0b10)
}

/// An advertisement received by extended scanning (Core 5.4 Vol 4 Part E 7.7.65.13).
package struct ExtendedAdvertisingReport: OctetLayout, Hashable {
  package var reportType: ExtendedReportType = []
  package var addressType = AddressType.publicDevice
  package var address = DeviceAddress.zero
  package var primaryPHY = PHY.le1M
  package var secondaryPHY = PHY.none
  /// 0xFF for none.
  package var advertisingSID: UInt8 = 0xFF
  /// In dBm, -127...20; 127 if unknown.
  package var txPower: Int8 = 127
  /// In dBm, -127...20; 127 if unknown.
  package var rssi: Int8 = 127
  /// In units of 1.25 ms; 0 without periodic advertising.
  package var periodicInterval: UInt16 = 0
  package var directAddressType = AddressType.publicDevice
  /// The target of a directed advertisement.
  package var directAddress = DeviceAddress.zero
  /// At most 229 octets.
  package var data: [UInt8] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("Event_Type", &reportType)
    try fields.code("Address_Type", &addressType)
    try fields.address("Address", &address)
    try fields.code("Primary_PHY", &primaryPHY)
    try fields.code("Secondary_PHY", &secondaryPHY)
    try fields.integer("Advertising_SID", &advertisingSID)
    try fields.integer("TX_Power", &txPower)
    try fields.integer("RSSI", &rssi)
    try fields.integer("Periodic_Advertising_Interval", &periodicInterval)
    try fields.code("Direct_Address_Type", &directAddressType)
    try fields.address("Direct_Address", &directAddress)
    try fields.counted("Data", &data)
  }
}
