// Link Control commands (OGF 0x01) of BR/EDR: keys and pairing.

import BLECore

/// Core 5.4 Vol 4 Part E 7.1.10 HCI_Link_Key_Request_Reply. Answers a Link Key Request with the stored key.
package struct HCILinkKeyRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.linkKeyRequestReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
  /// The key, least significant octet first.
  package var linkKey = [UInt8](repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.octets("Link_Key", &linkKey, count: 16)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.11 HCI_Link_Key_Request_Negative_Reply. Answers a Link Key Request: there is no key.
package struct HCILinkKeyRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.linkKeyRequestNegativeReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.12 HCI_PIN_Code_Request_Reply. Answers a PIN Code Request.
package struct HCIPINCodeRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.pinCodeRequestReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
  /// In octets, 1...16.
  package var length: UInt8 = 1
  /// The PIN, padded with zeros.
  package var pinCode = [UInt8](repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.integer("PIN_Code_Length", &length)
    try fields.octets("PIN_Code", &pinCode, count: 16)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.13 HCI_PIN_Code_Request_Negative_Reply. Answers a PIN Code Request: there is none.
package struct HCIPINCodeRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.pinCodeRequestNegativeReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.15 HCI_Authentication_Requested. Authenticates the peer, by pairing if there is no key. Authentication
/// Complete reports the result.
package struct HCIAuthenticationRequested: HCIAsyncCommand {
  package static let opcode = CommandOpcode.authenticationRequested

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.16 HCI_Set_Connection_Encryption. Switches encryption on or off. Encryption Change reports the result.
package struct HCISetConnectionEncryption: HCIAsyncCommand {
  package static let opcode = CommandOpcode.setConnectionEncryption

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// Whether the link is to be encrypted.
  package var isEnabled = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.boolean("Encryption_Enable", &isEnabled)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.17 HCI_Change_Connection_Link_Key. Makes a new key. Change Connection Link Key Complete reports the result.
package struct HCIChangeConnectionLinkKey: HCIAsyncCommand {
  package static let opcode = CommandOpcode.changeConnectionLinkKey

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.18 HCI_Link_Key_Selection. Selects the temporary key or the semi-permanent ones. Link Key Type Changed reports
/// the result.
package struct HCILinkKeySelection: HCIAsyncCommand {
  package static let opcode = CommandOpcode.linkKeySelection

  /// 0x00 for semi-permanent keys, 0x01 for the temporary key.
  package var keyFlag: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Key_Flag", &keyFlag)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.29 HCI_IO_Capability_Request_Reply. Answers an IO Capability Request.
package struct HCIIOCapabilityRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.ioCapabilityRequestReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
  /// What the user can see and enter.
  package var ioCapability = SimplePairingIOCapability.noInputNoOutput
  /// The out of band data that is there.
  package var oobData = OOBDataPresence.none
  /// The protection and the bonding to aim at.
  package var requirements = AuthenticationRequirements(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("IO_Capability", &ioCapability)
    try fields.code("OOB_Data_Present", &oobData)
    try fields.code("Authentication_Requirements", &requirements)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.36 HCI_IO_Capability_Request_Negative_Reply. Answers an IO Capability Request: no pairing.
package struct HCIIOCapabilityRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.ioCapabilityRequestNegativeReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
  /// The reason.
  package var reason = ErrorCode.pairingNotAllowed

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Reason", &reason)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.30 HCI_User_Confirmation_Request_Reply. Answers a User Confirmation Request: the numbers are equal.
package struct HCIUserConfirmationRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.userConfirmationRequestReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.31 HCI_User_Confirmation_Request_Negative_Reply. Answers a User Confirmation Request: the numbers differ.
package struct HCIUserConfirmationRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.userConfirmationRequestNegativeReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.32 HCI_User_Passkey_Request_Reply. Answers a User Passkey Request.
package struct HCIUserPasskeyRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.userPasskeyRequestReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
  /// The passkey that the user has entered.
  package var passkey = NumericValue(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Numeric_Value", &passkey)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.33 HCI_User_Passkey_Request_Negative_Reply. Answers a User Passkey Request: there is none.
package struct HCIUserPasskeyRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.userPasskeyRequestNegativeReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.34 HCI_Remote_OOB_Data_Request_Reply. Answers a Remote OOB Data Request with the peer's data.
package struct HCIRemoteOOBDataRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.remoteOOBDataRequestReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
  /// The commitment, for P-192.
  package var commitment = [UInt8](repeating: 0, count: 16)
  /// The random number, for P-192.
  package var random = [UInt8](repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.octets("C", &commitment, count: 16)
    try fields.octets("R", &random, count: 16)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.35 HCI_Remote_OOB_Data_Request_Negative_Reply. Answers a Remote OOB Data Request: there is none.
package struct HCIRemoteOOBDataRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.remoteOOBDataRequestNegativeReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.53 HCI_Remote_OOB_Extended_Data_Request_Reply. Answers a Remote OOB Data Request with the peer's data for both
/// curves.
package struct HCIRemoteOOBExtendedDataRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.remoteOOBExtendedDataRequestReply
  package typealias ReturnParameters = AddressReturn

  /// The peer.
  package var address = DeviceAddress.zero
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
    try fields.address("BD_ADDR", &address)
    try fields.octets("C_192", &commitment192, count: 16)
    try fields.octets("R_192", &random192, count: 16)
    try fields.octets("C_256", &commitment256, count: 16)
    try fields.octets("R_256", &random256, count: 16)
  }
}
