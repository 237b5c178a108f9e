// Events about links of any kind.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.5 HCI_Disconnection_Complete. A connection is over.
public struct HCIDisconnectionComplete: HCIEvent {
  public static let code = EventCode.disconnectionComplete

  /// Whether it worked.
  public var status: ErrorCode = .success
  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero
  /// Why.
  public var reason: ErrorCode = .success

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Reason", &reason)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.8 HCI_Encryption_Change_[v1]. Encryption was switched, or could not be.
public struct HCIEncryptionChange: HCIEvent {
  public static let code = EventCode.encryptionChange

  /// Whether it worked.
  public var status: ErrorCode = .success
  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero
  /// `Encryption_Enabled`.
  public var encryption = EncryptionState(rawValue: 0)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Encryption_Enabled", &encryption)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.8 HCI_Encryption_Change_[v2]. Encryption was switched, or could not be; with the size of
/// the key.
public struct HCIEncryptionChangeV2: HCIEvent {
  public static let code = EventCode.encryptionChangeV2

  /// Whether it worked.
  public var status: ErrorCode = .success
  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero
  /// `Encryption_Enabled`.
  public var encryption = EncryptionState(rawValue: 0)
  /// In octets, 7...16.
  public var keySize: UInt8 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Encryption_Enabled", &encryption)
    try fields.integer("Encryption_Key_Size", &keySize)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.12 HCI_Read_Remote_Version_Information_Complete. The version of the peer's link layer.
public struct HCIReadRemoteVersionInformationComplete: HCIEvent {
  public static let code = EventCode.readRemoteVersionInformationComplete

  /// Whether it worked.
  public var status: ErrorCode = .success
  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero
  /// `Version`.
  public var version = CoreVersion(rawValue: 0)
  /// `Company_Identifier`.
  public var manufacturer = ControllerManufacturer(rawValue: 0)
  /// `Subversion`.
  public var subversion: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Version", &version)
    try fields.code("Company_Identifier", &manufacturer)
    try fields.integer("Subversion", &subversion)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.39 HCI_Encryption_Key_Refresh_Complete. The key of an encrypted link was changed.
public struct HCIEncryptionKeyRefreshComplete: HCIEvent {
  public static let code = EventCode.encryptionKeyRefreshComplete

  /// Whether it worked.
  public var status: ErrorCode = .success
  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.75 HCI_Authenticated_Payload_Timeout_Expired. An encrypted link went too long without an
/// authenticated packet.
public struct HCIAuthenticatedPayloadTimeoutExpired: HCIEvent {
  public static let code = EventCode.authenticatedPayloadTimeoutExpired

  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}
