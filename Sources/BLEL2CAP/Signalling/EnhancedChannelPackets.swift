// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

extension ChannelID: OctetLayout {
  public init() { self.init(rawValue: 0) }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("CID", &rawValue)
  }
}

/// Core 5.4 Vol 3 Part A 4.25 L2CAP_CREDIT_BASED_CONNECTION_REQ: up to five channels at once.
public struct CreditBasedConnectionRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.creditBasedConnectionRequest
  /// The maximum number of channels in a request.
  public static let maximumChannels = 5

  /// The PSM.
  public var psm = SPSM(rawValue: 0)
  /// The longest SDU that the sender accepts, in octets.
  public var mtu: UInt16 = 0
  /// The longest K-frame payload that the sender accepts, in octets.
  public var mps: UInt16 = 0
  /// The initial number of K-frames that may be sent to the sender on each channel.
  public var initialCredits: UInt16 = 0
  /// The CIDs of the channels on the sender's side.
  public var sources: [ChannelID] = []

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("SPSM", &psm)
    try fields.integer("MTU", &mtu)
    try fields.integer("MPS", &mps)
    try fields.integer("Initial Credits", &initialCredits)
    try fields.remainingList("Source CID", &sources)
  }
}

/// Core 5.4 Vol 3 Part A 4.26 L2CAP_CREDIT_BASED_CONNECTION_RSP
public struct CreditBasedConnectionResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.creditBasedConnectionResponse

  /// The longest SDU that the sender accepts, in octets.
  public var mtu: UInt16 = 0
  /// The longest K-frame payload that the sender accepts, in octets.
  public var mps: UInt16 = 0
  /// The initial number of K-frames that may be sent to the sender on each channel.
  public var initialCredits: UInt16 = 0
  /// Success, or the reason why not all channels are open.
  public var result = CreditBasedResult.success
  /// The CIDs of the channels on the sender's side, in the order of the request; 0 for each refused one.
  public var destinations: [ChannelID] = []

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("MTU", &mtu)
    try fields.integer("MPS", &mps)
    try fields.integer("Initial Credits", &initialCredits)
    try fields.code("Result", &result)
    try fields.remainingList("Destination CID", &destinations)
  }
}

/// Core 5.4 Vol 3 Part A 4.27 L2CAP_CREDIT_BASED_RECONFIGURE_REQ: the sender changes the lengths that it accepts.
public struct CreditBasedReconfigureRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.creditBasedReconfigureRequest

  /// The longest SDU that the sender accepts, in octets.
  public var mtu: UInt16 = 0
  /// The longest K-frame payload that the sender accepts, in octets.
  public var mps: UInt16 = 0
  /// The CIDs of the channels on the sender's side, which is the destination of the data concerned.
  public var destinations: [ChannelID] = []

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("MTU", &mtu)
    try fields.integer("MPS", &mps)
    try fields.remainingList("Destination CID", &destinations)
  }
}

/// Core 5.4 Vol 3 Part A 4.28 L2CAP_CREDIT_BASED_RECONFIGURE_RSP
public struct CreditBasedReconfigureResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.creditBasedReconfigureResponse

  /// Success, or the reason why the new lengths do not apply.
  public var result = ReconfigureResult.success

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Result", &result)
  }
}
