// Events about links of any kind.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.5 HCI_Disconnection_Complete. A connection has ended.
package struct HCIDisconnectionComplete: HCIEvent {
  package static let code = EventCode.disconnectionComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// The reason.
  package var reason: ErrorCode = .success

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Reason", &reason)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.8 HCI_Encryption_Change_[v1]. Encryption was switched on or off, or this failed.
package struct HCIEncryptionChange: HCIEvent {
  package static let code = EventCode.encryptionChange

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Encryption_Enabled`.
  package var encryption = EncryptionState(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Encryption_Enabled", &encryption)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.8 HCI_Encryption_Change_[v2]. Encryption was switched on or off, or this failed; with the key size.
package struct HCIEncryptionChangeV2: HCIEvent {
  package static let code = EventCode.encryptionChangeV2

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Encryption_Enabled`.
  package var encryption = EncryptionState(rawValue: 0)
  /// In octets, 7...16.
  package var keySize: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Encryption_Enabled", &encryption)
    try fields.integer("Encryption_Key_Size", &keySize)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.12 HCI_Read_Remote_Version_Information_Complete. The version of the peer's link layer.
package struct HCIReadRemoteVersionInformationComplete: HCIEvent {
  package static let code = EventCode.readRemoteVersionInformationComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Version`.
  package var version = CoreVersion(rawValue: 0)
  /// `Company_Identifier`.
  package var manufacturer = ControllerManufacturer(rawValue: 0)
  /// `Subversion`.
  package var subversion: UInt16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Version", &version)
    try fields.code("Company_Identifier", &manufacturer)
    try fields.integer("Subversion", &subversion)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.39 HCI_Encryption_Key_Refresh_Complete. The key of an encrypted link has changed.
package struct HCIEncryptionKeyRefreshComplete: HCIEvent {
  package static let code = EventCode.encryptionKeyRefreshComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.75 HCI_Authenticated_Payload_Timeout_Expired. No authenticated packet arrived on an encrypted link within the
/// timeout.
package struct HCIAuthenticatedPayloadTimeoutExpired: HCIEvent {
  package static let code = EventCode.authenticatedPayloadTimeoutExpired

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}
