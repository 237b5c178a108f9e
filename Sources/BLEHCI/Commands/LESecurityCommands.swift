// Encryption and key agreement (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.24 HCI_LE_Enable_Encryption. Starts encryption, as the central.
package struct LEEnableEncryption: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leEnableEncryption

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Random_Number`.
  package var random: UInt64 = 0
  /// `Encrypted_Diversifier`.
  package var encryptedDiversifier: UInt16 = 0
  /// Least significant octet first. 16 octets.
  package var longTermKey: [UInt8] = Array(repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Random_Number", &random)
    try fields.integer("Encrypted_Diversifier", &encryptedDiversifier)
    try fields.octets("Long_Term_Key", &longTermKey, count: 16)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.25 HCI_LE_Long_Term_Key_Request_Reply. Provides the key that the controller requested.
package struct LELongTermKeyRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.leLongTermKeyRequestReply
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// Least significant octet first. 16 octets.
  package var longTermKey: [UInt8] = Array(repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.octets("Long_Term_Key", &longTermKey, count: 16)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.26 HCI_LE_Long_Term_Key_Request_Negative_Reply. Reports that there is no key.
package struct LELongTermKeyRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.leLongTermKeyRequestNegativeReply
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.36 HCI_LE_Read_Local_P-256_Public_Key. Generates a new P-256 key pair in the controller and reads its public
/// key.
package struct LEReadLocalP256PublicKey: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leReadLocalP256PublicKey

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.8.37 HCI_LE_Generate_DHKey_[v1]. Computes the shared secret with the controller's private
/// key.
package struct LEGenerateDHKey: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leGenerateDHKey

  /// x then y, each least significant octet first. 64 octets.
  package var remotePublicKey: [UInt8] = Array(repeating: 0, count: 64)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Key_X_Y_Coordinate", &remotePublicKey, count: 64)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.37 HCI_LE_Generate_DHKey_[v2]. Computes the shared secret with the controller's private
/// key, or with the debug key.
package struct LEGenerateDHKeyV2: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leGenerateDHKeyV2

  /// x then y, each least significant octet first. 64 octets.
  package var remotePublicKey: [UInt8] = Array(repeating: 0, count: 64)
  /// 0x00 for the generated private key, 0x01 for the debug key.
  package var keyType: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Key_X_Y_Coordinate", &remotePublicKey, count: 64)
    try fields.integer("Key_Type", &keyType)
  }
}
