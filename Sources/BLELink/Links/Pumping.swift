import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// What links send by themselves whenever a buffer is free: the frames of their channels, and continuous notifications.
extension HostEngine {
  /// Fills free buffers, one PDU of each link in turn.
  mutating func pump(at now: Instant, into out: inout HostOutput) {
    var idle = 0
    while idle < links.count {
      pumpTurn = pumpTurn + 1 < links.count ? pumpTurn + 1 : 0
      idle += 1
      guard links[pumpTurn].channels.hasPDU || !links[pumpTurn].streams.isEmpty,
        scheduler.isReady(links[pumpTurn].handle)
      else { continue }
      if sendOne(of: pumpTurn, at: now, into: &out) { idle = 0 }
    }
  }

  /// Sends one PDU of a link, of its channels and its streams in turn; false when it has none.
  private mutating func sendOne(of index: Int, at now: Instant, into out: inout HostOutput) -> Bool {
    let streamsFirst = links[index].isStreamsTurn
    links[index].isStreamsTurn = !streamsFirst && !links[index].streams.isEmpty
    if streamsFirst, sendStream(of: index, at: now, into: &out) { return true }
    if sendChannelPDU(of: index, at: now, into: &out) { return true }
    return !streamsFirst && sendStream(of: index, at: now, into: &out)
  }

  private mutating func sendChannelPDU(of index: Int, at now: Instant, into out: inout HostOutput) -> Bool {
    let mark = scheduler.beginPDU(links[index].handle, into: &out.octets)
    let isWritten = links[index].channels.writePDU(at: now, into: &out.octets, events: &out.channels)
    // Without a PDU, when only the link's streams have something, the mark is taken back.
    scheduler.endPDU(mark, in: &out.octets)
    handOnChannelEvents(of: index, at: now, into: &out)
    return isWritten
  }

  /// Sends the next continuous notification that the application has a value for.
  private mutating func sendStream(of index: Int, at now: Instant, into out: inout HostOutput) -> Bool {
    guard !links[index].session.isOutOfSync else { return false }
    for _ in links[index].streams.indices {
      let place = links[index].nextStream % links[index].streams.count
      links[index].nextStream = place + 1
      if sendNotification(of: links[index].streams[place], to: index, at: now, into: &out) { return true }
    }
    return false
  }
}
