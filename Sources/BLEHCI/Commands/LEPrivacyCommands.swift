// Resolving list and privacy (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.38 HCI_LE_Add_Device_To_Resolving_List. Adds a peer's identity and both identity
/// resolving keys.
public struct LEAddDeviceToResolvingList: HCISyncCommand {
  public static let opcode = CommandOpcode.leAddDeviceToResolvingList
  public typealias ReturnParameters = StatusReturn

  /// The kind of the peer's identity address.
  public var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  public var peerIdentityAddress: DeviceAddress = .zero
  /// Least significant octet first. 16 octets.
  public var peerIRK: [UInt8] = Array(repeating: 0, count: 16)
  /// Least significant octet first. 16 octets.
  public var localIRK: [UInt8] = Array(repeating: 0, count: 16)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
    try fields.octets("Peer_IRK", &peerIRK, count: 16)
    try fields.octets("Local_IRK", &localIRK, count: 16)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.39 HCI_LE_Remove_Device_From_Resolving_List. Takes a peer off the resolving list.
public struct LERemoveDeviceFromResolvingList: HCISyncCommand {
  public static let opcode = CommandOpcode.leRemoveDeviceFromResolvingList
  public typealias ReturnParameters = StatusReturn

  /// The kind of the peer's identity address.
  public var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  public var peerIdentityAddress: DeviceAddress = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.40 HCI_LE_Clear_Resolving_List. Empties the resolving list.
public struct LEClearResolvingList: HCISyncCommand {
  public static let opcode = CommandOpcode.leClearResolvingList
  public typealias ReturnParameters = StatusReturn

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.8.41 HCI_LE_Read_Resolving_List_Size. Reads how many entries the resolving list can hold.
public struct LEReadResolvingListSize: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadResolvingListSize

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// `Resolving_List_Size`.
    public var size: UInt8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Resolving_List_Size", &size)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.42 HCI_LE_Read_Peer_Resolvable_Address. Reads the resolvable address that a peer uses
/// now.
public struct LEReadPeerResolvableAddress: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadPeerResolvableAddress

  /// The kind of the peer's identity address.
  public var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  public var peerIdentityAddress: DeviceAddress = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
  }

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// The address, least significant octet first on the wire.
    public var address: DeviceAddress = .zero

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.address("Peer_Resolvable_Address", &address)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.43 HCI_LE_Read_Local_Resolvable_Address. Reads the resolvable address used with a peer
/// now.
public struct LEReadLocalResolvableAddress: HCISyncCommand {
  public static let opcode = CommandOpcode.leReadLocalResolvableAddress

  /// The kind of the peer's identity address.
  public var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  public var peerIdentityAddress: DeviceAddress = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
  }

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// The address, least significant octet first on the wire.
    public var address: DeviceAddress = .zero

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.address("Local_Resolvable_Address", &address)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.44 HCI_LE_Set_Address_Resolution_Enable. Switches address resolution in the controller.
public struct LESetAddressResolutionEnable: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetAddressResolutionEnable
  public typealias ReturnParameters = StatusReturn

  /// Whether it is to be on.
  public var enable = false

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Address_Resolution_Enable", &enable)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.45 HCI_LE_Set_Resolvable_Private_Address_Timeout. Sets how long a resolvable address is
/// used.
public struct LESetResolvablePrivateAddressTimeout: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetResolvablePrivateAddressTimeout
  public typealias ReturnParameters = StatusReturn

  /// `RPA_Timeout`.
  public var timeout = RPATimeout(rawValue: 900)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("RPA_Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.77 HCI_LE_Set_Privacy_Mode. Sets whether a peer may also use its identity address.
public struct LESetPrivacyMode: HCISyncCommand {
  public static let opcode = CommandOpcode.leSetPrivacyMode
  public typealias ReturnParameters = StatusReturn

  /// The kind of the peer's identity address.
  public var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  public var peerIdentityAddress: DeviceAddress = .zero
  /// `Privacy_Mode`.
  public var privacyMode = PrivacyMode(rawValue: 0)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
    try fields.code("Privacy_Mode", &privacyMode)
  }
}
