// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// What both pairing packets say of their sender (Core 5.4 Vol 3 Part H 3.5.1, 3.5.2).
package struct PairingFeatures: OctetLayout, Hashable {
  /// A number of 2.3.2; others are reserved.
  package var ioCapability: UInt8 = 0
  /// 1 when it has the peer's out-of-band data, else 0.
  package var outOfBandFlag: UInt8 = 0
  /// AuthReq.
  package var requirements: PairingRequirements = []
  /// The longest key it takes, in octets.
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

/// Core 5.4 Vol 3 Part H 3.5.1 Pairing Request
package struct PairingRequest: SMPPacket, Hashable {
  package static let code = SMPCode.pairingRequest
  /// The initiator's features.
  package var features = PairingFeatures()

  package init() {}

  /// A request.
  package init(_ features: PairingFeatures) { self.features = features }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&features)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.2 Pairing Response
package struct PairingResponse: SMPPacket, Hashable {
  package static let code = SMPCode.pairingResponse
  /// The responder's features.
  package var features = PairingFeatures()

  package init() {}

  /// A response.
  package init(_ features: PairingFeatures) { self.features = features }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&features)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.3 Pairing Confirm
package struct PairingConfirm: SMPPacket, Hashable {
  package static let code = SMPCode.pairingConfirm
  /// 16 octets.
  package var value: [UInt8] = []

  package init() {}

  /// A confirm value.
  package init(_ value: [UInt8]) { self.value = value }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Confirm Value", &value, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.4 Pairing Random
package struct PairingRandom: SMPPacket, Hashable {
  package static let code = SMPCode.pairingRandom
  /// 16 octets.
  package var value: [UInt8] = []

  package init() {}

  /// A random value.
  package init(_ value: [UInt8]) { self.value = value }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Random Value", &value, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.5 Pairing Failed
public struct PairingFailed: SMPPacket, Hashable {
  public static let code = SMPCode.pairingFailed
  /// Why.
  public var reason = Reason(rawValue: 0)

  public init() {}

  /// A failure for that reason.
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
  }
}

/// Core 5.4 Vol 3 Part H 3.5.6 Pairing Public Key
package struct PairingPublicKey: SMPPacket, Hashable {
  package static let code = SMPCode.pairingPublicKey
  /// The sender's public key.
  package var key = PublicKey(x: [], y: [])

  package init() {}

  /// A public key.
  package init(_ key: PublicKey) { self.key = key }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Public Key X", &key.x, count: 32)
    try fields.octets("Public Key Y", &key.y, count: 32)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.7 Pairing DHKey Check
package struct PairingDHKeyCheck: SMPPacket, Hashable {
  package static let code = SMPCode.pairingDHKeyCheck
  /// 16 octets.
  package var value: [UInt8] = []

  package init() {}

  /// A check value.
  package init(_ value: [UInt8]) { self.value = value }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("DHKey Check", &value, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.8 Keypress Notification
package struct PairingKeypressNotification: SMPPacket, Hashable {
  package static let code = SMPCode.pairingKeypressNotification
  /// What the user did.
  package var keypress = Keypress(rawValue: 0)

  package init() {}

  /// A key.
  package init(_ keypress: Keypress) { self.keypress = keypress }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Notification Type", &keypress)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.7 Security Request
package struct SecurityRequest: SMPPacket, Hashable {
  package static let code = SMPCode.securityRequest
  /// AuthReq.
  package var requirements: PairingRequirements = []

  package init() {}

  /// A request.
  package init(_ requirements: PairingRequirements) { self.requirements = requirements }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("AuthReq", &requirements)
  }
}
