import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// What links send on their own whenever a buffer is free: the frames of their channels, and continuous notifications.
extension HostEngine {
  /// Fills free buffers with one PDU of each link in turn.
  mutating func pump(into out: inout HostOutput) {
    var idle = 0
    while idle < links.count, let link = links.next() {
      idle += 1
      guard links[link].channels.hasPDU || !links[link].streams.isEmpty, scheduler.isReady(links[link].handle) else {
        continue
      }
      if sendOne(of: link, into: &out) { idle = 0 }
    }
  }

  /// Sends one PDU of a link, alternating between its channels and its streams; returns false if it has none.
  private mutating func sendOne(of link: LinkID, into out: inout HostOutput) -> Bool {
    let streamsFirst = links[link].isStreamsTurn
    links[link].isStreamsTurn = !streamsFirst && !links[link].streams.isEmpty
    if streamsFirst, sendStream(of: link, into: &out) { return true }
    if sendChannelPDU(of: link, into: &out) { return true }
    return !streamsFirst && sendStream(of: link, into: &out)
  }

  private mutating func sendChannelPDU(of link: LinkID, into out: inout HostOutput) -> Bool {
    let mark = scheduler.beginPDU(links[link].handle, into: &out.octets)
    let isWritten = links[link].channels.writePDU(at: out.now, into: &out.octets, events: &out.channels)
    // If only the link's streams have something to send, there is no PDU, and this reverts the mark.
    scheduler.endPDU(mark, in: &out.octets)
    handOnChannelEvents(of: link, into: &out)
    return isWritten
  }

  /// Sends the next continuous notification that the application has a value for.
  private mutating func sendStream(of link: LinkID, into out: inout HostOutput) -> Bool {
    guard !links[link].session.isOutOfSync else { return false }
    for _ in links[link].streams.indices {
      let place = links[link].nextStream % links[link].streams.count
      links[link].nextStream = place + 1
      if sendNotification(of: links[link].streams[place], to: link, into: &out) { return true }
    }
    return false
  }
}
