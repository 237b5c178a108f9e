import BLECore

extension ACLScheduler {
  /// Frames what `write` appends as one L2CAP PDU on a channel (Core 5.4 Vol 3 Part A 3.1) and sends it, or lets it wait for a
  /// buffer; nothing is sent when `write` appends nothing.
  public mutating func sendFrame(
    onChannel channel: UInt16, of handle: ConnectionHandle, into buffer: inout OctetBuffer,
    _ write: (inout OctetBuffer) -> Void
  ) {
    let start = buffer.count
    let mark = beginPDU(handle, into: &buffer)
    let header = buffer.count
    buffer.append(littleEndian: UInt16(0))
    buffer.append(littleEndian: channel)
    let content = buffer.count
    write(&buffer)
    guard buffer.count > content else {
      buffer.truncate(to: start)
      return
    }
    buffer.patch(littleEndian: UInt16(clamping: buffer.count - content), at: header)
    endPDU(mark, in: &buffer)
  }
}
