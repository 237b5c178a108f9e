// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The octet that precedes every HCI packet on a UART (Core 5.4 Vol 4 Part A 2).
public struct H4PacketType: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let command = H4PacketType(rawValue: 0x01)
  public static let acl = H4PacketType(rawValue: 0x02)
  public static let sync = H4PacketType(rawValue: 0x03)
  public static let event = H4PacketType(rawValue: 0x04)
  public static let iso = H4PacketType(rawValue: 0x05)
}
