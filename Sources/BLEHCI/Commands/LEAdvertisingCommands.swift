// Legacy advertising (OGF 0x08). After any extended command the controller refuses these until the next reset.

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.5 HCI_LE_Set_Advertising_Parameters. Sets the parameters of legacy advertising.
package struct LESetAdvertisingParameters: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetAdvertisingParameters
  package typealias ReturnParameters = StatusReturn

  /// `Advertising_Interval_Min`.
  package var intervalMinimum = AdvertisingInterval(rawValue: 0x0800)
  /// `Advertising_Interval_Max`.
  package var intervalMaximum = AdvertisingInterval(rawValue: 0x0800)
  /// `Advertising_Type`.
  package var advertisingType = AdvertisingType(rawValue: 0)
  /// The type of the local address.
  package var ownAddressType = OwnAddressType(rawValue: 0)
  /// The type of the peer's address.
  package var peerAddressType = AddressType(rawValue: 0)
  /// The peer's address.
  package var peerAddress: DeviceAddress = .zero
  /// `Advertising_Channel_Map`.
  package var channelMap: AdvertisingChannelMap = .all
  /// `Advertising_Filter_Policy`.
  package var filterPolicy = AdvertisingFilterPolicy(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
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
package struct LEReadAdvertisingPhysicalChannelTxPower: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadAdvertisingPhysicalChannelTxPower

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// In dBm, -127...20.
    package var txPowerLevel: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("TX_Power_Level", &txPowerLevel)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.7 HCI_LE_Set_Advertising_Data. Sets the data of legacy advertising, always in 32 octets.
package struct LESetAdvertisingData: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetAdvertisingData
  package typealias ReturnParameters = StatusReturn

  /// `Advertising_Data`.
  package var data = LegacyAdvertisingData()

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.8 HCI_LE_Set_Scan_Response_Data. Sets the response to legacy scan requests, always in 32 octets.
package struct LESetScanResponseData: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetScanResponseData
  package typealias ReturnParameters = StatusReturn

  /// `Scan_Response_Data`.
  package var data = LegacyAdvertisingData()

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.9 HCI_LE_Set_Advertising_Enable. Starts or stops legacy advertising.
package struct LESetAdvertisingEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetAdvertisingEnable
  package typealias ReturnParameters = StatusReturn

  /// Whether to enable it.
  package var enable = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Advertising_Enable", &enable)
  }
}
