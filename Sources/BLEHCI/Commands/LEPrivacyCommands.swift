// Resolving list and privacy (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.38 HCI_LE_Add_Device_To_Resolving_List. Adds a peer's identity address and the identity resolving keys of both
/// sides.
package struct LEAddDeviceToResolvingList: HCISyncCommand {
  package static let opcode = CommandOpcode.leAddDeviceToResolvingList
  package typealias ReturnParameters = StatusReturn

  /// The type of the peer's identity address.
  package var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  package var peerIdentityAddress: DeviceAddress = .zero
  /// Least significant octet first. 16 octets.
  package var peerIRK: [UInt8] = Array(repeating: 0, count: 16)
  /// Least significant octet first. 16 octets.
  package var localIRK: [UInt8] = Array(repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
    try fields.octets("Peer_IRK", &peerIRK, count: 16)
    try fields.octets("Local_IRK", &localIRK, count: 16)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.39 HCI_LE_Remove_Device_From_Resolving_List. Removes a peer from the resolving list.
package struct LERemoveDeviceFromResolvingList: HCISyncCommand {
  package static let opcode = CommandOpcode.leRemoveDeviceFromResolvingList
  package typealias ReturnParameters = StatusReturn

  /// The type of the peer's identity address.
  package var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  package var peerIdentityAddress: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.40 HCI_LE_Clear_Resolving_List. Empties the resolving list.
package struct LEClearResolvingList: HCISyncCommand {
  package static let opcode = CommandOpcode.leClearResolvingList
  package typealias ReturnParameters = StatusReturn

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.8.41 HCI_LE_Read_Resolving_List_Size. Reads the size of the resolving list.
package struct LEReadResolvingListSize: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadResolvingListSize

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Resolving_List_Size`.
    package var size: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Resolving_List_Size", &size)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.42 HCI_LE_Read_Peer_Resolvable_Address. Reads a peer's current resolvable address.
package struct LEReadPeerResolvableAddress: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadPeerResolvableAddress

  /// The type of the peer's identity address.
  package var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  package var peerIdentityAddress: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The address, least significant octet first on the wire.
    package var address: DeviceAddress = .zero

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.address("Peer_Resolvable_Address", &address)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.43 HCI_LE_Read_Local_Resolvable_Address. Reads the current local resolvable address for a peer.
package struct LEReadLocalResolvableAddress: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadLocalResolvableAddress

  /// The type of the peer's identity address.
  package var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  package var peerIdentityAddress: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The address, least significant octet first on the wire.
    package var address: DeviceAddress = .zero

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.address("Local_Resolvable_Address", &address)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.44 HCI_LE_Set_Address_Resolution_Enable. Enables or disables address resolution in the controller.
package struct LESetAddressResolutionEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetAddressResolutionEnable
  package typealias ReturnParameters = StatusReturn

  /// Whether to enable it.
  package var enable = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Address_Resolution_Enable", &enable)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.45 HCI_LE_Set_Resolvable_Private_Address_Timeout. Sets the lifetime of a resolvable address.
package struct LESetResolvablePrivateAddressTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetResolvablePrivateAddressTimeout
  package typealias ReturnParameters = StatusReturn

  /// `RPA_Timeout`.
  package var timeout = RPATimeout(rawValue: 900)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("RPA_Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.77 HCI_LE_Set_Privacy_Mode. Sets whether a peer may also use its identity address.
package struct LESetPrivacyMode: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetPrivacyMode
  package typealias ReturnParameters = StatusReturn

  /// The type of the peer's identity address.
  package var peerIdentityAddressType = AddressType(rawValue: 0)
  /// The peer's identity address.
  package var peerIdentityAddress: DeviceAddress = .zero
  /// `Privacy_Mode`.
  package var privacyMode = PrivacyMode(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Peer_Identity_Address_Type", &peerIdentityAddressType)
    try fields.address("Peer_Identity_Address", &peerIdentityAddress)
    try fields.code("Privacy_Mode", &privacyMode)
  }
}
