// Controller & Baseband commands (OGF 0x03) of BR/EDR: keys and security.

import BLECore

/// Core 5.4 Vol 4 Part E 7.3.8 HCI_Read_Stored_Link_Key. Reads keys that the controller has stored. Return Link Keys reports them.
package struct HCIReadStoredLinkKey: HCISyncCommand {
  package static let opcode = CommandOpcode.readStoredLinkKey

  /// The peer.
  package var address = DeviceAddress.zero
  /// Whether all keys are read, not only that of the peer.
  package var readsAll = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.boolean("Read_All", &readsAll)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// How many keys the controller can store.
    package var maximumKeys: UInt16 = 0
    /// How many keys it reports.
    package var keysRead: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Max_Num_Keys", &maximumKeys)
      try fields.integer("Num_Keys_Read", &keysRead)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.9 HCI_Write_Stored_Link_Key. Stores keys in the controller.
package struct HCIWriteStoredLinkKey: HCISyncCommand {
  package static let opcode = CommandOpcode.writeStoredLinkKey

  /// The keys, preceded by a one-octet count.
  package var keys: [StoredLinkKey] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Keys_To_Write", &keys)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// How many keys were stored.
    package var keysWritten: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Num_Keys_Written", &keysWritten)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.10 HCI_Delete_Stored_Link_Key. Removes keys from the controller.
package struct HCIDeleteStoredLinkKey: HCISyncCommand {
  package static let opcode = CommandOpcode.deleteStoredLinkKey

  /// The peer.
  package var address = DeviceAddress.zero
  /// Whether all keys are removed, not only that of the peer.
  package var deletesAll = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.boolean("Delete_All", &deletesAll)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// How many keys were removed.
    package var keysDeleted: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Num_Keys_Deleted", &keysDeleted)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.23 HCI_Read_Authentication_Enable. Reads whether every connection is authenticated.
package struct HCIReadAuthenticationEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.readAuthenticationEnable

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// Whether every connection is authenticated at its start.
    package var isEnabled = false

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("Authentication_Enable", &isEnabled)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.24 HCI_Write_Authentication_Enable. Sets whether every connection is authenticated.
package struct HCIWriteAuthenticationEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.writeAuthenticationEnable
  package typealias ReturnParameters = StatusReturn

  /// Whether every connection is authenticated at its start.
  package var isEnabled = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Authentication_Enable", &isEnabled)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.58 HCI_Read_Simple_Pairing_Mode. Reads whether Secure Simple Pairing is used.
package struct HCIReadSimplePairingMode: HCISyncCommand {
  package static let opcode = CommandOpcode.readSimplePairingMode

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// Whether the host supports it.
    package var isEnabled = false

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("Simple_Pairing_Mode", &isEnabled)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.59 HCI_Write_Simple_Pairing_Mode. Sets whether Secure Simple Pairing is used.
package struct HCIWriteSimplePairingMode: HCISyncCommand {
  package static let opcode = CommandOpcode.writeSimplePairingMode
  package typealias ReturnParameters = StatusReturn

  /// Whether the host supports it.
  package var isEnabled = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Simple_Pairing_Mode", &isEnabled)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.60 HCI_Read_Local_OOB_Data. Makes data for pairing out of band.
package struct HCIReadLocalOOBData: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalOOBData

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The commitment, for P-192.
    package var commitment = [UInt8](repeating: 0, count: 16)
    /// The random number, for P-192.
    package var random = [UInt8](repeating: 0, count: 16)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.octets("C", &commitment, count: 16)
      try fields.octets("R", &random, count: 16)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.95 HCI_Read_Local_OOB_Extended_Data. Makes data for pairing out of band, for both curves.
package struct HCIReadLocalOOBExtendedData: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalOOBExtendedData

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The commitment, for P-192.
    package var commitment192 = [UInt8](repeating: 0, count: 16)
    /// The random number, for P-192.
    package var random192 = [UInt8](repeating: 0, count: 16)
    /// The commitment, for P-256.
    package var commitment256 = [UInt8](repeating: 0, count: 16)
    /// The random number, for P-256.
    package var random256 = [UInt8](repeating: 0, count: 16)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.octets("C_192", &commitment192, count: 16)
      try fields.octets("R_192", &random192, count: 16)
      try fields.octets("C_256", &commitment256, count: 16)
      try fields.octets("R_256", &random256, count: 16)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.63 HCI_Send_Keypress_Notification. Tells the peer what the user does while entering a passkey.
package struct HCISendKeypressNotification: HCISyncCommand {
  package static let opcode = CommandOpcode.sendKeypressNotification
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
  /// What the user does.
  package var type = KeypressNotification.started

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Notification_Type", &type)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.57 HCI_Refresh_Encryption_Key. Makes a new encryption key. Encryption Key Refresh Complete reports the result.
package struct HCIRefreshEncryptionKey: HCIAsyncCommand {
  package static let opcode = CommandOpcode.refreshEncryptionKey

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.91 HCI_Read_Secure_Connections_Host_Support. Reads whether Secure Connections are used.
package struct HCIReadSecureConnectionsHostSupport: HCISyncCommand {
  package static let opcode = CommandOpcode.readSecureConnectionsHostSupport

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// Whether the host supports it.
    package var isEnabled = false

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("Secure_Connections_Host_Support", &isEnabled)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.92 HCI_Write_Secure_Connections_Host_Support. Sets whether Secure Connections are used.
package struct HCIWriteSecureConnectionsHostSupport: HCISyncCommand {
  package static let opcode = CommandOpcode.writeSecureConnectionsHostSupport
  package typealias ReturnParameters = StatusReturn

  /// Whether the host supports it.
  package var isEnabled = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Secure_Connections_Host_Support", &isEnabled)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.102 HCI_Set_Min_Encryption_Key_Size. Sets the shortest encryption key that a connection may have.
package struct HCISetMinEncryptionKeySize: HCISyncCommand {
  package static let opcode = CommandOpcode.setMinEncryptionKeySize
  package typealias ReturnParameters = StatusReturn

  /// In octets, 1...16.
  package var keySize: UInt8 = 7

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Min_Encryption_Key_Size", &keySize)
  }
}
