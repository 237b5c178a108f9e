// Events of BR/EDR: keys and pairing.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.6 HCI_Authentication_Complete. The peer is authenticated, or not.
package struct HCIAuthenticationComplete: HCIEvent {
  package static let code = EventCode.authenticationComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.9 HCI_Change_Connection_Link_Key_Complete. A connection has a new key, or not.
package struct HCIChangeConnectionLinkKeyComplete: HCIEvent {
  package static let code = EventCode.changeConnectionLinkKeyComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.10 HCI_Link_Key_Type_Changed. A connection uses the temporary key or its own one.
package struct HCILinkKeyTypeChanged: HCIEvent {
  package static let code = EventCode.linkKeyTypeChanged

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// 0x00 for semi-permanent keys, 0x01 for the temporary key.
  package var keyFlag: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Key_Flag", &keyFlag)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.21 HCI_Return_Link_Keys. Keys that the controller has stored. The key itself is not told.
package struct HCIReturnLinkKeys: HCIEvent {
  package static let code = EventCode.returnLinkKeys

  /// The keys, preceded by a one-octet count.
  package var keys: [StoredLinkKey] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Keys", &keys)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.22 HCI_PIN_Code_Request. Pairing needs a PIN.
package struct HCIPINCodeRequest: HCIEvent {
  package static let code = EventCode.pinCodeRequest

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.23 HCI_Link_Key_Request. Authentication needs the stored key.
package struct HCILinkKeyRequest: HCIEvent {
  package static let code = EventCode.linkKeyRequest

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.24 HCI_Link_Key_Notification. Pairing has made a key, to be stored.
package struct HCILinkKeyNotification: HCIEvent {
  package static let code = EventCode.linkKeyNotification

  /// The peer.
  package var address = DeviceAddress.zero
  /// The key, least significant octet first.
  package var linkKey = [UInt8](repeating: 0, count: 16)
  /// How it was made.
  package var type = LinkKeyType.combination

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.octets("Link_Key", &linkKey, count: 16)
    try fields.code("Key_Type", &type)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.40 HCI_IO_Capability_Request. Pairing needs the host's capabilities.
package struct HCIIOCapabilityRequest: HCIEvent {
  package static let code = EventCode.ioCapabilityRequest

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.41 HCI_IO_Capability_Response. Pairing has begun with the peer's capabilities.
package struct HCIIOCapabilityResponse: HCIEvent {
  package static let code = EventCode.ioCapabilityResponse

  /// The peer.
  package var address = DeviceAddress.zero
  /// What the user can see and enter.
  package var ioCapability = SimplePairingIOCapability.noInputNoOutput
  /// The out of band data that the peer has.
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

/// Core 5.4 Vol 4 Part E 7.7.42 HCI_User_Confirmation_Request. Pairing needs the user to compare two numbers.
package struct HCIUserConfirmationRequest: HCIEvent {
  package static let code = EventCode.userConfirmationRequest

  /// The peer.
  package var address = DeviceAddress.zero
  /// The number to show.
  package var number = NumericValue(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Numeric_Value", &number)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.43 HCI_User_Passkey_Request. Pairing needs the user to enter a passkey.
package struct HCIUserPasskeyRequest: HCIEvent {
  package static let code = EventCode.userPasskeyRequest

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.48 HCI_User_Passkey_Notification. Pairing needs the user to enter a passkey on the peer.
package struct HCIUserPasskeyNotification: HCIEvent {
  package static let code = EventCode.userPasskeyNotification

  /// The peer.
  package var address = DeviceAddress.zero
  /// The passkey to show.
  package var passkey = NumericValue(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Passkey", &passkey)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.49 HCI_Keypress_Notification. The user of the peer enters a passkey.
package struct HCIKeypressNotification: HCIEvent {
  package static let code = EventCode.keypressNotification

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

/// Core 5.4 Vol 4 Part E 7.7.44 HCI_Remote_OOB_Data_Request. Pairing needs the peer's out of band data.
package struct HCIRemoteOOBDataRequest: HCIEvent {
  package static let code = EventCode.remoteOOBDataRequest

  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.45 HCI_Simple_Pairing_Complete. Pairing has ended.
package struct HCISimplePairingComplete: HCIEvent {
  package static let code = EventCode.simplePairingComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The peer.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.address("BD_ADDR", &address)
  }
}
