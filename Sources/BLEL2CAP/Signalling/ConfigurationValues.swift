// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The value of a configuration option (Core 5.4 Vol 3 Part A 5).
public protocol ConfigurationValue: OctetLayout, Hashable {
  /// The type of the option.
  static var type: ConfigurationOptionType { get }
}

/// Core 5.4 Vol 3 Part A 5.1 Maximum Transmission Unit
public struct MTUOption: ConfigurationValue {
  public static let type = ConfigurationOptionType.mtu
  /// The MTU of a channel without this option.
  public static let defaultMTU: UInt16 = 672
  /// The smallest MTU that every side supports on BR/EDR.
  public static let minimumMTU: UInt16 = 48

  /// The longest SDU that the sender accepts, in octets.
  public var mtu = MTUOption.defaultMTU

  public init() {}

  /// Creates an option with this MTU.
  public init(mtu: UInt16) { self.mtu = mtu }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("MTU", &mtu)
  }
}

/// Core 5.4 Vol 3 Part A 5.2 Flush Timeout
public struct FlushTimeoutOption: ConfigurationValue {
  public static let type = ConfigurationOptionType.flushTimeout
  /// No retransmission is given up. It is the default.
  public static let unlimited: UInt16 = 0xFFFF

  /// The time after which the sender flushes a packet, in ms; 0x0001: no retransmissions.
  public var timeout = FlushTimeoutOption.unlimited

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Flush Timeout", &timeout)
  }
}

/// Core 5.4 Vol 3 Part A 5.3 Quality of Service: a flow specification of the sender's outgoing traffic.
public struct QualityOfServiceOption: ConfigurationValue {
  public static let type = ConfigurationOptionType.qualityOfService

  /// Reserved for future use.
  public var flags: UInt8 = 0
  public var serviceType = FlowServiceType.bestEffort
  /// In octets per second.
  public var tokenRate: UInt32 = 0
  /// In octets.
  public var tokenBucketSize: UInt32 = 0
  /// In octets per second.
  public var peakBandwidth: UInt32 = 0
  /// In microseconds.
  public var latency: UInt32 = 0xFFFF_FFFF
  /// In microseconds.
  public var delayVariation: UInt32 = 0xFFFF_FFFF

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Flags", &flags)
    try fields.code("Service Type", &serviceType)
    try fields.integer("Token Rate", &tokenRate)
    try fields.integer("Token Bucket Size", &tokenBucketSize)
    try fields.integer("Peak Bandwidth", &peakBandwidth)
    try fields.integer("Latency", &latency)
    try fields.integer("Delay Variation", &delayVariation)
  }
}

/// The service of a flow (Core 5.4 Vol 3 Part A 5.3, 5.6).
public struct FlowServiceType: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let noTraffic = FlowServiceType(rawValue: 0x00)
  public static let bestEffort = FlowServiceType(rawValue: 0x01)
  public static let guaranteed = FlowServiceType(rawValue: 0x02)

  private static let names: [UInt8: String] = [0: "No Traffic", 1: "Best Effort", 2: "Guaranteed"]

  public var meaning: String? { meaning(in: Self.names) }
}

/// Core 5.4 Vol 3 Part A 5.4 Retransmission and Flow Control
public struct RetransmissionOption: ConfigurationValue {
  public static let type = ConfigurationOptionType.retransmissionAndFlowControl

  public var mode = ChannelMode.basic
  /// The number of frames that may be unacknowledged.
  public var transmitWindow: UInt8 = 0
  /// How often a frame is sent before the channel is disconnected; 0: without limit.
  public var maximumTransmissions: UInt8 = 0
  /// In ms.
  public var retransmissionTimeout: UInt16 = 0
  /// In ms.
  public var monitorTimeout: UInt16 = 0
  /// The longest information payload of an I-frame that the sender accepts, in octets.
  public var mps: UInt16 = 0

  public init() {}

  /// Creates an option with this mode. Basic Mode has no other fields.
  public init(mode: ChannelMode) { self.mode = mode }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Mode", &mode)
    try fields.integer("TxWindow Size", &transmitWindow)
    try fields.integer("MaxTransmit", &maximumTransmissions)
    try fields.integer("Retransmission Timeout", &retransmissionTimeout)
    try fields.integer("Monitor Timeout", &monitorTimeout)
    try fields.integer("MPS", &mps)
  }
}

/// The mode of a channel (Core 5.4 Vol 3 Part A 2.4, 5.4).
public struct ChannelMode: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let basic = ChannelMode(rawValue: 0x00)
  public static let retransmission = ChannelMode(rawValue: 0x01)
  public static let flowControl = ChannelMode(rawValue: 0x02)
  public static let enhancedRetransmission = ChannelMode(rawValue: 0x03)
  public static let streaming = ChannelMode(rawValue: 0x04)

  private static let names: [UInt8: String] = [
    0: "Basic", 1: "Retransmission", 2: "Flow Control", 3: "Enhanced Retransmission", 4: "Streaming",
  ]

  public var meaning: String? { meaning(in: Self.names) }
}

/// Core 5.4 Vol 3 Part A 5.5 Frame Check Sequence
public struct FrameCheckOption: ConfigurationValue {
  public static let type = ConfigurationOptionType.frameCheckSequence

  public var check = FrameCheck.crc16

  public init() {}

  /// Creates an option with this check sequence.
  public init(check: FrameCheck) { self.check = check }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("FCS Type", &check)
  }
}

/// The check sequence of frames (Core 5.4 Vol 3 Part A 5.5).
public struct FrameCheck: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let none = FrameCheck(rawValue: 0x00)
  /// The default.
  public static let crc16 = FrameCheck(rawValue: 0x01)

  public var meaning: String? { meaning(in: [0: "No FCS", 1: "16-bit FCS"]) }
}

/// Core 5.4 Vol 3 Part A 5.6 Extended Flow Specification
public struct ExtendedFlowOption: ConfigurationValue {
  public static let type = ConfigurationOptionType.extendedFlowSpecification

  public var identifier: UInt8 = 0x01
  public var serviceType = FlowServiceType.bestEffort
  /// In octets.
  public var maximumSDUSize: UInt16 = 0xFFFF
  /// In microseconds.
  public var interArrivalTime: UInt32 = 0xFFFF_FFFF
  /// In microseconds.
  public var accessLatency: UInt32 = 0xFFFF_FFFF
  /// In microseconds.
  public var flushTimeout: UInt32 = 0xFFFF_FFFF

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Identifier", &identifier)
    try fields.code("Service Type", &serviceType)
    try fields.integer("Maximum SDU Size", &maximumSDUSize)
    try fields.integer("SDU Inter-arrival Time", &interArrivalTime)
    try fields.integer("Access Latency", &accessLatency)
    try fields.integer("Flush Timeout", &flushTimeout)
  }
}

/// Core 5.4 Vol 3 Part A 5.7 Extended Window Size
public struct ExtendedWindowOption: ConfigurationValue {
  public static let type = ConfigurationOptionType.extendedWindowSize

  /// The number of frames that may be unacknowledged, with extended control fields.
  public var maximumWindow: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Max Window Size", &maximumWindow)
  }
}
