// LE Meta events about keys.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.65.5 HCI_LE_Long_Term_Key_Request. The central starts encryption and the controller
/// needs the key.
package struct LELongTermKeyRequest: LEMetaEvent {
  package static let subevent = LESubevent.leLongTermKeyRequest

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Random_Number`.
  package var random: UInt64 = 0
  /// `Encrypted_Diversifier`.
  package var encryptedDiversifier: UInt16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Random_Number", &random)
    try fields.integer("Encrypted_Diversifier", &encryptedDiversifier)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.8 HCI_LE_Read_Local_P-256_Public_Key_Complete. The controller's P-256 public key.
package struct LEReadLocalP256PublicKeyComplete: LEMetaEvent {
  package static let subevent = LESubevent.leReadLocalP256PublicKeyComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// x then y, each least significant octet first. 64 octets.
  package var publicKey: [UInt8] = Array(repeating: 0, count: 64)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.octets("Key_X_Y_Coordinate", &publicKey, count: 64)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.9 HCI_LE_Generate_DHKey_Complete. The shared secret.
package struct LEGenerateDHKeyComplete: LEMetaEvent {
  package static let subevent = LESubevent.leGenerateDHKeyComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// Least significant octet first. 32 octets.
  package var dhKey: [UInt8] = Array(repeating: 0, count: 32)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.octets("DH_Key", &dhKey, count: 32)
  }
}
