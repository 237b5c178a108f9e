import BLECore

/// The parts of a command packet without its H4 type (Core 5.4 Vol 4 Part E 5.4.1).
package struct CommandPacket: Hashable, Sendable {
  /// The opcode.
  package var opcode: CommandOpcode
  /// The position of the parameters in the packet.
  package var parameters: Range<Int>

  /// Reads the header of `packet`, which is exactly one command packet without its H4 type.
  @inlinable
  package init(_ packet: Span<UInt8>) throws(LayoutFault) {
    guard packet.count >= 3 else { throw .truncated(offset: 0, needed: 3, available: packet.count) }
    let end = 3 + Int(packet[2])
    guard packet.count >= end else { throw .truncated(offset: 3, needed: end - 3, available: packet.count - 3) }
    guard packet.count == end else { throw .trailing(offset: end, extra: packet.count - end) }
    opcode = CommandOpcode(rawValue: UInt16(packet[0]) | UInt16(packet[1]) << 8)
    parameters = 3..<end
  }
}
