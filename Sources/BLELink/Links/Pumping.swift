import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// The characteristics of a link that are notified whenever a buffer is free. They take turns, and alternate with the link's channels.
struct NotificationStreams: Sendable {
  private var characteristics: [CharacteristicIndex] = []
  /// The place of the next one.
  private var place = 0
  /// Whether a stream sends next, instead of a channel.
  private var isTurn = false

  var isEmpty: Bool { characteristics.isEmpty }
  var count: Int { characteristics.count }

  /// Adds or removes a characteristic.
  mutating func set(_ characteristic: CharacteristicIndex, isOn: Bool) {
    remove { $0 == characteristic }
    if isOn { characteristics.append(characteristic) }
  }

  mutating func remove(where isGone: (CharacteristicIndex) -> Bool) { characteristics.removeAll(where: isGone) }

  /// Returns whether a stream sends before a channel this time.
  mutating func takeTurn() -> Bool {
    defer { isTurn = !isTurn && !isEmpty }
    return isTurn
  }

  /// Returns the next characteristic; nil if there is none.
  mutating func next() -> CharacteristicIndex? {
    guard !isEmpty else { return nil }
    let current = place % characteristics.count
    place = current + 1
    return characteristics[current]
  }
}

/// What links send on their own whenever a buffer is free: the frames of their channels, and continuous notifications.
extension HostEngine {
  /// Fills free buffers with one PDU of each link in turn.
  mutating func pump(into out: inout HostOutput) {
    var idle = 0
    while idle < links.count, let link = links.next() {
      idle += 1
      guard links[link].hasChannelPDU || !links[link].streams.isEmpty, scheduler.isReady(links[link].handle) else {
        continue
      }
      if sendOne(of: link, into: &out) { idle = 0 }
    }
  }

  /// Sends one PDU of a link, alternating between its channels and its streams; returns false if it has none.
  private mutating func sendOne(of link: LinkID, into out: inout HostOutput) -> Bool {
    let streamsFirst = links[link].streams.takeTurn()
    if streamsFirst, sendStream(of: link, into: &out) { return true }
    if sendChannelPDU(of: link, into: &out) { return true }
    return !streamsFirst && sendStream(of: link, into: &out)
  }

  private mutating func sendChannelPDU(of link: LinkID, into out: inout HostOutput) -> Bool {
    if links[link].isClassic { return sendClassicPDU(of: link, into: &out) }
    let mark = scheduler.beginPDU(links[link].handle, into: &out.octets)
    let isWritten = links[link].channels.writePDU(at: out.now, into: &out.octets, events: &out.channels)
    // If only the link's streams have something to send, there is no PDU, and this reverts the mark.
    scheduler.endPDU(mark, in: &out.octets)
    handOnChannelEvents(of: link, into: &out)
    return isWritten
  }

  private mutating func sendClassicPDU(of link: LinkID, into out: inout HostOutput) -> Bool {
    let mark = scheduler.beginPDU(links[link].handle, into: &out.octets)
    let isWritten = links[link].writeClassicPDU(
      at: out.now, into: &out.octets, events: &out.channels, classicEvents: &out.classicChannels)
    scheduler.endPDU(mark, in: &out.octets)
    handOnChannelEvents(of: link, into: &out)
    handOnClassicChannelEvents(of: link, into: &out)
    return isWritten
  }

  /// Sends the next continuous notification that the application has a value for.
  private mutating func sendStream(of link: LinkID, into out: inout HostOutput) -> Bool {
    guard !links[link].session.isOutOfSync else { return false }
    for _ in 0..<links[link].streams.count {
      guard let characteristic = links[link].streams.next() else { break }
      if takesStream(of: characteristic, link), sendNotification(of: characteristic, to: link, into: &out) {
        return true
      }
    }
    return false
  }

  /// Returns whether a bearer of a link takes a continuous notification. Over LE, free buffers are all that it needs.
  private func takesStream(of characteristic: CharacteristicIndex, _ link: LinkID) -> Bool {
    links[link].classic?.hasRoom ?? true || bearer(for: characteristic, to: link) != .fixed
  }
}
