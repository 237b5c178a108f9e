// Extended advertising (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.52 HCI_LE_Set_Advertising_Set_Random_Address. Sets the random address of one advertising
/// set.
public struct LESetAdvertisingSetRandomAddress: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetAdvertisingSetRandomAddress
  public typealias ReturnParameters = StatusReturn

  /// The advertising set.
  public var advertisingHandle: UInt8 = 0
  /// The address, least significant octet first on the wire.
  public var address: DeviceAddress = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.address("Random_Address", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.53 HCI_LE_Set_Extended_Advertising_Parameters_[v1]. Makes or changes an advertising set.
public struct LESetExtendedAdvertisingParameters: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetExtendedAdvertisingParameters

  /// 0x00...0xEF.
  public var advertisingHandle: UInt8 = 0
  /// `Advertising_Event_Properties`.
  public var eventProperties: AdvertisingEventProperties = []
  /// `Primary_Advertising_Interval_Min`.
  public var primaryIntervalMinimum = AdvertisingInterval(rawValue: 0x0800)
  /// `Primary_Advertising_Interval_Max`.
  public var primaryIntervalMaximum = AdvertisingInterval(rawValue: 0x0800)
  /// `Primary_Advertising_Channel_Map`.
  public var primaryChannelMap: AdvertisingChannelMap = .all
  /// The address that this side uses.
  public var ownAddressType = OwnAddressType(rawValue: 0)
  /// The kind of the peer's address.
  public var peerAddressType = AddressType(rawValue: 0)
  /// The peer.
  public var peerAddress: DeviceAddress = .zero
  /// `Advertising_Filter_Policy`.
  public var filterPolicy = AdvertisingFilterPolicy(rawValue: 0)
  /// In dBm, -127...20; 127 leaves it to the controller.
  public var txPower: Int8 = 127
  /// `Primary_Advertising_PHY`.
  public var primaryPHY: PHY = .le1M
  /// `Secondary_Advertising_Max_Skip`.
  public var secondaryMaximumSkip: UInt8 = 0
  /// `Secondary_Advertising_PHY`.
  public var secondaryPHY: PHY = .le1M
  /// 0x00...0x0F.
  public var advertisingSID: UInt8 = 0
  /// `Scan_Request_Notification_Enable`.
  public var scanRequestNotification = false

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
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

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// In dBm, -127...20.
    public var selectedTxPower: Int8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Selected_TX_Power", &selectedTxPower)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.54 HCI_LE_Set_Extended_Advertising_Data. Sets the data of one advertising set, whole or
/// in fragments of at most 251 octets.
public struct LESetExtendedAdvertisingData: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetExtendedAdvertisingData
  public typealias ReturnParameters = StatusReturn

  /// The advertising set.
  public var advertisingHandle: UInt8 = 0
  /// `Operation`.
  public var operation: AdvertisingDataOperation = .complete
  /// `Fragment_Preference`.
  public var fragmentPreference: FragmentPreference = .shouldNotFragment
  /// `Advertising_Data`.
  public var data: [UInt8] = []

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.code("Operation", &operation)
    try fields.code("Fragment_Preference", &fragmentPreference)
    try fields.counted("Advertising_Data", &data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.55 HCI_LE_Set_Extended_Scan_Response_Data. Sets the scan response of one advertising
/// set, whole or in fragments of at most 251 octets.
public struct LESetExtendedScanResponseData: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetExtendedScanResponseData
  public typealias ReturnParameters = StatusReturn

  /// The advertising set.
  public var advertisingHandle: UInt8 = 0
  /// `Operation`.
  public var operation: AdvertisingDataOperation = .complete
  /// `Fragment_Preference`.
  public var fragmentPreference: FragmentPreference = .shouldNotFragment
  /// `Scan_Response_Data`.
  public var data: [UInt8] = []

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.code("Operation", &operation)
    try fields.code("Fragment_Preference", &fragmentPreference)
    try fields.counted("Scan_Response_Data", &data)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.56 HCI_LE_Set_Extended_Advertising_Enable. Starts or stops advertising sets; stopping
/// with no sets named stops all.
public struct LESetExtendedAdvertisingEnable: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetExtendedAdvertisingEnable
  public typealias ReturnParameters = StatusReturn

  /// Whether it is to be on.
  public var enable = false
  /// The entries, behind a count of one octet.
  public var sets: [AdvertisingSetActivation] = []

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Enable", &enable)
    try fields.countedList("Num_Sets", &sets)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.57 HCI_LE_Read_Maximum_Advertising_Data_Length. Reads how much data an advertising set
/// can hold.
public struct LEReadMaximumAdvertisingDataLength: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadMaximumAdvertisingDataLength

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// In octets, 31...1650.
    public var maximumLength: UInt16 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Max_Advertising_Data_Length", &maximumLength)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.58 HCI_LE_Read_Number_Of_Supported_Advertising_Sets. Reads how many advertising sets the
/// controller can have.
public struct LEReadNumberOfSupportedAdvertisingSets: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadNumberOfSupportedAdvertisingSets

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// `Num_Supported_Advertising_Sets`.
    public var count: UInt8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Num_Supported_Advertising_Sets", &count)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.59 HCI_LE_Remove_Advertising_Set. Forgets a stopped advertising set.
public struct LERemoveAdvertisingSet: HCISyncCommand {
  public static let opcode = CommandOpcode.leRemoveAdvertisingSet
  public typealias ReturnParameters = StatusReturn

  /// The advertising set.
  public var advertisingHandle: UInt8 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.60 HCI_LE_Clear_Advertising_Sets. Forgets all advertising sets, which must be stopped.
public struct LEClearAdvertisingSets: HCISyncCommand {
  public static let opcode = CommandOpcode.leClearAdvertisingSets
  public typealias ReturnParameters = StatusReturn

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}
