// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A controller error code (Core 5.4 Vol 1 Part F 1.3): the status of commands and the reason of disconnections.
public struct ErrorCode: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let success = ErrorCode(rawValue: 0x00)
  public static let unknownHCICommand = ErrorCode(rawValue: 0x01)
  public static let unknownConnectionIdentifier = ErrorCode(rawValue: 0x02)
  public static let hardwareFailure = ErrorCode(rawValue: 0x03)
  public static let pageTimeout = ErrorCode(rawValue: 0x04)
  public static let authenticationFailure = ErrorCode(rawValue: 0x05)
  public static let pinOrKeyMissing = ErrorCode(rawValue: 0x06)
  public static let memoryCapacityExceeded = ErrorCode(rawValue: 0x07)
  public static let connectionTimeout = ErrorCode(rawValue: 0x08)
  public static let connectionLimitExceeded = ErrorCode(rawValue: 0x09)
  public static let connectionAlreadyExists = ErrorCode(rawValue: 0x0B)
  public static let commandDisallowed = ErrorCode(rawValue: 0x0C)
  public static let connectionRejectedLimitedResources = ErrorCode(rawValue: 0x0D)
  public static let connectionRejectedSecurityReasons = ErrorCode(rawValue: 0x0E)
  public static let connectionRejectedUnacceptableAddress = ErrorCode(rawValue: 0x0F)
  public static let connectionAcceptTimeoutExceeded = ErrorCode(rawValue: 0x10)
  public static let unsupportedFeatureOrParameterValue = ErrorCode(rawValue: 0x11)
  public static let invalidHCICommandParameters = ErrorCode(rawValue: 0x12)
  public static let remoteUserTerminatedConnection = ErrorCode(rawValue: 0x13)
  public static let remoteDeviceTerminatedLowResources = ErrorCode(rawValue: 0x14)
  public static let remoteDeviceTerminatedPowerOff = ErrorCode(rawValue: 0x15)
  public static let connectionTerminatedByLocalHost = ErrorCode(rawValue: 0x16)
  public static let repeatedAttempts = ErrorCode(rawValue: 0x17)
  public static let pairingNotAllowed = ErrorCode(rawValue: 0x18)
  public static let unsupportedRemoteFeature = ErrorCode(rawValue: 0x1A)
  public static let unspecifiedError = ErrorCode(rawValue: 0x1F)
  public static let roleChangeNotAllowed = ErrorCode(rawValue: 0x21)
  public static let linkLayerResponseTimeout = ErrorCode(rawValue: 0x22)
  public static let linkLayerProcedureCollision = ErrorCode(rawValue: 0x23)
  public static let instantPassed = ErrorCode(rawValue: 0x28)
  public static let pairingWithUnitKeyNotSupported = ErrorCode(rawValue: 0x29)
  public static let differentTransactionCollision = ErrorCode(rawValue: 0x2A)
  public static let insufficientSecurity = ErrorCode(rawValue: 0x2F)
  public static let simplePairingNotSupportedByHost = ErrorCode(rawValue: 0x37)
  public static let hostBusyPairing = ErrorCode(rawValue: 0x38)
  public static let unacceptableConnectionParameters = ErrorCode(rawValue: 0x3B)
  public static let advertisingTimeout = ErrorCode(rawValue: 0x3C)
  public static let connectionTerminatedDueToMICFailure = ErrorCode(rawValue: 0x3D)
  public static let connectionFailedToBeEstablished = ErrorCode(rawValue: 0x3E)
  public static let unknownAdvertisingIdentifier = ErrorCode(rawValue: 0x42)
  public static let limitReached = ErrorCode(rawValue: 0x43)
  public static let operationCancelledByHost = ErrorCode(rawValue: 0x44)
  public static let packetTooLong = ErrorCode(rawValue: 0x45)

  private static let names: [UInt8: String] = [
    0x00: "Success", 0x01: "Unknown HCI Command", 0x02: "Unknown Connection Identifier", 0x03: "Hardware Failure",
    0x04: "Page Timeout", 0x05: "Authentication Failure", 0x06: "PIN or Key Missing", 0x07: "Memory Capacity Exceeded",
    0x08: "Connection Timeout", 0x09: "Connection Limit Exceeded",
    0x0A: "Synchronous Connection Limit to a Device Exceeded", 0x0B: "Connection Already Exists",
    0x0C: "Command Disallowed", 0x0D: "Connection Rejected due to Limited Resources",
    0x0E: "Connection Rejected due to Security Reasons", 0x0F: "Connection Rejected due to Unacceptable BD_ADDR",
    0x10: "Connection Accept Timeout Exceeded", 0x11: "Unsupported Feature or Parameter Value",
    0x12: "Invalid HCI Command Parameters", 0x13: "Remote User Terminated Connection",
    0x14: "Remote Device Terminated Connection due to Low Resources",
    0x15: "Remote Device Terminated Connection due to Power Off", 0x16: "Connection Terminated by Local Host",
    0x17: "Repeated Attempts", 0x18: "Pairing Not Allowed", 0x19: "Unknown LMP PDU", 0x1A: "Unsupported Remote Feature",
    0x1B: "SCO Offset Rejected", 0x1C: "SCO Interval Rejected", 0x1D: "SCO Air Mode Rejected",
    0x1E: "Invalid LMP Parameters / Invalid LL Parameters", 0x1F: "Unspecified Error",
    0x20: "Unsupported LMP Parameter Value / Unsupported LL Parameter Value", 0x21: "Role Change Not Allowed",
    0x22: "LL Response Timeout", 0x23: "LL Procedure Collision", 0x24: "LMP PDU Not Allowed",
    0x25: "Encryption Mode Not Acceptable", 0x26: "Link Key Cannot be Changed", 0x27: "Requested QoS Not Supported",
    0x28: "Instant Passed", 0x29: "Pairing with Unit Key Not Supported", 0x2A: "Different Transaction Collision",
    0x2C: "QoS Unacceptable Parameter", 0x2D: "QoS Rejected", 0x2E: "Channel Classification Not Supported",
    0x2F: "Insufficient Security", 0x30: "Parameter Out of Mandatory Range", 0x32: "Role Switch Pending",
    0x34: "Reserved Slot Violation", 0x35: "Role Switch Failed", 0x36: "Extended Inquiry Response Too Large",
    0x37: "Secure Simple Pairing Not Supported by Host", 0x38: "Host Busy - Pairing",
    0x39: "Connection Rejected due to No Suitable Channel Found", 0x3A: "Controller Busy",
    0x3B: "Unacceptable Connection Parameters", 0x3C: "Advertising Timeout",
    0x3D: "Connection Terminated due to MIC Failure", 0x3E: "Connection Failed to be Established",
    0x40: "Coarse Clock Adjustment Rejected", 0x41: "Type0 Submap Not Defined", 0x42: "Unknown Advertising Identifier",
    0x43: "Limit Reached", 0x44: "Operation Cancelled by Host", 0x45: "Packet Too Long",
  ]
}

extension ErrorCode: CustomStringConvertible {
  /// The code's name in the Core Specification and its number, for example `Connection Timeout (0x08)`.
  public var description: String {
    "\(Self.names[rawValue] ?? "Error") (0x\([rawValue].uppercaseHexadecimal))"
  }
}
