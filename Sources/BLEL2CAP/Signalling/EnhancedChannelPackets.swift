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
  /// How many channels one request may name.
  public static let maximumChannels = 5

  /// What is to be opened.
  public var psm = SPSM(rawValue: 0)
  /// The longest SDU the sender takes, in octets.
  public var mtu: UInt16 = 0
  /// The longest payload of a K-frame the sender takes, in octets.
  public var mps: UInt16 = 0
  /// How many K-frames may be sent to the sender at first, on each channel.
  public var initialCredits: UInt16 = 0
  /// The ends of the channels on the side that sends this.
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

  /// The longest SDU the sender takes, in octets.
  public var mtu: UInt16 = 0
  /// The longest payload of a K-frame the sender takes, in octets.
  public var mps: UInt16 = 0
  /// How many K-frames may be sent to the sender at first, on each channel.
  public var initialCredits: UInt16 = 0
  /// Whether all channels are open, and if not, why.
  public var result = CreditBasedResult.success
  /// The ends of the channels on the side that sends this, in the order of the request; 0 for each that is refused.
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

/// Core 5.4 Vol 3 Part A 4.27 L2CAP_CREDIT_BASED_RECONFIGURE_REQ: the sender takes other lengths from now on.
public struct CreditBasedReconfigureRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.creditBasedReconfigureRequest

  /// The longest SDU the sender takes, in octets.
  public var mtu: UInt16 = 0
  /// The longest payload of a K-frame the sender takes, in octets.
  public var mps: UInt16 = 0
  /// The ends of the channels on the side that sends this, which is where the data in question goes to.
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

  /// Whether the new lengths count, and if not, why.
  public var result = ReconfigureResult.success

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Result", &result)
  }
}
