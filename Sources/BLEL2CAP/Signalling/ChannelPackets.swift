// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part A 4.6 L2CAP_DISCONNECTION_REQ
public struct DisconnectionRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.disconnectionRequest

  /// The end of the channel on the side that receives this.
  public var destination = ChannelID(rawValue: 0)
  /// The end of the channel on the side that sends this.
  public var source = ChannelID(rawValue: 0)

  public init() {}

  /// A request to close a channel.
  public init(destination: ChannelID, source: ChannelID) {
    self.destination = destination
    self.source = source
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Destination CID", &destination)
    try fields.code("Source CID", &source)
  }
}

/// Core 5.4 Vol 3 Part A 4.7 L2CAP_DISCONNECTION_RSP: the channels as in the request.
public struct DisconnectionResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.disconnectionResponse

  /// The end of the channel on the side that sends this.
  public var destination = ChannelID(rawValue: 0)
  /// The end of the channel on the side that receives this.
  public var source = ChannelID(rawValue: 0)

  public init() {}

  /// The answer to a request with those channels.
  public init(destination: ChannelID, source: ChannelID) {
    self.destination = destination
    self.source = source
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Destination CID", &destination)
    try fields.code("Source CID", &source)
  }
}

/// Core 5.4 Vol 3 Part A 4.22 L2CAP_LE_CREDIT_BASED_CONNECTION_REQ
public struct LECreditBasedConnectionRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.leCreditBasedConnectionRequest

  /// What is to be opened.
  public var psm = SPSM(rawValue: 0)
  /// The end of the channel on the side that sends this.
  public var source = ChannelID(rawValue: 0)
  /// The longest SDU the sender takes, in octets.
  public var mtu: UInt16 = 0
  /// The longest payload of a K-frame the sender takes, in octets.
  public var mps: UInt16 = 0
  /// How many K-frames may be sent to the sender at first.
  public var initialCredits: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("SPSM", &psm)
    try fields.code("Source CID", &source)
    try fields.integer("MTU", &mtu)
    try fields.integer("MPS", &mps)
    try fields.integer("Initial Credits", &initialCredits)
  }
}

/// Core 5.4 Vol 3 Part A 4.23 L2CAP_LE_CREDIT_BASED_CONNECTION_RSP
public struct LECreditBasedConnectionResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.leCreditBasedConnectionResponse

  /// The end of the channel on the side that sends this; 0 when it is refused.
  public var destination = ChannelID(rawValue: 0)
  /// The longest SDU the sender takes, in octets.
  public var mtu: UInt16 = 0
  /// The longest payload of a K-frame the sender takes, in octets.
  public var mps: UInt16 = 0
  /// How many K-frames may be sent to the sender at first.
  public var initialCredits: UInt16 = 0
  /// Whether it is open, and if not, why.
  public var result = CreditBasedResult.success

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Destination CID", &destination)
    try fields.integer("MTU", &mtu)
    try fields.integer("MPS", &mps)
    try fields.integer("Initial Credits", &initialCredits)
    try fields.code("Result", &result)
  }
}

/// Core 5.4 Vol 3 Part A 4.24 L2CAP_FLOW_CONTROL_CREDIT_IND
public struct FlowControlCredit: SignallingPacket, Hashable {
  public static let code = SignallingCode.flowControlCredit

  /// The end of the channel on the side that sends this.
  public var source = ChannelID(rawValue: 0)
  /// How many more K-frames may be sent to the sender.
  public var credits: UInt16 = 0

  public init() {}

  /// More credits for a channel.
  public init(source: ChannelID, credits: UInt16) {
    self.source = source
    self.credits = credits
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("CID", &source)
    try fields.integer("Credits", &credits)
  }
}
