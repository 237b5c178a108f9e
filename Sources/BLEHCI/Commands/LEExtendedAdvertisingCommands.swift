// Extended advertising (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.52 HCI_LE_Set_Advertising_Set_Random_Address. Sets the random address of one advertising
/// set.
package struct LESetAdvertisingSetRandomAddress: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetAdvertisingSetRandomAddress
  package typealias ReturnParameters = StatusReturn

  /// The advertising set.
  package var advertisingHandle: UInt8 = 0
  /// The address, least significant octet first on the wire.
  package var address: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.address("Random_Address", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.53 HCI_LE_Set_Extended_Advertising_Parameters_[v1]. Creates or changes an advertising set.
package struct LESetExtendedAdvertisingParameters: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetExtendedAdvertisingParameters

  /// 0x00...0xEF.
  package var advertisingHandle: UInt8 = 0
  /// `Advertising_Event_Properties`.
  package var eventProperties: AdvertisingEventProperties = []
  /// `Primary_Advertising_Interval_Min`.
  package var primaryIntervalMinimum = AdvertisingInterval(rawValue: 0x0800)
  /// `Primary_Advertising_Interval_Max`.
  package var primaryIntervalMaximum = AdvertisingInterval(rawValue: 0x0800)
  /// `Primary_Advertising_Channel_Map`.
  package var primaryChannelMap: AdvertisingChannelMap = .all
  /// The type of the local address.
  package var ownAddressType = OwnAddressType(rawValue: 0)
  /// The type of the peer's address.
  package var peerAddressType = AddressType(rawValue: 0)
  /// The peer's address.
  package var peerAddress: DeviceAddress = .zero
  /// `Advertising_Filter_Policy`.
  package var filterPolicy = AdvertisingFilterPolicy(rawValue: 0)
  /// In dBm, -127...20; 127 leaves the choice to the controller.
  package var txPower: Int8 = 127
  /// `Primary_Advertising_PHY`.
  package var primaryPHY: PHY = .le1M
  /// `Secondary_Advertising_Max_Skip`.
  package var secondaryMaximumSkip: UInt8 = 0
  /// `Secondary_Advertising_PHY`.
  package var secondaryPHY: PHY = .le1M
  /// 0x00...0x0F.
  package var advertisingSID: UInt8 = 0
  /// `Scan_Request_Notification_Enable`.
  package var scanRequestNotification = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.flags("Advertising_Event_Properties", &eventProperties)
    try fields.interval24("Primary_Advertising_Interval_Min", &primaryIntervalMinimum)
    try fields.interval24("Primary_Advertising_Interval_Max", &primaryIntervalMaximum)
    try fields.flags("Primary_Advertising_Channel_Map", &primaryChannelMap)
    try fields.code("Own_Address_Type", &ownAddressType)
    try fields.code("Peer_Address_Type", &peerAddressType)
    try fields.address("Peer_Address", &peerAddress)
    try fields.code("Advertising_Filter_Policy", &filterPolicy)
    try fields.integer("Advertising_TX_Power", &txPower)
    try fields.code("Primary_Advertising_PHY", &primaryPHY)
    try fields.integer("Secondary_Advertising_Max_Skip", &secondaryMaximumSkip)
    try fields.code("Secondary_Advertising_PHY", &secondaryPHY)
    try fields.integer("Advertising_SID", &advertisingSID)
    try fields.boolean("Scan_Request_Notification_Enable", &scanRequestNotification)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// In dBm, -127...20.
    package var selectedTxPower: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Selected_TX_Power", &selectedTxPower)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.54 HCI_LE_Set_Extended_Advertising_Data. Sets the data of one advertising set, whole or
/// in fragments of at most 251 octets.
package struct LESetExtendedAdvertisingData: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetExtendedAdvertisingData
  package typealias ReturnParameters = StatusReturn

  /// The advertising set.
  package var advertisingHandle: UInt8 = 0
  /// `Operation`.
  package var operation: AdvertisingDataOperation = .complete
  /// `Fragment_Preference`.
  package var fragmentPreference: FragmentPreference = .shouldNotFragment
  /// `Advertising_Data`.
  package var data: [UInt8] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.code("Operation", &operation)
    try fields.code("Fragment_Preference", &fragmentPreference)
    try fields.counted("Advertising_Data", &data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.55 HCI_LE_Set_Extended_Scan_Response_Data. Sets the scan response of one advertising
/// set, whole or in fragments of at most 251 octets.
package struct LESetExtendedScanResponseData: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetExtendedScanResponseData
  package typealias ReturnParameters = StatusReturn

  /// The advertising set.
  package var advertisingHandle: UInt8 = 0
  /// `Operation`.
  package var operation: AdvertisingDataOperation = .complete
  /// `Fragment_Preference`.
  package var fragmentPreference: FragmentPreference = .shouldNotFragment
  /// `Scan_Response_Data`.
  package var data: [UInt8] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.code("Operation", &operation)
    try fields.code("Fragment_Preference", &fragmentPreference)
    try fields.counted("Scan_Response_Data", &data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.56 HCI_LE_Set_Extended_Advertising_Enable. Starts or stops advertising sets. Stopping without any named set
/// stops all sets.
package struct LESetExtendedAdvertisingEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetExtendedAdvertisingEnable
  package typealias ReturnParameters = StatusReturn

  /// Whether to enable it.
  package var enable = false
  /// The entries, preceded by a one-octet count.
  package var sets: [AdvertisingSetActivation] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Enable", &enable)
    try fields.countedList("Num_Sets", &sets)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.57 HCI_LE_Read_Maximum_Advertising_Data_Length. Reads the maximum data length of an advertising set.
package struct LEReadMaximumAdvertisingDataLength: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadMaximumAdvertisingDataLength

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// In octets, 31...1650.
    package var maximumLength: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Max_Advertising_Data_Length", &maximumLength)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.58 HCI_LE_Read_Number_Of_Supported_Advertising_Sets. Reads the number of advertising sets that the controller
/// supports.
package struct LEReadNumberOfSupportedAdvertisingSets: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadNumberOfSupportedAdvertisingSets

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Num_Supported_Advertising_Sets`.
    package var count: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Num_Supported_Advertising_Sets", &count)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.59 HCI_LE_Remove_Advertising_Set. Removes a stopped advertising set.
package struct LERemoveAdvertisingSet: HCISyncCommand {
  package static let opcode = CommandOpcode.leRemoveAdvertisingSet
  package typealias ReturnParameters = StatusReturn

  /// The advertising set.
  package var advertisingHandle: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.60 HCI_LE_Clear_Advertising_Sets. Removes all advertising sets, which must be stopped.
package struct LEClearAdvertisingSets: HCISyncCommand {
  package static let opcode = CommandOpcode.leClearAdvertisingSets
  package typealias ReturnParameters = StatusReturn

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}
