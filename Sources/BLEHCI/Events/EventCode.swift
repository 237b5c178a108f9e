// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The code of an HCI event (Core 5.4 Vol 4 Part E 7.7).
public struct EventCode: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let disconnectionComplete = EventCode(rawValue: 0x05)
  public static let encryptionChange = EventCode(rawValue: 0x08)
  public static let readRemoteVersionInformationComplete = EventCode(rawValue: 0x0C)
  public static let commandComplete = EventCode(rawValue: 0x0E)
  public static let commandStatus = EventCode(rawValue: 0x0F)
  public static let hardwareError = EventCode(rawValue: 0x10)
  public static let numberOfCompletedPackets = EventCode(rawValue: 0x13)
  public static let dataBufferOverflow = EventCode(rawValue: 0x1A)
  public static let encryptionKeyRefreshComplete = EventCode(rawValue: 0x30)
  public static let leMeta = EventCode(rawValue: 0x3E)
  public static let authenticatedPayloadTimeoutExpired = EventCode(rawValue: 0x57)
  public static let encryptionChangeV2 = EventCode(rawValue: 0x59)
  public static let vendor = EventCode(rawValue: 0xFF)

  private static let names: [UInt8: String] = [
    0x05: "Disconnection_Complete",
    0x08: "Encryption_Change_[v1]",
    0x0C: "Read_Remote_Version_Information_Complete",
    0x0E: "Command_Complete",
    0x0F: "Command_Status",
    0x10: "Hardware_Error",
    0x13: "Number_Of_Completed_Packets",
    0x1A: "Data_Buffer_Overflow",
    0x30: "Encryption_Key_Refresh_Complete",
    0x3E: "LE_Meta",
    0x57: "Authenticated_Payload_Timeout_Expired",
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
