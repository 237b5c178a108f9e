// LE Meta events about keys.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.65.5 HCI_LE_Long_Term_Key_Request. The central starts encryption and the controller
/// needs the key.
public struct LELongTermKeyRequest: LEMetaEvent {
  public static let subevent = LESubevent.leLongTermKeyRequest

  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero
  /// `Random_Number`.
  public var random: UInt64 = 0
  /// `Encrypted_Diversifier`.
  public var encryptedDiversifier: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Random_Number", &random)
    try fields.integer("Encrypted_Diversifier", &encryptedDiversifier)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.8 HCI_LE_Read_Local_P-256_Public_Key_Complete. The controller's P-256 public key.
public struct LEReadLocalP256PublicKeyComplete: LEMetaEvent {
  public static let subevent = LESubevent.leReadLocalP256PublicKeyComplete

  /// Whether it worked.
  public var status: ErrorCode = .success
  /// x then y, each least significant octet first. 64 octets.
  public var publicKey: [UInt8] = Array(repeating: 0, count: 64)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.octets("Key_X_Y_Coordinate", &publicKey, count: 64)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.9 HCI_LE_Generate_DHKey_Complete. The shared secret.
public struct LEGenerateDHKeyComplete: LEMetaEvent {
  public static let subevent = LESubevent.leGenerateDHKeyComplete

  /// Whether it worked.
  public var status: ErrorCode = .success
  /// Least significant octet first. 32 octets.
  public var dhKey: [UInt8] = Array(repeating: 0, count: 32)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.octets("DH_Key", &dhKey, count: 32)
  }
}
