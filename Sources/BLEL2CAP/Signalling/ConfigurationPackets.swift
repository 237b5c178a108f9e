// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part A 4.4 L2CAP_CONFIGURATION_REQ: what the sender accepts on a channel, or can send.
public struct ConfigurationRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.configurationRequest

  /// The CID of the channel on the receiver's side.
  public var destination = ChannelID(rawValue: 0)
  public var flags: ConfigurationFlags = []
  /// The options that differ from what was agreed on.
  public var options: [ConfigurationOption] = []

  public init() {}

  /// Creates a request with these options.
  public init(destination: ChannelID, flags: ConfigurationFlags = [], options: [ConfigurationOption] = []) {
    self.destination = destination
    self.flags = flags
    self.options = options
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Destination CID", &destination)
    try fields.code("Flags", &flags)
    try fields.remainingList("Options", &options)
  }
}

/// Core 5.4 Vol 3 Part A 4.5 L2CAP_CONFIGURATION_RSP
public struct ConfigurationResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.configurationResponse

  /// The CID of the channel on the receiver's side: that of the sender of the request.
  public var source = ChannelID(rawValue: 0)
  public var flags: ConfigurationFlags = []
  public var result = ConfigurationResult.success
  /// The values that apply, acceptable values instead, or the types that are unknown.
  public var options: [ConfigurationOption] = []

  public init() {}

  /// Creates a response with these options.
  public init(
    source: ChannelID, flags: ConfigurationFlags = [], result: ConfigurationResult = .success,
    options: [ConfigurationOption] = []
  ) {
    self.source = source
    self.flags = flags
    self.result = result
    self.options = options
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Source CID", &source)
    try fields.code("Flags", &flags)
    try fields.code("Result", &result)
    try fields.remainingList("Options", &options)
  }
}

/// The flags of a configuration packet (Core 5.4 Vol 3 Part A 4.4).
public struct ConfigurationFlags: OptionSet, OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Further packets with options follow.
  public static let continuation = ConfigurationFlags(rawValue: 1 << 0)

  public var meaning: String? { contains(.continuation) ? "Continuation" : nil }
}

/// The result of a Configuration Request (Core 5.4 Vol 3 Part A 4.5).
public struct ConfigurationResult: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let success = ConfigurationResult(rawValue: 0x0000)
  public static let unacceptableParameters = ConfigurationResult(rawValue: 0x0001)
  public static let rejected = ConfigurationResult(rawValue: 0x0002)
  public static let unknownOptions = ConfigurationResult(rawValue: 0x0003)
  public static let pending = ConfigurationResult(rawValue: 0x0004)
  public static let flowSpecificationRejected = ConfigurationResult(rawValue: 0x0005)

  private static let names: [UInt16: String] = [
    0: "Success", 1: "Unacceptable Parameters", 2: "Rejected", 3: "Unknown Options", 4: "Pending",
    5: "Flow Spec Rejected",
  ]

  public var meaning: String? { meaning(in: Self.names) }
}

/// An option of a configuration packet: its type, length and value (Core 5.4 Vol 3 Part A 5). A known type with the right length shows
/// its fields.
public struct ConfigurationOption: OctetLayout, Hashable {
  public var type = ConfigurationOptionType(rawValue: 0)
  /// The value, at most 255 octets.
  public var value: [UInt8] = []

  public init() {}

  /// Creates an option with these octets.
  public init(_ type: ConfigurationOptionType, _ value: [UInt8] = []) {
    self.type = type
    self.value = value
  }

  /// Creates an option with this value.
  public init<Value: ConfigurationValue>(_ value: Value) {
    type = Value.type
    self.value = value.encoded
  }

  /// Returns the value, if the option is of this type, as a hint or not; nil if it is of another, or has another length.
  public func value<Value: ConfigurationValue>(as _: Value.Type) -> Value? {
    type.withoutHint == Value.type ? try? Value(decoding: value) : nil
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Option Type", &type)
    var length = UInt8(clamping: value.count)
    try fields.integer("Option Length", &length)
    switch (type.withoutHint, length) {
    case (.mtu, 2): try visit(MTUOption.self, &fields)
    case (.flushTimeout, 2): try visit(FlushTimeoutOption.self, &fields)
    case (.qualityOfService, 22): try visit(QualityOfServiceOption.self, &fields)
    case (.retransmissionAndFlowControl, 9): try visit(RetransmissionOption.self, &fields)
    case (.frameCheckSequence, 1): try visit(FrameCheckOption.self, &fields)
    case (.extendedFlowSpecification, 16): try visit(ExtendedFlowOption.self, &fields)
    case (.extendedWindowSize, 2): try visit(ExtendedWindowOption.self, &fields)
    default: try fields.octets("Option Value", &value, count: Int(length))
    }
  }

  private mutating func visit<Value: ConfigurationValue, V: FieldVisitor & ~Copyable>(
    _: Value.Type, _ fields: inout V
  ) throws(LayoutFault) {
    var typed = (try? Value(decoding: value)) ?? Value()
    try fields.nested(&typed)
    value = typed.encoded
  }
}

/// The type of a configuration option (Core 5.4 Vol 3 Part A 5).
public struct ConfigurationOptionType: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let mtu = ConfigurationOptionType(rawValue: 0x01)
  public static let flushTimeout = ConfigurationOptionType(rawValue: 0x02)
  public static let qualityOfService = ConfigurationOptionType(rawValue: 0x03)
  public static let retransmissionAndFlowControl = ConfigurationOptionType(rawValue: 0x04)
  public static let frameCheckSequence = ConfigurationOptionType(rawValue: 0x05)
  public static let extendedFlowSpecification = ConfigurationOptionType(rawValue: 0x06)
  public static let extendedWindowSize = ConfigurationOptionType(rawValue: 0x07)

  /// Whether a receiver that does not know the type ignores the option; otherwise it rejects it.
  public var isHint: Bool { rawValue & 0x80 != 0 }
  /// The type without the bit that marks a hint.
  public var withoutHint: ConfigurationOptionType { ConfigurationOptionType(rawValue: rawValue & 0x7F) }

  private static let names: [UInt8: String] = [
    1: "MTU", 2: "Flush Timeout", 3: "QoS", 4: "Retransmission and Flow Control", 5: "FCS",
    6: "Extended Flow Specification", 7: "Extended Window Size",
  ]

  public var meaning: String? {
    guard isHint else { return meaning(in: Self.names) }
    return "\(Self.names[withoutHint.rawValue] ?? "Unknown"), hint (0x\([rawValue].hexadecimal))"
  }
}
