// Controller & Baseband commands (OGF 0x03) of BR/EDR: what inquiring devices see.

import BLECore

/// Core 5.4 Vol 4 Part E 7.3.25 HCI_Read_Class_Of_Device. Reads what the device says that it is.
package struct HCIReadClassOfDevice: HCISyncCommand {
  package static let opcode = CommandOpcode.readClassOfDevice

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// What the device is.
    package var classOfDevice = ClassOfDevice(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code24("Class_Of_Device", &classOfDevice)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.26 HCI_Write_Class_Of_Device. Sets what the device says that it is.
package struct HCIWriteClassOfDevice: HCISyncCommand {
  package static let opcode = CommandOpcode.writeClassOfDevice
  package typealias ReturnParameters = StatusReturn

  /// What the device is.
  package var classOfDevice = ClassOfDevice(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code24("Class_Of_Device", &classOfDevice)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.55 HCI_Read_Extended_Inquiry_Response. Reads the data that inquiring devices get.
package struct HCIReadExtendedInquiryResponse: HCISyncCommand {
  package static let opcode = CommandOpcode.readExtendedInquiryResponse

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// Whether it is sent in packets with error correction.
    package var needsFEC = false
    /// Structures as in advertising data, padded with zeros.
    package var response = [UInt8](repeating: 0, count: 240)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("FEC_Required", &needsFEC)
      try fields.octets("Extended_Inquiry_Response", &response, count: 240)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.56 HCI_Write_Extended_Inquiry_Response. Sets the data that inquiring devices get.
package struct HCIWriteExtendedInquiryResponse: HCISyncCommand {
  package static let opcode = CommandOpcode.writeExtendedInquiryResponse
  package typealias ReturnParameters = StatusReturn

  /// Whether it is sent in packets with error correction.
  package var needsFEC = false
  /// Structures as in advertising data, padded with zeros.
  package var response = [UInt8](repeating: 0, count: 240)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("FEC_Required", &needsFEC)
    try fields.octets("Extended_Inquiry_Response", &response, count: 240)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.43 HCI_Read_Number_Of_Supported_IAC. Reads for how many access codes the controller can scan at once.
package struct HCIReadNumberOfSupportedIAC: HCISyncCommand {
  package static let opcode = CommandOpcode.readNumberOfSupportedIAC

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The number.
    package var count: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Num_Supported_IAC", &count)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.44 HCI_Read_Current_IAC_LAP. Reads the access codes of inquiries that are answered.
package struct HCIReadCurrentIACLAP: HCISyncCommand {
  package static let opcode = CommandOpcode.readCurrentIACLAP

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The access codes, preceded by a one-octet count.
    package var accessCodes: [InquiryAccessCode] = []

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.countedList("Num_Current_IAC", &accessCodes)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.45 HCI_Write_Current_IAC_LAP. Sets the access codes of inquiries that are answered.
package struct HCIWriteCurrentIACLAP: HCISyncCommand {
  package static let opcode = CommandOpcode.writeCurrentIACLAP
  package typealias ReturnParameters = StatusReturn

  /// The access codes, preceded by a one-octet count.
  package var accessCodes: [InquiryAccessCode] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Current_IAC", &accessCodes)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.61 HCI_Read_Inquiry_Response_Transmit_Power_Level. Reads the transmit power of responses to inquiries.
package struct HCIReadInquiryResponseTransmitPowerLevel: HCISyncCommand {
  package static let opcode = CommandOpcode.readInquiryResponseTransmitPowerLevel

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// In dBm, -70...20.
    package var txPower: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("TX_Power", &txPower)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.62 HCI_Write_Inquiry_Transmit_Power_Level. Sets the transmit power of inquiries.
package struct HCIWriteInquiryTransmitPowerLevel: HCISyncCommand {
  package static let opcode = CommandOpcode.writeInquiryTransmitPowerLevel
  package typealias ReturnParameters = StatusReturn

  /// In dBm, -70...20.
  package var txPower: Int8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("TX_Power", &txPower)
  }
}
