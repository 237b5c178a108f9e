import BLECore

/// What both pairing packets say of their sender (Core 5.4 Vol 3 Part H 3.5.1, 3.5.2).
public struct PairingFeatures: OctetLayout, Hashable {
  /// A number of 2.3.2; others are reserved.
  public var ioCapability: UInt8 = 0
  /// 1 when it has the peer's out-of-band data, else 0.
  public var outOfBandFlag: UInt8 = 0
  /// AuthReq.
  public var requirements: PairingRequirements = []
  /// The longest key it takes, in octets.
  public var maximumKeySize: UInt8 = 0
  /// The keys of the initiator.
  public var initiatorKeys: KeyKinds = []
  /// The keys of the responder.
  public var responderKeys: KeyKinds = []

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("IO Capability", &ioCapability)
    try fields.integer("OOB Data Flag", &outOfBandFlag)
    try fields.flags("AuthReq", &requirements)
    try fields.integer("Maximum Encryption Key Size", &maximumKeySize)
    try fields.flags("Initiator Key Distribution", &initiatorKeys)
    try fields.flags("Responder Key Distribution", &responderKeys)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.1 Pairing Request
public struct PairingRequest: SMPPacket, Hashable {
  public static let code = SMPCode.pairingRequest
  /// The initiator's features.
  public var features = PairingFeatures()

  public init() {}

  /// A request.
  public init(_ features: PairingFeatures) { self.features = features }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&features)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.2 Pairing Response
public struct PairingResponse: SMPPacket, Hashable {
  public static let code = SMPCode.pairingResponse
  /// The responder's features.
  public var features = PairingFeatures()

  public init() {}

  /// A response.
  public init(_ features: PairingFeatures) { self.features = features }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&features)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.3 Pairing Confirm
public struct PairingConfirm: SMPPacket, Hashable {
  public static let code = SMPCode.pairingConfirm
  /// 16 octets.
  public var value: [UInt8] = []

  public init() {}

  /// A confirm value.
  public init(_ value: [UInt8]) { self.value = value }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Confirm Value", &value, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.4 Pairing Random
public struct PairingRandom: SMPPacket, Hashable {
  public static let code = SMPCode.pairingRandom
  /// 16 octets.
  public var value: [UInt8] = []

  public init() {}

  /// A random value.
  public init(_ value: [UInt8]) { self.value = value }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
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
public struct PairingPublicKey: SMPPacket, Hashable {
  public static let code = SMPCode.pairingPublicKey
  /// The sender's public key.
  public var key = PublicKey(x: [], y: [])

  public init() {}

  /// A public key.
  public init(_ key: PublicKey) { self.key = key }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Public Key X", &key.x, count: 32)
    try fields.octets("Public Key Y", &key.y, count: 32)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.7 Pairing DHKey Check
public struct PairingDHKeyCheck: SMPPacket, Hashable {
  public static let code = SMPCode.pairingDHKeyCheck
  /// 16 octets.
  public var value: [UInt8] = []

  public init() {}

  /// A check value.
  public init(_ value: [UInt8]) { self.value = value }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("DHKey Check", &value, count: 16)
  }
}

/// Core 5.4 Vol 3 Part H 3.5.8 Keypress Notification
public struct PairingKeypressNotification: SMPPacket, Hashable {
  public static let code = SMPCode.pairingKeypressNotification
  /// What the user did.
  public var keypress = Keypress(rawValue: 0)

  public init() {}

  /// A key.
  public init(_ keypress: Keypress) { self.keypress = keypress }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Notification Type", &keypress)
  }
}

/// Core 5.4 Vol 3 Part H 3.6.7 Security Request
public struct SecurityRequest: SMPPacket, Hashable {
  public static let code = SMPCode.securityRequest
  /// AuthReq.
  public var requirements: PairingRequirements = []

  public init() {}

  /// A request.
  public init(_ requirements: PairingRequirements) { self.requirements = requirements }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("AuthReq", &requirements)
  }
}
