// Link Control commands (OGF 0x01) of BR/EDR: finding devices and their names.

import BLECore

/// Core 5.4 Vol 4 Part E 7.1.1 HCI_Inquiry. Finds devices. Inquiry Complete reports the end.
package struct HCIInquiry: HCIAsyncCommand {
  package static let opcode = CommandOpcode.inquiry

  /// The devices to find.
  package var accessCode = InquiryAccessCode.general
  /// The duration of the inquiry.
  package var length = InquiryLength(rawValue: 1)
  /// The number of responses after which it ends; 0: without limit.
  package var maximumResponses: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code24("LAP", &accessCode)
    try fields.code("Inquiry_Length", &length)
    try fields.integer("Num_Responses", &maximumResponses)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.2 HCI_Inquiry_Cancel. Ends an inquiry.
package struct HCIInquiryCancel: HCISyncCommand {
  package static let opcode = CommandOpcode.inquiryCancel
  package typealias ReturnParameters = StatusReturn

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.1.3 HCI_Periodic_Inquiry_Mode. Finds devices again and again.
package struct HCIPeriodicInquiryMode: HCISyncCommand {
  package static let opcode = CommandOpcode.periodicInquiryMode
  package typealias ReturnParameters = StatusReturn

  /// The longest time between two inquiries.
  package var maximumPeriod = InquiryPeriod(rawValue: 3)
  /// The shortest time between two inquiries.
  package var minimumPeriod = InquiryPeriod(rawValue: 2)
  /// The devices to find.
  package var accessCode = InquiryAccessCode.general
  /// The duration of the inquiry.
  package var length = InquiryLength(rawValue: 1)
  /// The number of responses after which it ends; 0: without limit.
  package var maximumResponses: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Max_Period_Length", &maximumPeriod)
    try fields.code("Min_Period_Length", &minimumPeriod)
    try fields.code24("LAP", &accessCode)
    try fields.code("Inquiry_Length", &length)
    try fields.integer("Num_Responses", &maximumResponses)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.4 HCI_Exit_Periodic_Inquiry_Mode. Ends periodic inquiries.
package struct HCIExitPeriodicInquiryMode: HCISyncCommand {
  package static let opcode = CommandOpcode.exitPeriodicInquiryMode
  package typealias ReturnParameters = StatusReturn

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.1.19 HCI_Remote_Name_Request. Asks a device for its name. Remote Name Request Complete reports it.
package struct HCIRemoteNameRequest: HCIAsyncCommand {
  package static let opcode = CommandOpcode.remoteNameRequest

  /// The device.
  package var address = DeviceAddress.zero
  /// How often the peer scans for pages.
  package var repetitionMode = PageScanRepetitionMode.r1
  /// Page_Scan_Mode in older versions.
  package var reserved: UInt8 = 0
  /// The difference between the clocks, if known.
  package var clockOffset = ClockOffset(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Page_Scan_Repetition_Mode", &repetitionMode)
    try fields.integer("Reserved", &reserved)
    try fields.code("Clock_Offset", &clockOffset)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.20 HCI_Remote_Name_Request_Cancel. Ends a request for a name.
package struct HCIRemoteNameRequestCancel: HCISyncCommand {
  package static let opcode = CommandOpcode.remoteNameRequestCancel
  package typealias ReturnParameters = AddressReturn

  /// The device.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}
