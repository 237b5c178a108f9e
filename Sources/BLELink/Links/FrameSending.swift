import BLECore
import BLEHCI
import BLEL2CAP

extension ACLScheduler {
  /// Frames what `write` appends as one B-frame on a channel (Core 5.4 Vol 3 Part A 3.1), and sends it, or queues it until a buffer is free;
  /// sends nothing if `write` appends nothing.
  mutating func sendFrame(
    on channel: ChannelID, of handle: ConnectionHandle, into buffer: inout OctetBuffer,
    _ write: (inout OctetBuffer) -> Void
  ) {
    let mark = beginPDU(handle, into: &buffer)
    buffer.appendBFrame(on: channel, write)
    // Without a frame, this reverts the mark.
    endPDU(mark, in: &buffer)
  }
}
