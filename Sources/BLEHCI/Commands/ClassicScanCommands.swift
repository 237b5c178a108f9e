// Controller & Baseband commands (OGF 0x03) of BR/EDR: scans and inquiries.

import BLECore

/// Core 5.4 Vol 4 Part E 7.3.17 HCI_Read_Scan_Enable. Reads whether the device can be found and connected to.
package struct HCIReadScanEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.readScanEnable

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The scans.
    package var scans = ScanEnable(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Scan_Enable", &scans)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.18 HCI_Write_Scan_Enable. Sets whether the device can be found and connected to.
package struct HCIWriteScanEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.writeScanEnable
  package typealias ReturnParameters = StatusReturn

  /// The scans.
  package var scans = ScanEnable(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Scan_Enable", &scans)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.19 HCI_Read_Page_Scan_Activity. Reads how often the controller scans for connections.
package struct HCIReadPageScanActivity: HCISyncCommand {
  package static let opcode = CommandOpcode.readPageScanActivity

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The time between the starts of two scans.
    package var interval = BasebandSlots(rawValue: 0x0800)
    /// The duration of a scan.
    package var window = BasebandSlots(rawValue: 0x0012)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Page_Scan_Interval", &interval)
      try fields.code("Page_Scan_Window", &window)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.20 HCI_Write_Page_Scan_Activity. Sets how often the controller scans for connections.
package struct HCIWritePageScanActivity: HCISyncCommand {
  package static let opcode = CommandOpcode.writePageScanActivity
  package typealias ReturnParameters = StatusReturn

  /// The time between the starts of two scans.
  package var interval = BasebandSlots(rawValue: 0x0800)
  /// The duration of a scan.
  package var window = BasebandSlots(rawValue: 0x0012)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Page_Scan_Interval", &interval)
    try fields.code("Page_Scan_Window", &window)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.21 HCI_Read_Inquiry_Scan_Activity. Reads how often the controller scans for inquiries.
package struct HCIReadInquiryScanActivity: HCISyncCommand {
  package static let opcode = CommandOpcode.readInquiryScanActivity

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The time between the starts of two scans.
    package var interval = BasebandSlots(rawValue: 0x1000)
    /// The duration of a scan.
    package var window = BasebandSlots(rawValue: 0x0012)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Inquiry_Scan_Interval", &interval)
      try fields.code("Inquiry_Scan_Window", &window)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.22 HCI_Write_Inquiry_Scan_Activity. Sets how often the controller scans for inquiries.
package struct HCIWriteInquiryScanActivity: HCISyncCommand {
  package static let opcode = CommandOpcode.writeInquiryScanActivity
  package typealias ReturnParameters = StatusReturn

  /// The time between the starts of two scans.
  package var interval = BasebandSlots(rawValue: 0x1000)
  /// The duration of a scan.
  package var window = BasebandSlots(rawValue: 0x0012)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Inquiry_Scan_Interval", &interval)
    try fields.code("Inquiry_Scan_Window", &window)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.47 HCI_Read_Inquiry_Scan_Type. Reads how the controller scans for inquiries.
package struct HCIReadInquiryScanType: HCISyncCommand {
  package static let opcode = CommandOpcode.readInquiryScanType

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// How it scans.
    package var type = BasebandScanType.standard

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Inquiry_Scan_Type", &type)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.48 HCI_Write_Inquiry_Scan_Type. Sets how the controller scans for inquiries.
package struct HCIWriteInquiryScanType: HCISyncCommand {
  package static let opcode = CommandOpcode.writeInquiryScanType
  package typealias ReturnParameters = StatusReturn

  /// How it scans.
  package var type = BasebandScanType.standard

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Inquiry_Scan_Type", &type)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.49 HCI_Read_Inquiry_Mode. Reads which event reports responses to an inquiry.
package struct HCIReadInquiryMode: HCISyncCommand {
  package static let opcode = CommandOpcode.readInquiryMode

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The event of a response.
    package var mode = InquiryMode.standard

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Inquiry_Mode", &mode)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.50 HCI_Write_Inquiry_Mode. Sets which event reports responses to an inquiry.
package struct HCIWriteInquiryMode: HCISyncCommand {
  package static let opcode = CommandOpcode.writeInquiryMode
  package typealias ReturnParameters = StatusReturn

  /// The event of a response.
  package var mode = InquiryMode.standard

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Inquiry_Mode", &mode)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.51 HCI_Read_Page_Scan_Type. Reads how the controller scans for connections.
package struct HCIReadPageScanType: HCISyncCommand {
  package static let opcode = CommandOpcode.readPageScanType

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// How it scans.
    package var type = BasebandScanType.standard

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Page_Scan_Type", &type)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.52 HCI_Write_Page_Scan_Type. Sets how the controller scans for connections.
package struct HCIWritePageScanType: HCISyncCommand {
  package static let opcode = CommandOpcode.writePageScanType
  package typealias ReturnParameters = StatusReturn

  /// How it scans.
  package var type = BasebandScanType.standard

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Page_Scan_Type", &type)
  }
}
