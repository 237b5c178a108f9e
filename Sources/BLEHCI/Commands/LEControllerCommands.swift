// LE Controller commands (OGF 0x08) for the controller as a whole.

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.1 HCI_LE_Set_Event_Mask. Selects the LE events that the controller sends.
package struct LESetEventMask: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetEventMask
  package typealias ReturnParameters = StatusReturn

  /// The events to send.
  package var eventMask: LEEventMask = .specificationDefault

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("LE_Event_Mask", &eventMask)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.2 HCI_LE_Read_Buffer_Size. Reads the controller's buffers for LE data, version 1.
package struct LEReadBufferSize: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadBufferSize

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The data octets in one ACL packet, without its header; 0 if the buffers are shared with BR/EDR.
    package var aclDataPacketLength: UInt16 = 0
    /// `Total_Num_LE_ACL_Data_Packets`.
    package var totalACLDataPackets: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("LE_ACL_Data_Packet_Length", &aclDataPacketLength)
      try fields.integer("Total_Num_LE_ACL_Data_Packets", &totalACLDataPackets)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.2 HCI_LE_Read_Buffer_Size_[v2]. Reads the controller's buffers for LE data, version 2.
package struct LEReadBufferSizeV2: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadBufferSizeV2

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The data octets in one ACL packet, without its header; 0 if the buffers are shared with BR/EDR.
    package var aclDataPacketLength: UInt16 = 0
    /// `Total_Num_LE_ACL_Data_Packets`.
    package var totalACLDataPackets: UInt8 = 0
    /// `ISO_Data_Packet_Length`.
    package var isoDataPacketLength: UInt16 = 0
    /// `Total_Num_ISO_Data_Packets`.
    package var totalISODataPackets: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("LE_ACL_Data_Packet_Length", &aclDataPacketLength)
      try fields.integer("Total_Num_LE_ACL_Data_Packets", &totalACLDataPackets)
      try fields.integer("ISO_Data_Packet_Length", &isoDataPacketLength)
      try fields.integer("Total_Num_ISO_Data_Packets", &totalISODataPackets)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.3 HCI_LE_Read_Local_Supported_Features. Reads the LE features of the controller.
package struct LEReadLocalSupportedFeatures: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadLocalSupportedFeatures

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The features, one bit each.
    package var features: LEFeatures = []

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.flags("LE_Features", &features)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.4 HCI_LE_Set_Random_Address. Sets the random address; refused while the address is in use.
package struct LESetRandomAddress: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetRandomAddress
  package typealias ReturnParameters = StatusReturn

  /// The address, least significant octet first on the wire.
  package var address: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("Random_Address", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.22 HCI_LE_Encrypt. Encrypts one block with AES-128, least significant octet first.
package struct LEEncrypt: HCISyncCommand {
  package static let opcode = CommandOpcode.leEncrypt

  /// `Key`. 16 octets.
  package var key: [UInt8] = Array(repeating: 0, count: 16)
  /// `Plaintext_Data`. 16 octets.
  package var plaintext: [UInt8] = Array(repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Key", &key, count: 16)
    try fields.octets("Plaintext_Data", &plaintext, count: 16)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Encrypted_Data`. 16 octets.
    package var encrypted: [UInt8] = Array(repeating: 0, count: 16)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.octets("Encrypted_Data", &encrypted, count: 16)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.23 HCI_LE_Rand. Generates 8 random octets.
package struct LERand: HCISyncCommand {
  package static let opcode = CommandOpcode.leRand

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Random_Number`.
    package var random: UInt64 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Random_Number", &random)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.27 HCI_LE_Read_Supported_States. Reads the combinations of states and roles that the link layer supports.
package struct LEReadSupportedStates: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadSupportedStates

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// One bit per combination, Core 5.4 Vol 4 Part E 7.8.27.
    package var states: UInt64 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("LE_States", &states)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.74 HCI_LE_Read_Transmit_Power. Reads the range of the transmit power.
package struct LEReadTransmitPower: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadTransmitPower

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// In dBm, -127...20.
    package var minimumTxPower: Int8 = 0
    /// In dBm, -127...20.
    package var maximumTxPower: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Min_TX_Power", &minimumTxPower)
      try fields.integer("Max_TX_Power", &maximumTxPower)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.75 HCI_LE_Read_RF_Path_Compensation. Reads the gain or loss between the radio and the antenna.
package struct LEReadRFPathCompensation: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadRFPathCompensation

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// In units of 0.1 dB, -1280...1280.
    package var txCompensation: Int16 = 0
    /// In units of 0.1 dB, -1280...1280.
    package var rxCompensation: Int16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("RF_TX_Path_Compensation", &txCompensation)
      try fields.integer("RF_RX_Path_Compensation", &rxCompensation)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.76 HCI_LE_Write_RF_Path_Compensation. Sets the gain or loss between the radio and the antenna.
package struct LEWriteRFPathCompensation: HCISyncCommand {
  package static let opcode = CommandOpcode.leWriteRFPathCompensation
  package typealias ReturnParameters = StatusReturn

  /// In units of 0.1 dB, -1280...1280.
  package var txCompensation: Int16 = 0
  /// In units of 0.1 dB, -1280...1280.
  package var rxCompensation: Int16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("RF_TX_Path_Compensation", &txCompensation)
    try fields.integer("RF_RX_Path_Compensation", &rxCompensation)
  }
}
