// LE Controller commands (OGF 0x08) about the controller as a whole.

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.1 HCI_LE_Set_Event_Mask. Chooses which LE events the controller sends.
public struct LESetEventMask: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetEventMask
  public typealias ReturnParameters = StatusReturn

  /// The events wanted.
  public var eventMask: LEEventMask = .specificationDefault

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("LE_Event_Mask", &eventMask)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.2 HCI_LE_Read_Buffer_Size. Reads the controller's buffers for LE data, version 1.
public struct LEReadBufferSize: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadBufferSize

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// Octets of data in one ACL packet, without its header; 0 when the buffers are shared with BR/EDR.
    public var aclDataPacketLength: UInt16 = 0
    /// `Total_Num_LE_ACL_Data_Packets`.
    public var totalACLDataPackets: UInt8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("LE_ACL_Data_Packet_Length", &aclDataPacketLength)
      try fields.integer("Total_Num_LE_ACL_Data_Packets", &totalACLDataPackets)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.2 HCI_LE_Read_Buffer_Size_[v2]. Reads the controller's buffers for LE data, version 2.
public struct LEReadBufferSizeV2: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadBufferSizeV2

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// Octets of data in one ACL packet, without its header; 0 when the buffers are shared with BR/EDR.
    public var aclDataPacketLength: UInt16 = 0
    /// `Total_Num_LE_ACL_Data_Packets`.
    public var totalACLDataPackets: UInt8 = 0
    /// `ISO_Data_Packet_Length`.
    public var isoDataPacketLength: UInt16 = 0
    /// `Total_Num_ISO_Data_Packets`.
    public var totalISODataPackets: UInt8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("LE_ACL_Data_Packet_Length", &aclDataPacketLength)
      try fields.integer("Total_Num_LE_ACL_Data_Packets", &totalACLDataPackets)
      try fields.integer("ISO_Data_Packet_Length", &isoDataPacketLength)
      try fields.integer("Total_Num_ISO_Data_Packets", &totalISODataPackets)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.3 HCI_LE_Read_Local_Supported_Features. Reads the LE features of the controller.
public struct LEReadLocalSupportedFeatures: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadLocalSupportedFeatures

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// The features, one bit each.
    public var features: LEFeatures = []

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.flags("LE_Features", &features)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.4 HCI_LE_Set_Random_Address. Sets the random address; refused while it is in use.
public struct LESetRandomAddress: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetRandomAddress
  public typealias ReturnParameters = StatusReturn

  /// The address, least significant octet first on the wire.
  public var address: DeviceAddress = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("Random_Address", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.22 HCI_LE_Encrypt. Encrypts one block with AES-128. Octets least significant first.
public struct LEEncrypt: HCISyncCommand {
  public static let opcode = CommandOpcode.leEncrypt

  /// `Key`. 16 octets.
  public var key: [UInt8] = Array(repeating: 0, count: 16)
  /// `Plaintext_Data`. 16 octets.
  public var plaintext: [UInt8] = Array(repeating: 0, count: 16)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Key", &key, count: 16)
    try fields.octets("Plaintext_Data", &plaintext, count: 16)
  }

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// `Encrypted_Data`. 16 octets.
    public var encrypted: [UInt8] = Array(repeating: 0, count: 16)

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.octets("Encrypted_Data", &encrypted, count: 16)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.23 HCI_LE_Rand. Asks for 8 random octets.
public struct LERand: HCISyncCommand {
  public static let opcode = CommandOpcode.leRand

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// `Random_Number`.
    public var random: UInt64 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Random_Number", &random)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.27 HCI_LE_Read_Supported_States. Reads which states and roles the link layer can
/// combine.
public struct LEReadSupportedStates: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadSupportedStates

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// One bit per combination, Core 5.4 Vol 4 Part E 7.8.27.
    public var states: UInt64 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("LE_States", &states)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.74 HCI_LE_Read_Transmit_Power. Reads the range of transmit power.
public struct LEReadTransmitPower: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadTransmitPower

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// In dBm, -127...20.
    public var minimumTxPower: Int8 = 0
    /// In dBm, -127...20.
    public var maximumTxPower: Int8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Min_TX_Power", &minimumTxPower)
      try fields.integer("Max_TX_Power", &maximumTxPower)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.75 HCI_LE_Read_RF_Path_Compensation. Reads what the way between the radio and the antenna
/// takes or gives.
public struct LEReadRFPathCompensation: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadRFPathCompensation

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// In units of 0.1 dB, -1280...1280.
    public var txCompensation: Int16 = 0
    /// In units of 0.1 dB, -1280...1280.
    public var rxCompensation: Int16 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("RF_TX_Path_Compensation", &txCompensation)
      try fields.integer("RF_RX_Path_Compensation", &rxCompensation)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.76 HCI_LE_Write_RF_Path_Compensation. Tells the controller what the way between the radio
/// and the antenna takes or gives.
public struct LEWriteRFPathCompensation: HCISyncCommand {
  public static let opcode = CommandOpcode.leWriteRFPathCompensation
  public typealias ReturnParameters = StatusReturn

  /// In units of 0.1 dB, -1280...1280.
  public var txCompensation: Int16 = 0
  /// In units of 0.1 dB, -1280...1280.
  public var rxCompensation: Int16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("RF_TX_Path_Compensation", &txCompensation)
    try fields.integer("RF_RX_Path_Compensation", &rxCompensation)
  }
}
