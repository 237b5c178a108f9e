// Informational Parameters (OGF 0x04) and Status Parameters (OGF 0x05) of BR/EDR.

import BLECore

/// Core 5.4 Vol 4 Part E 7.4.4 HCI_Read_Local_Extended_Features. Reads a page of the controller's LMP features.
package struct HCIReadLocalExtendedFeatures: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalExtendedFeatures

  /// The page.
  package var page: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Page_Number", &page)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The page.
    package var page: UInt8 = 0
    /// The last page that has features.
    package var lastPage: UInt8 = 0
    /// The features of the page, one bit each.
    package var features = LMPFeaturePage(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Page_Number", &page)
      try fields.integer("Max_Page_Number", &lastPage)
      try fields.code("Extended_LMP_Features", &features)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.5.3 HCI_Read_Link_Quality. Reads the quality of a connection.
package struct HCIReadLinkQuality: HCISyncCommand {
  package static let opcode = CommandOpcode.readLinkQuality

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The connection.
    package var connectionHandle = ConnectionHandle.zero
    /// The higher, the better.
    package var quality: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle", &connectionHandle)
      try fields.integer("Link_Quality", &quality)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.5.7 HCI_Read_Encryption_Key_Size. Reads the size of the encryption key of a connection.
package struct HCIReadEncryptionKeySize: HCISyncCommand {
  package static let opcode = CommandOpcode.readEncryptionKeySize

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The connection.
    package var connectionHandle = ConnectionHandle.zero
    /// In octets, 1...16.
    package var keySize: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.integer("Key_Size", &keySize)
    }
  }
}
