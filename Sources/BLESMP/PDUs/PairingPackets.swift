// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore
import BLECryptography

/// The common fields of both pairing packets, about their sender (Core 5.4 Vol 3 Part H 3.5.1, 3.5.2).
package struct PairingFeatures: OctetLayout, Hashable {
  /// A number of 2.3.2; others are reserved.
  package var ioCapability: UInt8 = 0
  /// 1 if it has the peer's out-of-band data, else 0.
  package var outOfBandFlag: UInt8 = 0
  /// AuthReq.
  package var requirements: PairingRequirements = []
  /// The maximum key size that it accepts, in octets.
  package var maximumKeySize: UInt8 = 0
  /// The keys of the initiator.
  package var initiatorKeys: KeyKinds = []
  /// The keys of the responder.
  package var responderKeys: KeyKinds = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("IO Capability", &ioCapability)
    try fields.integer("OOB Data Flag", &outOfBandFlag)
    try fields.flags("AuthReq", &requirements)
    try fields.integer("Maximum Encryption Key Size", &maximumKeySize)
    try fields.flags("Initiator Key Distribution", &initiatorKeys)
    try fields.flags("Responder Key Distribution", &responderKeys)
  }
}

/// Pairing Request (Core 5.4 Vol 3 Part H 3.5.1).
package struct PairingRequest: SMPPacket, Hashable {
  package static let code = SMPCode.pairingRequest
  /// The initiator's features.
  package var features = PairingFeatures()

  package init() {}

  /// Creates a request.
  package init(_ features: PairingFeatures) { self.features = features }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&features)
  }
}

/// Pairing Response (Core 5.4 Vol 3 Part H 3.5.2).
package struct PairingResponse: SMPPacket, Hashable {
  package static let code = SMPCode.pairingResponse
  /// The responder's features.
  package var features = PairingFeatures()

  package init() {}

  /// Creates a response.
  package init(_ features: PairingFeatures) { self.features = features }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&features)
  }
}

/// Pairing Confirm (Core 5.4 Vol 3 Part H 3.5.3).
package struct PairingConfirm: SMPPacket, Hashable {
  package static let code = SMPCode.pairingConfirm
  /// 16 octets.
  package var value: [UInt8] = []

  package init() {}

  /// Creates the packet with a confirm value.
  package init(_ value: [UInt8]) { self.value = value }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Confirm Value", &value, count: 16)
  }
}

/// Pairing Random (Core 5.4 Vol 3 Part H 3.5.4).
package struct PairingRandom: SMPPacket, Hashable {
  package static let code = SMPCode.pairingRandom
  /// 16 octets.
  package var value: [UInt8] = []

  package init() {}

  /// Creates the packet with a random value.
  package init(_ value: [UInt8]) { self.value = value }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Random Value", &value, count: 16)
  }
}

/// Pairing Failed (Core 5.4 Vol 3 Part H 3.5.5).
public struct PairingFailed: SMPPacket, Hashable {
  public static let code = SMPCode.pairingFailed
  /// The reason.
  public var reason = Reason(rawValue: 0)

  public init() {}

  /// Creates a failure with this reason.
  public init(reason: Reason) { self.reason = reason }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Reason", &reason)
  }

  /// The reasons.
  public struct Reason: OpenCode, Error {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let passkeyEntryFailed = Reason(rawValue: 0x01)
    public static let outOfBandNotAvailable = Reason(rawValue: 0x02)
    public static let authenticationRequirements = Reason(rawValue: 0x03)
    public static let confirmValueFailed = Reason(rawValue: 0x04)
    public static let pairingNotSupported = Reason(rawValue: 0x05)
    public static let encryptionKeySize = Reason(rawValue: 0x06)
    public static let commandNotSupported = Reason(rawValue: 0x07)
    public static let unspecifiedReason = Reason(rawValue: 0x08)
    public static let repeatedAttempts = Reason(rawValue: 0x09)
    public static let invalidParameters = Reason(rawValue: 0x0A)
    public static let dhKeyCheckFailed = Reason(rawValue: 0x0B)
    public static let numericComparisonFailed = Reason(rawValue: 0x0C)
    public static let brEDRPairingInProgress = Reason(rawValue: 0x0D)
    public static let crossTransportNotAllowed = Reason(rawValue: 0x0E)
    public static let keyRejected = Reason(rawValue: 0x0F)

    /// The name in the specification; nil for a reason that it does not assign.
    package var name: String? { Self.names[rawValue] }

    private static let names: [UInt8: String] = [
      0x01: "Passkey Entry Failed", 0x02: "OOB Not Available", 0x03: "Authentication Requirements",
      0x04: "Confirm Value Failed", 0x05: "Pairing Not Supported", 0x06: "Encryption Key Size",
      0x07: "Command Not Supported", 0x08: "Unspecified Reason", 0x09: "Repeated Attempts", 0x0A: "Invalid Parameters",
      0x0B: "DHKey Check Failed", 0x0C: "Numeric Comparison Failed", 0x0D: "BR/EDR Pairing In Progress",
      0x0E: "Cross-transport Key Derivation/Generation Not Allowed", 0x0F: "Key Rejected", 0x10: "Busy",
    ]
  }
}

extension PairingFailed.Reason: CustomStringConvertible {
  /// The reason's name in the specification with its number, for example `Key Rejected (0x0F)`.
  public var description: String {
    (name ?? "Pairing Failed") + " (0x\([rawValue].uppercaseHexadecimal))"
  }
}

/// Pairing Public Key (Core 5.4 Vol 3 Part H 3.5.6).
package struct PairingPublicKey: SMPPacket, Hashable {
  package static let code = SMPCode.pairingPublicKey
  /// The sender's public key.
  package var key = PublicKey(x: [], y: [])

  package init() {}

  /// Creates the packet with a public key.
  package init(_ key: PublicKey) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Public Key X", &key.x, count: 32)
    try fields.octets("Public Key Y", &key.y, count: 32)
  }
}

/// Pairing DHKey Check (Core 5.4 Vol 3 Part H 3.5.7).
package struct PairingDHKeyCheck: SMPPacket, Hashable {
  package static let code = SMPCode.pairingDHKeyCheck
  /// 16 octets.
  package var value: [UInt8] = []

  package init() {}

  /// Creates the packet with a check value.
  package init(_ value: [UInt8]) { self.value = value }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("DHKey Check", &value, count: 16)
  }
}

/// Keypress Notification (Core 5.4 Vol 3 Part H 3.5.8).
package struct PairingKeypressNotification: SMPPacket, Hashable {
  package static let code = SMPCode.pairingKeypressNotification
  /// The user's action.
  package var keypress = Keypress(rawValue: 0)

  package init() {}

  /// Creates the packet with a keypress.
  package init(_ keypress: Keypress) { self.keypress = keypress }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Notification Type", &keypress)
  }
}

/// Security Request (Core 5.4 Vol 3 Part H 3.6.7).
package struct SecurityRequest: SMPPacket, Hashable {
  package static let code = SMPCode.securityRequest
  /// AuthReq.
  package var requirements: PairingRequirements = []

  package init() {}

  /// Creates a request.
  package init(_ requirements: PairingRequirements) { self.requirements = requirements }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("AuthReq", &requirements)
  }
}
