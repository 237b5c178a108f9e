// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part A 4.6 L2CAP_DISCONNECTION_REQ
public struct DisconnectionRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.disconnectionRequest

  /// The CID of the channel on the receiver's side.
  public var destination = ChannelID(rawValue: 0)
  /// The CID of the channel on the sender's side.
  public var source = ChannelID(rawValue: 0)

  public init() {}

  /// Creates a request to close a channel.
  public init(destination: ChannelID, source: ChannelID) {
    self.destination = destination
    self.source = source
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Destination CID", &destination)
    try fields.code("Source CID", &source)
  }
}

/// Core 5.4 Vol 3 Part A 4.7 L2CAP_DISCONNECTION_RSP, with the CIDs of the request.
public struct DisconnectionResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.disconnectionResponse

  /// The CID of the channel on the sender's side.
  public var destination = ChannelID(rawValue: 0)
  /// The CID of the channel on the receiver's side.
  public var source = ChannelID(rawValue: 0)

  public init() {}

  /// Creates the response to a request with these CIDs.
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

  /// The PSM.
  public var psm = SPSM(rawValue: 0)
  /// The CID of the channel on the sender's side.
  public var source = ChannelID(rawValue: 0)
  /// The longest SDU that the sender accepts, in octets.
  public var mtu: UInt16 = 0
  /// The longest K-frame payload that the sender accepts, in octets.
  public var mps: UInt16 = 0
  /// The initial number of K-frames that may be sent to the sender.
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

  /// The CID of the channel on the sender's side; 0 if it is refused.
  public var destination = ChannelID(rawValue: 0)
  /// The longest SDU that the sender accepts, in octets.
  public var mtu: UInt16 = 0
  /// The longest K-frame payload that the sender accepts, in octets.
  public var mps: UInt16 = 0
  /// The initial number of K-frames that may be sent to the sender.
  public var initialCredits: UInt16 = 0
  /// Success, or the reason why the channel is not open.
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

  /// The CID of the channel on the sender's side.
  public var source = ChannelID(rawValue: 0)
  /// The number of additional K-frames that may be sent to the sender.
  public var credits: UInt16 = 0

  public init() {}

  /// Creates credits for a channel.
  public init(source: ChannelID, credits: UInt16) {
    self.source = source
    self.credits = credits
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("CID", &source)
    try fields.integer("Credits", &credits)
  }
}
