// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The opcode of an HCI command: a group of 6 bits and a number of 10 bits in it (Core 5.4 Vol 4 Part E 5.4.1).
public struct CommandOpcode: OpenCode {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates the opcode of command `ocf` in group `ogf`.
  @inlinable
  public init(ogf: UInt8, ocf: UInt16) { self.init(rawValue: UInt16(ogf) << 10 | ocf & 0x3FF) }

  /// The group.
  @inlinable
  public var ogf: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }

  /// The number within the group.
  @inlinable
  public var ocf: UInt16 { rawValue & 0x3FF }

  /// Whether it is a vendor command.
  @inlinable
  public var isVendor: Bool { ogf == 0x3F }

  /// The bit in Supported_Commands, counted from bit 0 of octet 0; nil if the command has none or is unknown here.
  public var supportBit: Int? { KnownCommand.find(self)?.supportBit }
}

extension CommandOpcode {
  /// The name in the Core Specification without `HCI_`, for example `LE_Set_Advertising_Enable`; nil if it is unknown here.
  package var name: String? { KnownCommand.find(self)?.name }
}

extension CommandOpcode: CustomStringConvertible {
  /// The name in the Core Specification and the number, for example `HCI_LE_Set_Advertising_Enable (0x200A)`.
  public var description: String {
    let digits = [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)].uppercaseHexadecimal
    let name = rawValue == 0 ? "NOP" : KnownCommand.find(self).map { "HCI_" + $0.name }
    return "\(name ?? (isVendor ? "Vendor command" : "Command")) (0x\(digits))"
  }
}
