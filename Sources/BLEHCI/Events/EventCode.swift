// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The code of an HCI event (Core 5.4 Vol 4 Part E 7.7).
public struct EventCode: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let inquiryComplete = EventCode(rawValue: 0x01)
  package static let inquiryResult = EventCode(rawValue: 0x02)
  package static let connectionComplete = EventCode(rawValue: 0x03)
  package static let connectionRequest = EventCode(rawValue: 0x04)
  public static let disconnectionComplete = EventCode(rawValue: 0x05)
  package static let authenticationComplete = EventCode(rawValue: 0x06)
  package static let remoteNameRequestComplete = EventCode(rawValue: 0x07)
  public static let encryptionChange = EventCode(rawValue: 0x08)
  package static let changeConnectionLinkKeyComplete = EventCode(rawValue: 0x09)
  package static let linkKeyTypeChanged = EventCode(rawValue: 0x0A)
  package static let readRemoteSupportedFeaturesComplete = EventCode(rawValue: 0x0B)
  public static let readRemoteVersionInformationComplete = EventCode(rawValue: 0x0C)
  package static let qosSetupComplete = EventCode(rawValue: 0x0D)
  public static let commandComplete = EventCode(rawValue: 0x0E)
  public static let commandStatus = EventCode(rawValue: 0x0F)
  public static let hardwareError = EventCode(rawValue: 0x10)
  package static let flushOccurred = EventCode(rawValue: 0x11)
  package static let roleChange = EventCode(rawValue: 0x12)
  public static let numberOfCompletedPackets = EventCode(rawValue: 0x13)
  package static let modeChange = EventCode(rawValue: 0x14)
  package static let returnLinkKeys = EventCode(rawValue: 0x15)
  package static let pinCodeRequest = EventCode(rawValue: 0x16)
  package static let linkKeyRequest = EventCode(rawValue: 0x17)
  package static let linkKeyNotification = EventCode(rawValue: 0x18)
  public static let dataBufferOverflow = EventCode(rawValue: 0x1A)
  package static let maxSlotsChange = EventCode(rawValue: 0x1B)
  package static let readClockOffsetComplete = EventCode(rawValue: 0x1C)
  package static let connectionPacketTypeChanged = EventCode(rawValue: 0x1D)
  package static let qosViolation = EventCode(rawValue: 0x1E)
  package static let pageScanRepetitionModeChange = EventCode(rawValue: 0x20)
  package static let inquiryResultWithRSSI = EventCode(rawValue: 0x22)
  package static let readRemoteExtendedFeaturesComplete = EventCode(rawValue: 0x23)
  package static let synchronousConnectionComplete = EventCode(rawValue: 0x2C)
  package static let synchronousConnectionChanged = EventCode(rawValue: 0x2D)
  package static let sniffSubrating = EventCode(rawValue: 0x2E)
  package static let extendedInquiryResult = EventCode(rawValue: 0x2F)
  public static let encryptionKeyRefreshComplete = EventCode(rawValue: 0x30)
  package static let ioCapabilityRequest = EventCode(rawValue: 0x31)
  package static let ioCapabilityResponse = EventCode(rawValue: 0x32)
  package static let userConfirmationRequest = EventCode(rawValue: 0x33)
  package static let userPasskeyRequest = EventCode(rawValue: 0x34)
  package static let remoteOOBDataRequest = EventCode(rawValue: 0x35)
  package static let simplePairingComplete = EventCode(rawValue: 0x36)
  package static let linkSupervisionTimeoutChanged = EventCode(rawValue: 0x38)
  package static let enhancedFlushComplete = EventCode(rawValue: 0x39)
  package static let userPasskeyNotification = EventCode(rawValue: 0x3B)
  package static let keypressNotification = EventCode(rawValue: 0x3C)
  package static let remoteHostSupportedFeaturesNotification = EventCode(rawValue: 0x3D)
  public static let leMeta = EventCode(rawValue: 0x3E)
  public static let authenticatedPayloadTimeoutExpired = EventCode(rawValue: 0x57)
  public static let encryptionChangeV2 = EventCode(rawValue: 0x59)
  public static let vendor = EventCode(rawValue: 0xFF)

  private static let names: [UInt8: String] = [
    0x01: "Inquiry_Complete",
    0x02: "Inquiry_Result",
    0x03: "Connection_Complete",
    0x04: "Connection_Request",
    0x05: "Disconnection_Complete",
    0x06: "Authentication_Complete",
    0x07: "Remote_Name_Request_Complete",
    0x08: "Encryption_Change_[v1]",
    0x09: "Change_Connection_Link_Key_Complete",
    0x0A: "Link_Key_Type_Changed",
    0x0B: "Read_Remote_Supported_Features_Complete",
    0x0C: "Read_Remote_Version_Information_Complete",
    0x0D: "QoS_Setup_Complete",
    0x0E: "Command_Complete",
    0x0F: "Command_Status",
    0x10: "Hardware_Error",
    0x11: "Flush_Occurred",
    0x12: "Role_Change",
    0x13: "Number_Of_Completed_Packets",
    0x14: "Mode_Change",
    0x15: "Return_Link_Keys",
    0x16: "PIN_Code_Request",
    0x17: "Link_Key_Request",
    0x18: "Link_Key_Notification",
    0x19: "Loopback_Command",
    0x1A: "Data_Buffer_Overflow",
    0x1B: "Max_Slots_Change",
    0x1C: "Read_Clock_Offset_Complete",
    0x1D: "Connection_Packet_Type_Changed",
    0x1E: "QoS_Violation",
    0x20: "Page_Scan_Repetition_Mode_Change",
    0x21: "Flow_Specification_Complete",
    0x22: "Inquiry_Result_with_RSSI",
    0x23: "Read_Remote_Extended_Features_Complete",
    0x2C: "Synchronous_Connection_Complete",
    0x2D: "Synchronous_Connection_Changed",
    0x2E: "Sniff_Subrating",
    0x2F: "Extended_Inquiry_Result",
    0x30: "Encryption_Key_Refresh_Complete",
    0x31: "IO_Capability_Request",
    0x32: "IO_Capability_Response",
    0x33: "User_Confirmation_Request",
    0x34: "User_Passkey_Request",
    0x35: "Remote_OOB_Data_Request",
    0x36: "Simple_Pairing_Complete",
    0x38: "Link_Supervision_Timeout_Changed",
    0x39: "Enhanced_Flush_Complete",
    0x3B: "User_Passkey_Notification",
    0x3C: "Keypress_Notification",
    0x3D: "Remote_Host_Supported_Features_Notification",
    0x3E: "LE_Meta",
    0x48: "Number_Of_Completed_Data_Blocks",
    0x4E: "Triggered_Clock_Capture",
    0x4F: "Synchronization_Train_Complete",
    0x50: "Synchronization_Train_Received",
    0x51: "Connectionless_Peripheral_Broadcast_Receive",
    0x52: "Connectionless_Peripheral_Broadcast_Timeout",
    0x53: "Truncated_Page_Complete",
    0x54: "Peripheral_Page_Response_Timeout",
    0x55: "Connectionless_Peripheral_Broadcast_Channel_Map_Change",
    0x56: "Inquiry_Response_Notification",
    0x57: "Authenticated_Payload_Timeout_Expired",
    0x58: "SAM_Status_Change",
    0x59: "Encryption_Change_[v2]",
    0xFF: "Vendor_Specific",
  ]
}

extension EventCode {
  /// The name in the Core Specification without `HCI_`, for example `Disconnection_Complete`; nil if it is unknown here.
  package var name: String? { Self.names[rawValue] }
}

extension EventCode: CustomStringConvertible {
  /// The name in the Core Specification and the number, for example `HCI_Disconnection_Complete (0x05)`.
  public var description: String {
    "\(Self.names[rawValue].map { "HCI_" + $0 } ?? "Event") (0x\([rawValue].uppercaseHexadecimal))"
  }
}
