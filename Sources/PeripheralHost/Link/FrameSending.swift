import BLECore
import BLEHCI
import BLEL2CAP

extension ACLScheduler {
  /// Frames what `write` appends as one B-frame on a channel and sends it, or lets it wait for a buffer; nothing is sent when
  /// `write` appends nothing.
  mutating func sendFrame(
    on channel: ChannelID, of handle: ConnectionHandle, into buffer: inout OctetBuffer,
    _ write: (inout OctetBuffer) -> Void
  ) {
    let start = buffer.count
    let mark = beginPDU(handle, into: &buffer)
    let header = buffer.count
    buffer.append(littleEndian: UInt16(0))
    buffer.append(littleEndian: channel.rawValue)
    write(&buffer)
    let length = buffer.count - header - BasicHeader.octetCount
    guard length > 0 else {
      buffer.truncate(to: start)
      return
    }
    buffer.patch(littleEndian: UInt16(clamping: length), at: header)
    endPDU(mark, in: &buffer)
  }
}
