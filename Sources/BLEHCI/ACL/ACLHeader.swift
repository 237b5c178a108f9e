// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The part of an L2CAP PDU that an ACL packet carries (Core 5.4 Vol 4 Part E 5.4.2).
public struct PacketBoundary: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The first part, from a host; not flushable.
  public static let firstFromHost = PacketBoundary(rawValue: 0b00)
  /// A later part.
  public static let continuing = PacketBoundary(rawValue: 0b01)
  /// The first part, from a controller, or from a host on BR/EDR; flushable.
  public static let firstFromController = PacketBoundary(rawValue: 0b10)
  /// A whole PDU; not used on LE.
  public static let whole = PacketBoundary(rawValue: 0b11)
}

/// The header of an ACL packet, without its H4 type (Core 5.4 Vol 4 Part E 5.4.2).
public struct ACLHeader: Hashable, Sendable {
  /// The size of the header in octets.
  public static let size = 4

  /// The connection.
  public var connectionHandle: ConnectionHandle
  /// The part of an L2CAP PDU that the packet carries.
  public var boundary: PacketBoundary
  /// Two bits; zero on LE.
  public var broadcast: UInt8
  /// The number of data octets that follow.
  public var length: Int

  /// Creates a header with these values.
  public init(connectionHandle: ConnectionHandle, boundary: PacketBoundary, broadcast: UInt8 = 0, length: Int) {
    self.connectionHandle = connectionHandle
    self.boundary = boundary
    self.broadcast = broadcast
    self.length = length
  }

  /// Reads the header of `packet`, which is exactly one ACL packet without its H4 type.
  @inlinable
  public init(_ packet: Span<UInt8>) throws(LayoutFault) {
    guard packet.count >= 4 else { throw .truncated(offset: 0, needed: 4, available: packet.count) }
    let word = UInt16(packet[0]) | UInt16(packet[1]) << 8
    connectionHandle = ConnectionHandle(rawValue: word & 0x0FFF)
    boundary = PacketBoundary(rawValue: UInt8(truncatingIfNeeded: word >> 12) & 0b11)
    broadcast = UInt8(truncatingIfNeeded: word >> 14)
    length = Int(packet[2]) | Int(packet[3]) << 8
    let present = packet.count - 4
    guard present >= length else { throw .truncated(offset: 4, needed: length, available: present) }
    guard present == length else { throw .trailing(offset: 4 + length, extra: present - length) }
  }

  /// The first word of the header: the handle and both flags.
  @inlinable
  public var word: UInt16 {
    connectionHandle.rawValue & 0x0FFF | UInt16(boundary.rawValue & 0b11) << 12 | UInt16(broadcast & 0b11) << 14
  }

  /// Appends the H4 type and the header. The caller appends the data.
  public func encodeH4(into buffer: inout OctetBuffer) {
    buffer.append(H4PacketType.acl.rawValue)
    buffer.append(littleEndian: word)
    buffer.append(littleEndian: UInt16(clamping: length))
  }
}
