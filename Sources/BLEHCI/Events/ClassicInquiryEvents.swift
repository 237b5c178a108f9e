// Events of BR/EDR: finding devices and their names.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.1 HCI_Inquiry_Complete. An inquiry has ended.
package struct HCIInquiryComplete: HCIEvent {
  package static let code = EventCode.inquiryComplete

  /// Success or the error.
  package var status = ErrorCode.success

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.2 HCI_Inquiry_Result. Devices have responded to an inquiry.
package struct HCIInquiryResult: HCIEvent {
  package static let code = EventCode.inquiryResult

  /// The devices, preceded by a one-octet count.
  package var responses: [InquiryResponse] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Responses", &responses)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.33 HCI_Inquiry_Result_with_RSSI. Devices have responded to an inquiry; with their signal strength.
package struct HCIInquiryResultWithRSSI: HCIEvent {
  package static let code = EventCode.inquiryResultWithRSSI

  /// The devices, preceded by a one-octet count.
  package var responses: [InquiryResponseWithRSSI] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Responses", &responses)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.38 HCI_Extended_Inquiry_Result. A device has responded to an inquiry; with its data.
package struct HCIExtendedInquiryResult: HCIEvent {
  package static let code = EventCode.extendedInquiryResult

  /// Always 1.
  package var count: UInt8 = 1
  /// The device.
  package var response = InquiryResponseWithRSSI()
  /// Structures as in advertising data, padded with zeros.
  package var extendedResponse = [UInt8](repeating: 0, count: 240)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Num_Responses", &count)
    try fields.nested(&response)
    try fields.octets("Extended_Inquiry_Response", &extendedResponse, count: 240)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.7 HCI_Remote_Name_Request_Complete. A device has told its name, or not.
package struct HCIRemoteNameRequestComplete: HCIEvent {
  package static let code = EventCode.remoteNameRequestComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The device.
  package var address = DeviceAddress.zero
  /// UTF-8 in 248 octets, terminated by a zero octet if shorter.
  package var name = [UInt8](repeating: 0, count: 248)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.address("BD_ADDR", &address)
    try fields.text("Remote_Name", &name, count: 248)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.31 HCI_Page_Scan_Repetition_Mode_Change. A device scans for pages at another rate.
package struct HCIPageScanRepetitionModeChange: HCIEvent {
  package static let code = EventCode.pageScanRepetitionModeChange

  /// The device.
  package var address = DeviceAddress.zero
  /// How often the peer scans for pages.
  package var repetitionMode = PageScanRepetitionMode.r1

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Page_Scan_Repetition_Mode", &repetitionMode)
  }
}
