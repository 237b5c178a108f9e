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
    sendFrame(onChannel: channel.rawValue, of: handle, into: &buffer, write)
  }
}
