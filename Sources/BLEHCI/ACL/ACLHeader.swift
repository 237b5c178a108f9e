// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Which part of an L2CAP PDU an ACL packet carries (Core 5.4 Vol 4 Part E 5.4.2).
public struct PacketBoundary: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The first part, from a host; not flushable.
  public static let firstFromHost = PacketBoundary(rawValue: 0b00)
  /// A further part.
  public static let continuing = PacketBoundary(rawValue: 0b01)
  /// The first part, from a controller; flushable.
  public static let firstFromController = PacketBoundary(rawValue: 0b10)
  /// A whole PDU; not used on LE.
  public static let whole = PacketBoundary(rawValue: 0b11)
}

/// The head of an ACL packet, without its H4 type (Core 5.4 Vol 4 Part E 5.4.2).
public struct ACLHeader: Hashable, Sendable {
  /// How many octets the head takes.
  public static let size = 4

  /// The connection.
  public var connectionHandle: ConnectionHandle
  /// Which part of an L2CAP PDU the packet carries.
  public var boundary: PacketBoundary
  /// Two bits; zero on LE.
  public var broadcast: UInt8
  /// How many octets of data follow.
  public var length: Int

  /// A head with those values.
  public init(connectionHandle: ConnectionHandle, boundary: PacketBoundary, broadcast: UInt8 = 0, length: Int) {
    self.connectionHandle = connectionHandle
    self.boundary = boundary
    self.broadcast = broadcast
    self.length = length
  }

  /// Reads the head of `packet`, which is exactly one ACL packet without its H4 type.
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

  /// The first word of the head: the handle with both flags.
  @inlinable
  public var word: UInt16 {
    connectionHandle.rawValue & 0x0FFF | UInt16(boundary.rawValue & 0b11) << 12 | UInt16(broadcast & 0b11) << 14
  }

  /// Appends the H4 type and the head; the data is the caller's to append.
  public func encodeH4(into buffer: inout OctetBuffer) {
    buffer.append(H4PacketType.acl.rawValue)
    buffer.append(littleEndian: word)
    buffer.append(littleEndian: UInt16(clamping: length))
  }
}
