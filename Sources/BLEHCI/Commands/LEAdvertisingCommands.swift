// Legacy advertising (OGF 0x08). One extended command latches the controller away from these until the next reset.

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.5 HCI_LE_Set_Advertising_Parameters. Sets how legacy advertising is done.
public struct LESetAdvertisingParameters: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetAdvertisingParameters
  public typealias ReturnParameters = StatusReturn

  /// `Advertising_Interval_Min`.
  public var intervalMinimum = AdvertisingInterval(rawValue: 0x0800)
  /// `Advertising_Interval_Max`.
  public var intervalMaximum = AdvertisingInterval(rawValue: 0x0800)
  /// `Advertising_Type`.
  public var advertisingType = AdvertisingType(rawValue: 0)
  /// The address that this side uses.
  public var ownAddressType = OwnAddressType(rawValue: 0)
  /// The kind of the peer's address.
  public var peerAddressType = AddressType(rawValue: 0)
  /// The peer.
  public var peerAddress: DeviceAddress = .zero
  /// `Advertising_Channel_Map`.
  public var channelMap: AdvertisingChannelMap = .all
  /// `Advertising_Filter_Policy`.
  public var filterPolicy = AdvertisingFilterPolicy(rawValue: 0)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.interval16("Advertising_Interval_Min", &intervalMinimum)
    try fields.interval16("Advertising_Interval_Max", &intervalMaximum)
    try fields.code("Advertising_Type", &advertisingType)
    try fields.code("Own_Address_Type", &ownAddressType)
    try fields.code("Peer_Address_Type", &peerAddressType)
    try fields.address("Peer_Address", &peerAddress)
    try fields.flags("Advertising_Channel_Map", &channelMap)
    try fields.code("Advertising_Filter_Policy", &filterPolicy)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.6 HCI_LE_Read_Advertising_Physical_Channel_Tx_Power. Reads the transmit power of legacy
/// advertising.
public struct LEReadAdvertisingPhysicalChannelTxPower: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadAdvertisingPhysicalChannelTxPower

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// In dBm, -127...20.
    public var txPowerLevel: Int8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("TX_Power_Level", &txPowerLevel)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.7 HCI_LE_Set_Advertising_Data. Sets the data of legacy advertising; always all 32
/// octets.
public struct LESetAdvertisingData: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetAdvertisingData
  public typealias ReturnParameters = StatusReturn

  /// `Advertising_Data`.
  public var data = LegacyAdvertisingData()

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.8 HCI_LE_Set_Scan_Response_Data. Sets the answer to legacy scan requests; always all 32
/// octets.
public struct LESetScanResponseData: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetScanResponseData
  public typealias ReturnParameters = StatusReturn

  /// `Scan_Response_Data`.
  public var data = LegacyAdvertisingData()

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.9 HCI_LE_Set_Advertising_Enable. Starts or stops legacy advertising.
public struct LESetAdvertisingEnable: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetAdvertisingEnable
  public typealias ReturnParameters = StatusReturn

  /// Whether it is to be on.
  public var enable = false

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Advertising_Enable", &enable)
  }
}
