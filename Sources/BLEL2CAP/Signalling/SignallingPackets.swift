// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The code of a signalling packet (Core 5.4 Vol 3 Part A 4).
public struct SignallingCode: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let commandReject = SignallingCode(rawValue: 0x01)
  public static let connectionRequest = SignallingCode(rawValue: 0x02)
  public static let connectionResponse = SignallingCode(rawValue: 0x03)
  public static let configurationRequest = SignallingCode(rawValue: 0x04)
  public static let configurationResponse = SignallingCode(rawValue: 0x05)
  public static let disconnectionRequest = SignallingCode(rawValue: 0x06)
  public static let disconnectionResponse = SignallingCode(rawValue: 0x07)
  public static let echoRequest = SignallingCode(rawValue: 0x08)
  public static let echoResponse = SignallingCode(rawValue: 0x09)
  public static let informationRequest = SignallingCode(rawValue: 0x0A)
  public static let informationResponse = SignallingCode(rawValue: 0x0B)
  public static let connectionParameterUpdateRequest = SignallingCode(rawValue: 0x12)
  public static let connectionParameterUpdateResponse = SignallingCode(rawValue: 0x13)
  public static let leCreditBasedConnectionRequest = SignallingCode(rawValue: 0x14)
  public static let leCreditBasedConnectionResponse = SignallingCode(rawValue: 0x15)
  public static let flowControlCredit = SignallingCode(rawValue: 0x16)
  public static let creditBasedConnectionRequest = SignallingCode(rawValue: 0x17)
  public static let creditBasedConnectionResponse = SignallingCode(rawValue: 0x18)
  public static let creditBasedReconfigureRequest = SignallingCode(rawValue: 0x19)
  public static let creditBasedReconfigureResponse = SignallingCode(rawValue: 0x1A)

  /// Whether it is a response, which is never rejected.
  public var isResponse: Bool {
    switch rawValue {
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A: true
    default: false
    }
  }
}

/// The header of a signalling packet (Core 5.4 Vol 3 Part A 4).
public struct SignallingHeader: OctetLayout, Hashable {
  /// The size of the header in octets.
  public static let octetCount = 4

  /// The code of the packet.
  public var code = SignallingCode(rawValue: 0)
  /// Matches a response with its request; never 0x00.
  public var identifier: UInt8 = 0
  /// The length of the data after the header, in octets.
  public var length: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Code", &code)
    try fields.integer("Identifier", &identifier)
    try fields.integer("Data Length", &length)
  }
}

/// The data of a signalling packet.
public protocol SignallingPacket: OctetLayout {
  /// The code of the packet.
  static var code: SignallingCode { get }
}

extension SignallingPacket {
  /// Appends the whole packet with its header.
  public func encodePacket(identifier: UInt8, into buffer: inout OctetBuffer) {
    buffer.append(Self.code.rawValue)
    buffer.append(identifier)
    let length = buffer.count
    buffer.append(littleEndian: UInt16(0))
    encode(into: &buffer)
    buffer.patch(littleEndian: UInt16(clamping: buffer.count - length - 2), at: length)
  }
}

/// Core 5.4 Vol 3 Part A 4.1 L2CAP_COMMAND_REJECT_RSP
public struct CommandReject: SignallingPacket, Hashable {
  public static let code = SignallingCode.commandReject

  /// The reason.
  public var reason = Reason(rawValue: 0)
  /// Data that depends on the reason: the MTU, or CIDs.
  public var data: [UInt8] = []

  public init() {}

  /// Creates a rejection.
  public init(reason: Reason, data: [UInt8] = []) {
    self.reason = reason
    self.data = data
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Reason", &reason)
    try fields.remainder("Reason Data", &data)
  }

  /// The reasons.
  public struct Reason: OpenCode {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let notUnderstood = Reason(rawValue: 0x0000)
    public static let signallingMTUExceeded = Reason(rawValue: 0x0001)
    public static let invalidChannel = Reason(rawValue: 0x0002)
  }
}

/// Core 5.4 Vol 3 Part A 4.20 L2CAP_CONNECTION_PARAMETER_UPDATE_REQ
public struct ConnectionParameterUpdateRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.connectionParameterUpdateRequest

  /// The shortest connection interval, in 1.25 ms.
  public var intervalMinimum: UInt16 = 0
  /// The longest connection interval, in 1.25 ms.
  public var intervalMaximum: UInt16 = 0
  /// The number of connection events that the peripheral may skip.
  public var latency: UInt16 = 0
  /// The supervision timeout, in 10 ms.
  public var timeout: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Interval Min", &intervalMinimum)
    try fields.integer("Interval Max", &intervalMaximum)
    try fields.integer("Latency", &latency)
    try fields.integer("Timeout", &timeout)
  }

  /// Whether the parameters are valid: an interval of 7.5 ms...4 s, a latency of at most 499 events, and a timeout of 100 ms...32 s that is
  /// more than twice the longest time between two events that the peripheral listens to.
  public var isAllowed: Bool {
    intervalMinimum >= 6 && intervalMinimum <= intervalMaximum && intervalMaximum <= 3200
      && latency <= 499 && (10...3200).contains(timeout)
      && Int(timeout) * 4 > (Int(latency) + 1) * Int(intervalMaximum)
  }
}

/// Core 5.4 Vol 3 Part A 4.21 L2CAP_CONNECTION_PARAMETER_UPDATE_RSP
public struct ConnectionParameterUpdateResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.connectionParameterUpdateResponse

  /// 0x0000: accepted; 0x0001: rejected.
  public var result: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Result", &result)
  }
}
