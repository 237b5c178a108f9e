// Scanning (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.10 HCI_LE_Set_Scan_Parameters. Sets the parameters of legacy scanning.
package struct LESetScanParameters: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetScanParameters
  package typealias ReturnParameters = StatusReturn

  /// `LE_Scan_Type`.
  package var scanType = ScanType(rawValue: 0)
  /// `LE_Scan_Interval`.
  package var interval = ScanInterval(rawValue: 0x0010)
  /// `LE_Scan_Window`.
  package var window = ScanInterval(rawValue: 0x0010)
  /// The type of the local address.
  package var ownAddressType = OwnAddressType(rawValue: 0)
  /// `Scanning_Filter_Policy`.
  package var filterPolicy = ScanFilterPolicy(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("LE_Scan_Type", &scanType)
    try fields.code("LE_Scan_Interval", &interval)
    try fields.code("LE_Scan_Window", &window)
    try fields.code("Own_Address_Type", &ownAddressType)
    try fields.code("Scanning_Filter_Policy", &filterPolicy)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.11 HCI_LE_Set_Scan_Enable. Starts or stops legacy scanning.
package struct LESetScanEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetScanEnable
  package typealias ReturnParameters = StatusReturn

  /// Whether to enable it.
  package var enable = false
  /// `Filter_Duplicates`.
  package var filterDuplicates = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("LE_Scan_Enable", &enable)
    try fields.boolean("Filter_Duplicates", &filterDuplicates)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.64 HCI_LE_Set_Extended_Scan_Parameters. Sets the parameters of extended scanning for each PHY.
package struct LESetExtendedScanParameters: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetExtendedScanParameters
  package typealias ReturnParameters = StatusReturn

  /// The type of the local address.
  package var ownAddressType = OwnAddressType(rawValue: 0)
  /// `Scanning_Filter_Policy`.
  package var filterPolicy = ScanFilterPolicy(rawValue: 0)
  /// `Scanning_PHYs`.
  package var phys: PHYSet = .le1M
  /// One entry per PHY in `phys`, lowest bit first.
  package var parameters = [ScanningPHYParameters()]

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Own_Address_Type", &ownAddressType)
    try fields.code("Scanning_Filter_Policy", &filterPolicy)
    try fields.flags("Scanning_PHYs", &phys)
    try fields.list("ScanningPHYParameters", &parameters, count: phys.parameterCount)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.65 HCI_LE_Set_Extended_Scan_Enable. Starts or stops extended scanning.
package struct LESetExtendedScanEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetExtendedScanEnable
  package typealias ReturnParameters = StatusReturn

  /// Whether to enable it.
  package var enable = false
  /// 0x00 off, 0x01 on, 0x02 on and cleared for each period.
  package var filterDuplicates: UInt8 = 0
  /// Zero scans until stopped.
  package var duration = ScanDuration(rawValue: 0)
  /// Zero scans once.
  package var period = ScanPeriod(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Enable", &enable)
    try fields.integer("Filter_Duplicates", &filterDuplicates)
    try fields.code("Duration", &duration)
    try fields.code("Period", &period)
  }
}
