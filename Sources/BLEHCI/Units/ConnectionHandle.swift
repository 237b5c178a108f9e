// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The handle of a connection between host and controller: 12 bits, 0x0000...0x0EFF (Core 5.4 Vol 4 Part E 5.3.1). Zero is valid.
public struct ConnectionHandle: OpenCode, CustomStringConvertible {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let zero = ConnectionHandle(rawValue: 0)

  /// Whether the handle is in the range of connection handles.
  @inlinable
  public var isValid: Bool { rawValue <= 0x0EFF }

  /// The handle in hexadecimal, for example `0x0040`.
  public var description: String {
    "0x" + [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)].uppercaseHexadecimal
  }
}
