// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The first octet of every SDP PDU (Core 5.4 Vol 3 Part B 4.2).
public struct SDPPDUID: OpenCode, CustomStringConvertible {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let errorResponse = SDPPDUID(rawValue: 0x01)
  public static let serviceSearchRequest = SDPPDUID(rawValue: 0x02)
  public static let serviceSearchResponse = SDPPDUID(rawValue: 0x03)
  public static let serviceAttributeRequest = SDPPDUID(rawValue: 0x04)
  public static let serviceAttributeResponse = SDPPDUID(rawValue: 0x05)
  public static let serviceSearchAttributeRequest = SDPPDUID(rawValue: 0x06)
  public static let serviceSearchAttributeResponse = SDPPDUID(rawValue: 0x07)

  private static let names: [UInt8: String] = [
    0x01: "ERROR_RSP", 0x02: "SERVICE_SEARCH_REQ", 0x03: "SERVICE_SEARCH_RSP", 0x04: "SERVICE_ATTR_REQ",
    0x05: "SERVICE_ATTR_RSP", 0x06: "SERVICE_SEARCH_ATTR_REQ", 0x07: "SERVICE_SEARCH_ATTR_RSP",
  ]

  /// The name in the specification, for example `SDP_SERVICE_SEARCH_REQ`.
  public var description: String { "SDP_\(Self.names[rawValue] ?? "0x\([rawValue].uppercaseHexadecimal)")" }
}

/// The reason for refusing a request (Core 5.4 Vol 3 Part B 4.4.1).
public struct SDPErrorCode: OpenCode, CustomStringConvertible {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let unsupportedVersion = SDPErrorCode(rawValue: 0x0001)
  public static let invalidServiceRecordHandle = SDPErrorCode(rawValue: 0x0002)
  public static let invalidRequestSyntax = SDPErrorCode(rawValue: 0x0003)
  public static let invalidPDUSize = SDPErrorCode(rawValue: 0x0004)
  public static let invalidContinuationState = SDPErrorCode(rawValue: 0x0005)
  public static let insufficientResources = SDPErrorCode(rawValue: 0x0006)

  private static let names: [UInt16: String] = [
    0x0001: "Invalid/Unsupported SDP Version", 0x0002: "Invalid Service Record Handle",
    0x0003: "Invalid Request Syntax", 0x0004: "Invalid PDU Size", 0x0005: "Invalid Continuation State",
    0x0006: "Insufficient Resources To Satisfy Request",
  ]

  /// The code's name in the specification with its number, for example `Invalid PDU Size (0x0004)`.
  public var description: String { "\(Self.names[rawValue] ?? "Error") (\(rawValue.hexadecimalText))" }
}
