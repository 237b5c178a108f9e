// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part A 4.8 L2CAP_ECHO_REQ
public struct EchoRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.echoRequest

  /// Optional data.
  public var data: [UInt8] = []

  public init() {}

  /// Creates a request with this data.
  public init(data: [UInt8]) { self.data = data }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainder("Echo Data", &data)
  }
}

/// Core 5.4 Vol 3 Part A 4.9 L2CAP_ECHO_RSP
public struct EchoResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.echoResponse

  /// Optional data, not necessarily that of the request.
  public var data: [UInt8] = []

  public init() {}

  /// Creates a response with this data.
  public init(data: [UInt8]) { self.data = data }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainder("Echo Data", &data)
  }
}

/// Core 5.4 Vol 3 Part A 4.10 L2CAP_INFORMATION_REQ
public struct InformationRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.informationRequest

  public var type = InformationType(rawValue: 0)

  public init() {}

  /// Creates a request for this information.
  public init(_ type: InformationType) { self.type = type }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("InfoType", &type)
  }
}

/// Core 5.4 Vol 3 Part A 4.11 L2CAP_INFORMATION_RSP. The type determines which field the packet has, if the result is success.
public struct InformationResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.informationResponse

  public var type = InformationType(rawValue: 0)
  public var result = InformationResult.success
  /// The longest connectionless SDU that the sender accepts, in octets.
  public var connectionlessMTU: UInt16 = 0
  public var extendedFeatures: ExtendedFeatures = []
  public var fixedChannels: FixedChannels = []
  /// The information of another type, or after a failure.
  public var data: [UInt8] = []

  public init() {}

  /// Creates a response without information.
  public init(_ type: InformationType, _ result: InformationResult) {
    self.type = type
    self.result = result
  }

  /// Creates a response with the connectionless MTU.
  public init(connectionlessMTU: UInt16) {
    type = .connectionlessMTU
    self.connectionlessMTU = connectionlessMTU
  }

  /// Creates a response with the extended features.
  public init(extendedFeatures: ExtendedFeatures) {
    type = .extendedFeatures
    self.extendedFeatures = extendedFeatures
  }

  /// Creates a response with the fixed channels.
  public init(fixedChannels: FixedChannels) {
    type = .fixedChannels
    self.fixedChannels = fixedChannels
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("InfoType", &type)
    try fields.code("Result", &result)
    switch (type, result) {
    case (.connectionlessMTU, .success): try fields.integer("Connectionless MTU", &connectionlessMTU)
    case (.extendedFeatures, .success): try fields.code("Extended Feature Mask", &extendedFeatures)
    case (.fixedChannels, .success): try fields.code("Fixed Channels Supported", &fixedChannels)
    default: try fields.remainder("Info", &data)
    }
  }
}

/// The type of information about a device (Core 5.4 Vol 3 Part A 4.10).
public struct InformationType: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let connectionlessMTU = InformationType(rawValue: 0x0001)
  public static let extendedFeatures = InformationType(rawValue: 0x0002)
  public static let fixedChannels = InformationType(rawValue: 0x0003)

  private static let names: [UInt16: String] = [
    1: "Connectionless MTU", 2: "Extended Features Supported", 3: "Fixed Channels Supported",
  ]

  public var meaning: String? { meaning(in: Self.names) }
}

/// The result of an Information Request (Core 5.4 Vol 3 Part A 4.11).
public struct InformationResult: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let success = InformationResult(rawValue: 0x0000)
  public static let notSupported = InformationResult(rawValue: 0x0001)

  public var meaning: String? { meaning(in: [0: "Success", 1: "Not Supported"]) }
}

/// The features of L2CAP (Core 5.4 Vol 3 Part A 4.12).
public struct ExtendedFeatures: OptionSet, OpenCode {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let flowControlMode = ExtendedFeatures(rawValue: 1 << 0)
  public static let retransmissionMode = ExtendedFeatures(rawValue: 1 << 1)
  public static let bidirectionalQoS = ExtendedFeatures(rawValue: 1 << 2)
  public static let enhancedRetransmissionMode = ExtendedFeatures(rawValue: 1 << 3)
  public static let streamingMode = ExtendedFeatures(rawValue: 1 << 4)
  public static let frameCheckOption = ExtendedFeatures(rawValue: 1 << 5)
  public static let extendedFlowSpecification = ExtendedFeatures(rawValue: 1 << 6)
  public static let fixedChannels = ExtendedFeatures(rawValue: 1 << 7)
  public static let extendedWindowSize = ExtendedFeatures(rawValue: 1 << 8)
  public static let unicastConnectionlessData = ExtendedFeatures(rawValue: 1 << 9)
  public static let enhancedCreditBasedFlowControl = ExtendedFeatures(rawValue: 1 << 10)

  public var meaning: String? {
    meaning(ofBits: [
      "Flow Control Mode", "Retransmission Mode", "Bi-directional QoS", "Enhanced Retransmission Mode",
      "Streaming Mode", "FCS Option", "Extended Flow Specification", "Fixed Channels", "Extended Window Size",
      "Unicast Connectionless Data", "Enhanced Credit Based Flow Control",
    ])
  }
}

/// The fixed channels of BR/EDR that a device has, bit n for CID n (Core 5.4 Vol 3 Part A 4.13).
public struct FixedChannels: OptionSet, OpenCode {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Always set.
  public static let signalling = FixedChannels(rawValue: 1 << 1)
  public static let connectionless = FixedChannels(rawValue: 1 << 2)
  public static let securityManager = FixedChannels(rawValue: 1 << 7)

  public var meaning: String? {
    meaning(ofBits: [nil, "L2CAP Signaling", "Connectionless", nil, nil, nil, nil, "BR/EDR Security Manager"])
  }
}
