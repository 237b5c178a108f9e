import BLECore
import BLEHCI

/// Encodes packets as a btsnoop file (version 1, data link 1002: HCI UART), which Wireshark, btmon and Android's tools read.
///
/// It does no input or output: it appends octets to a buffer. The caller supplies the time and writes the buffer.
package struct BTSnoopEncoder: Sendable {
  /// The number of packets lost so far, which the format includes in each record.
  package var droppedPackets: UInt32 = 0

  /// Creates an encoder without lost packets.
  package init() {}

  /// Appends the header of a file.
  package func beginFile(into buffer: inout OctetBuffer) {
    buffer.append(BTSnoopFormat.magic)
    buffer.append(littleEndian: BTSnoopFormat.version.bigEndian)
    buffer.append(littleEndian: BTSnoopFormat.dataLink.bigEndian)
  }

  /// Appends the record of a packet.
  ///
  /// - Parameters:
  ///   - type: The packet's H4 type.
  ///   - packet: The packet without its type.
  ///   - microseconds: The wall clock, in microseconds since 1970-01-01 00:00 UTC.
  package func record(
    _ direction: CapturedPacket.Direction, _ type: H4PacketType, _ packet: Span<UInt8>, microseconds: Int64,
    into buffer: inout OctetBuffer
  ) {
    let length = UInt32(clamping: packet.count + 1)
    buffer.reserve(BTSnoopFormat.recordHeadLength + 1 + packet.count)
    buffer.append(littleEndian: length.bigEndian)
    buffer.append(littleEndian: length.bigEndian)
    buffer.append(littleEndian: BTSnoopFormat.Flags(direction, type).rawValue.bigEndian)
    buffer.append(littleEndian: droppedPackets.bigEndian)
    buffer.append(littleEndian: (microseconds &+ BTSnoopFormat.epochOffset).bigEndian)
    buffer.append(type.rawValue)
    buffer.append(packet)
  }
}
