// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The code of an LE Meta event (Core 5.4 Vol 4 Part E 7.7.65).
public struct LESubevent: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let leConnectionComplete = LESubevent(rawValue: 0x01)
  public static let leAdvertisingReport = LESubevent(rawValue: 0x02)
  public static let leConnectionUpdateComplete = LESubevent(rawValue: 0x03)
  public static let leReadRemoteFeaturesComplete = LESubevent(rawValue: 0x04)
  public static let leLongTermKeyRequest = LESubevent(rawValue: 0x05)
  public static let leRemoteConnectionParameterRequest = LESubevent(rawValue: 0x06)
  public static let leDataLengthChange = LESubevent(rawValue: 0x07)
  public static let leReadLocalP256PublicKeyComplete = LESubevent(rawValue: 0x08)
  public static let leGenerateDHKeyComplete = LESubevent(rawValue: 0x09)
  public static let leEnhancedConnectionComplete = LESubevent(rawValue: 0x0A)
  public static let leDirectedAdvertisingReport = LESubevent(rawValue: 0x0B)
  public static let lePHYUpdateComplete = LESubevent(rawValue: 0x0C)
  public static let leExtendedAdvertisingReport = LESubevent(rawValue: 0x0D)
  public static let leScanTimeout = LESubevent(rawValue: 0x11)
  public static let leAdvertisingSetTerminated = LESubevent(rawValue: 0x12)
  public static let leScanRequestReceived = LESubevent(rawValue: 0x13)
  public static let leChannelSelectionAlgorithm = LESubevent(rawValue: 0x14)
  public static let leEnhancedConnectionCompleteV2 = LESubevent(rawValue: 0x29)

  private static let names: [UInt8: String] = [
    0x01: "LE_Connection_Complete",
    0x02: "LE_Advertising_Report",
    0x03: "LE_Connection_Update_Complete",
    0x04: "LE_Read_Remote_Features_Complete",
    0x05: "LE_Long_Term_Key_Request",
    0x06: "LE_Remote_Connection_Parameter_Request",
    0x07: "LE_Data_Length_Change",
    0x08: "LE_Read_Local_P-256_Public_Key_Complete",
    0x09: "LE_Generate_DHKey_Complete",
    0x0A: "LE_Enhanced_Connection_Complete_[v1]",
    0x0B: "LE_Directed_Advertising_Report",
    0x0C: "LE_PHY_Update_Complete",
    0x0D: "LE_Extended_Advertising_Report",
    0x11: "LE_Scan_Timeout",
    0x12: "LE_Advertising_Set_Terminated",
    0x13: "LE_Scan_Request_Received",
    0x14: "LE_Channel_Selection_Algorithm",
    0x29: "LE_Enhanced_Connection_Complete_[v2]",
  ]
}

extension LESubevent {
  /// The name in the Core Specification without `HCI_`, for example `LE_Connection_Complete`; nil if it is unknown here.
  package var name: String? { Self.names[rawValue] }
}

extension LESubevent: CustomStringConvertible {
  /// The name in the Core Specification and the number, for example `HCI_LE_Connection_Complete (0x01)`.
  public var description: String {
    "\(Self.names[rawValue].map { "HCI_" + $0 } ?? "LE subevent") (0x\([rawValue].uppercaseHexadecimal))"
  }
}
