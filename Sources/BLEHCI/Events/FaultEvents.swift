// Events that report controller faults.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.16 HCI_Hardware_Error. The controller has failed and needs a reset.
package struct HCIHardwareError: HCIEvent {
  package static let code = EventCode.hardwareError

  /// Manufacturer-specific.
  package var hardwareCode: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Hardware_Code", &hardwareCode)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.26 HCI_Data_Buffer_Overflow. The host sent more packets than the controller has buffers.
package struct HCIDataBufferOverflow: HCIEvent {
  package static let code = EventCode.dataBufferOverflow

  /// 0x00 synchronous, 0x01 ACL, 0x02 ISO.
  package var linkType: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Link_Type", &linkType)
  }
}
