// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The first octet of every ATT PDU (Core 5.4 Vol 3 Part F 3.3.1 and 3.4.8).
public struct ATTOpcode: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let errorResponse = ATTOpcode(rawValue: 0x01)
  public static let exchangeMTURequest = ATTOpcode(rawValue: 0x02)
  public static let exchangeMTUResponse = ATTOpcode(rawValue: 0x03)
  public static let findInformationRequest = ATTOpcode(rawValue: 0x04)
  public static let findInformationResponse = ATTOpcode(rawValue: 0x05)
  public static let findByTypeValueRequest = ATTOpcode(rawValue: 0x06)
  public static let findByTypeValueResponse = ATTOpcode(rawValue: 0x07)
  public static let readByTypeRequest = ATTOpcode(rawValue: 0x08)
  public static let readByTypeResponse = ATTOpcode(rawValue: 0x09)
  public static let readRequest = ATTOpcode(rawValue: 0x0A)
  public static let readResponse = ATTOpcode(rawValue: 0x0B)
  public static let readBlobRequest = ATTOpcode(rawValue: 0x0C)
  public static let readBlobResponse = ATTOpcode(rawValue: 0x0D)
  public static let readMultipleRequest = ATTOpcode(rawValue: 0x0E)
  public static let readMultipleResponse = ATTOpcode(rawValue: 0x0F)
  public static let readByGroupTypeRequest = ATTOpcode(rawValue: 0x10)
  public static let readByGroupTypeResponse = ATTOpcode(rawValue: 0x11)
  public static let writeRequest = ATTOpcode(rawValue: 0x12)
  public static let writeResponse = ATTOpcode(rawValue: 0x13)
  public static let prepareWriteRequest = ATTOpcode(rawValue: 0x16)
  public static let prepareWriteResponse = ATTOpcode(rawValue: 0x17)
  public static let executeWriteRequest = ATTOpcode(rawValue: 0x18)
  public static let executeWriteResponse = ATTOpcode(rawValue: 0x19)
  public static let handleValueNotification = ATTOpcode(rawValue: 0x1B)
  public static let handleValueIndication = ATTOpcode(rawValue: 0x1D)
  public static let handleValueConfirmation = ATTOpcode(rawValue: 0x1E)
  public static let readMultipleVariableRequest = ATTOpcode(rawValue: 0x20)
  public static let readMultipleVariableResponse = ATTOpcode(rawValue: 0x21)
  public static let multipleHandleValueNotification = ATTOpcode(rawValue: 0x23)
  public static let writeCommand = ATTOpcode(rawValue: 0x52)
  public static let signedWriteCommand = ATTOpcode(rawValue: 0xD2)

  /// Whether the Command Flag is set. Such a PDU is never answered, not even with an error (Vol 3 Part F 3.3.1).
  public var isCommand: Bool { rawValue & 0x40 != 0 }

  /// The kind of PDU, which determines the sender and the answer (Core 5.4 Vol 3 Part F 3.3).
  public var kind: Kind {
    switch rawValue {
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21: .response
    case 0x1B, 0x23: .notification
    case 0x1D: .indication
    case 0x1E: .confirmation
    default: isCommand ? .command : .request
    }
  }

  /// The six kinds of PDU. An unassigned method is a command or a request according to its Command Flag: an unknown command is ignored, and
  /// an unknown request is answered with Request Not Supported.
  public enum Kind: Hashable, Sendable {
    case command, request, response, notification, indication, confirmation

    /// Whether a server sends it to a client. All others are sent to a server. Both directions may share a bearer.
    public var isForClient: Bool {
      switch self {
      case .response, .notification, .indication: true
      case .command, .request, .confirmation: false
      }
    }
  }

  /// The response to a request with this opcode (Core 5.4 Vol 3 Part F 3.4.8), always the next number.
  public var response: ATTOpcode { ATTOpcode(rawValue: rawValue &+ 1) }
}

extension ATTOpcode: CustomStringConvertible {
  private static let names: [UInt8: String] = [
    0x01: "ERROR_RSP", 0x02: "EXCHANGE_MTU_REQ", 0x03: "EXCHANGE_MTU_RSP", 0x04: "FIND_INFORMATION_REQ",
    0x05: "FIND_INFORMATION_RSP", 0x06: "FIND_BY_TYPE_VALUE_REQ", 0x07: "FIND_BY_TYPE_VALUE_RSP",
    0x08: "READ_BY_TYPE_REQ", 0x09: "READ_BY_TYPE_RSP", 0x0A: "READ_REQ", 0x0B: "READ_RSP", 0x0C: "READ_BLOB_REQ",
    0x0D: "READ_BLOB_RSP", 0x0E: "READ_MULTIPLE_REQ", 0x0F: "READ_MULTIPLE_RSP", 0x10: "READ_BY_GROUP_TYPE_REQ",
    0x11: "READ_BY_GROUP_TYPE_RSP", 0x12: "WRITE_REQ", 0x13: "WRITE_RSP", 0x16: "PREPARE_WRITE_REQ",
    0x17: "PREPARE_WRITE_RSP", 0x18: "EXECUTE_WRITE_REQ", 0x19: "EXECUTE_WRITE_RSP", 0x1B: "HANDLE_VALUE_NTF",
    0x1D: "HANDLE_VALUE_IND", 0x1E: "HANDLE_VALUE_CFM", 0x20: "READ_MULTIPLE_VARIABLE_REQ",
    0x21: "READ_MULTIPLE_VARIABLE_RSP", 0x23: "MULTIPLE_HANDLE_VALUE_NTF", 0x52: "WRITE_CMD",
    0xD2: "SIGNED_WRITE_CMD",
  ]

  /// The name in the specification, for example `ATT_READ_REQ`.
  public var description: String { "ATT_\(Self.names[rawValue] ?? "0x\([rawValue].uppercaseHexadecimal)")" }
}
