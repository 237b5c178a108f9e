// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part A 4.2 L2CAP_CONNECTION_REQ: opens a connection-oriented channel on BR/EDR.
public struct ChannelConnectionRequest: SignallingPacket, Hashable {
  public static let code = SignallingCode.connectionRequest

  /// The first two octets of the PSM.
  public var psm = PSM(rawValue: 0)
  /// The further octets of a longer PSM. All but the last are odd.
  public var psmExtension: [UInt8] = []
  /// The CID of the channel on the sender's side.
  public var source = ChannelID(rawValue: 0)

  public init() {}

  /// Creates a request to open a channel to a PSM of two octets.
  public init(psm: PSM, source: ChannelID) {
    self.psm = psm
    self.source = source
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("PSM", &psm)
    // An odd most significant octet says that another one follows.
    var last = UInt8(psm.rawValue >> 8)
    var octets: [UInt8] = []
    while last & 1 != 0 {
      last = octets.count < psmExtension.count ? psmExtension[octets.count] : 0
      try fields.integer("PSM Extension", &last)
      octets.append(last)
    }
    psmExtension = octets
    try fields.code("Source CID", &source)
  }
}

/// Core 5.4 Vol 3 Part A 4.3 L2CAP_CONNECTION_RSP
public struct ChannelConnectionResponse: SignallingPacket, Hashable {
  public static let code = SignallingCode.connectionResponse

  /// The CID of the channel on the sender's side; 0 if it is refused.
  public var destination = ChannelID(rawValue: 0)
  /// The CID of the channel on the receiver's side.
  public var source = ChannelID(rawValue: 0)
  /// Success, or the reason why the channel is not open.
  public var result = ConnectionResult.success
  /// What a pending result waits for.
  public var status = ConnectionStatus.noFurtherInformation

  public init() {}

  /// Creates the response to a request with this source CID.
  public init(
    destination: ChannelID, source: ChannelID, result: ConnectionResult = .success,
    status: ConnectionStatus = .noFurtherInformation
  ) {
    self.destination = destination
    self.source = source
    self.result = result
    self.status = status
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Destination CID", &destination)
    try fields.code("Source CID", &source)
    try fields.code("Result", &result)
    try fields.code("Status", &status)
  }
}

/// The protocol/service multiplexer to which a channel is opened on BR/EDR (Core 5.4 Vol 3 Part A 4.2, Assigned Numbers 2.6).
public struct PSM: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let serviceDiscovery = PSM(rawValue: 0x0001)
  public static let rfcomm = PSM(rawValue: 0x0003)
  public static let networkEncapsulation = PSM(rawValue: 0x000F)
  public static let hidControl = PSM(rawValue: 0x0011)
  public static let hidInterrupt = PSM(rawValue: 0x0013)
  public static let audioVideoControl = PSM(rawValue: 0x0017)
  public static let audioVideoDistribution = PSM(rawValue: 0x0019)
  public static let audioVideoControlBrowsing = PSM(rawValue: 0x001B)
  public static let attributeProtocol = PSM(rawValue: 0x001F)
  public static let enhancedAttributeProtocol = PSM(rawValue: 0x0027)

  /// The values of two octets that a device can choose; only the valid ones.
  public static let dynamicRange: ClosedRange<UInt16> = 0x1001...0xFEFF

  /// Whether it is a PSM of two octets: the least significant octet is odd, and the most significant one is even.
  public var isValid: Bool { rawValue & 0x0101 == 0x0001 }

  private static let names: [UInt16: String] = [
    0x0001: "SDP", 0x0003: "RFCOMM", 0x0005: "TCS-BIN", 0x0007: "TCS-BIN-CORDLESS", 0x000F: "BNEP",
    0x0011: "HID_Control", 0x0013: "HID_Interrupt", 0x0015: "UPnP", 0x0017: "AVCTP", 0x0019: "AVDTP",
    0x001B: "AVCTP_Browsing", 0x001D: "UDI_C-Plane", 0x001F: "ATT", 0x0021: "3DSP", 0x0023: "IPSP", 0x0025: "OTS",
    0x0027: "EATT",
  ]

  /// The name of the protocol, for example `SDP`; nil if it is unknown here.
  public var name: String? { Self.names[rawValue] }
  /// The protocol and the number, for example `SDP (0x0001)`.
  public var meaning: String? { meaning(in: Self.names) }
}

/// The result of a request to open a channel on BR/EDR (Core 5.4 Vol 3 Part A 4.3).
public struct ConnectionResult: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let success = ConnectionResult(rawValue: 0x0000)
  /// Another response follows with the same identifier.
  public static let pending = ConnectionResult(rawValue: 0x0001)
  public static let psmNotSupported = ConnectionResult(rawValue: 0x0002)
  public static let securityBlock = ConnectionResult(rawValue: 0x0003)
  public static let noResources = ConnectionResult(rawValue: 0x0004)
  public static let invalidSourceCID = ConnectionResult(rawValue: 0x0006)
  public static let sourceCIDAlreadyAllocated = ConnectionResult(rawValue: 0x0007)

  private static let names: [UInt16: String] = [
    0: "Success", 1: "Pending", 2: "PSM Not Supported", 3: "Security Block", 4: "No Resources",
    6: "Invalid Source CID", 7: "Source CID Already Allocated",
  ]

  public var meaning: String? { meaning(in: Self.names) }
}

/// What a pending request to open a channel waits for (Core 5.4 Vol 3 Part A 4.3).
public struct ConnectionStatus: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let noFurtherInformation = ConnectionStatus(rawValue: 0x0000)
  public static let authenticationPending = ConnectionStatus(rawValue: 0x0001)
  public static let authorizationPending = ConnectionStatus(rawValue: 0x0002)

  private static let names: [UInt16: String] = [
    0: "No Further Information", 1: "Authentication Pending", 2: "Authorization Pending",
  ]

  public var meaning: String? { meaning(in: Self.names) }
}
