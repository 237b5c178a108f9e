import BLECore
import BLEHCI

// Packets for the observer of the air.
extension Air {
  /// Resumes playing the links that slept because nobody was observing.
  func wakeForObserver() {
    guard observer != nil else { return }
    for link in links.values.sorted(by: { $0.id < $1.id }) { wake(link) }
  }

  /// Passes a packet to the observer when its transmission ends.
  func observe(_ packet: AirPacket, until end: Instant) {
    if end <= now {
      observer?(packet)
    } else {
      timeline.schedule(.packetSent(packet), at: end)
    }
  }

  // MARK: Connections

  /// Returns the link-layer identity of a new connection. No two connections on the air share an access address.
  func makeAccess(_ id: LinkID, usesChannelSelection2: Bool) -> LinkAccess {
    // The streams of controllers count up from 0.
    var random = SplitMix64(seed: configuration.seed, stream: ~id.rawValue)
    while true {
      let access = LinkAccess(&random, usesChannelSelection2: usesChannelSelection2)
      if !links.values.contains(where: { $0.access.address == access.address }) { return access }
    }
  }

  /// Observes a packet of a connection event that has been sent.
  func observe(_ transmission: LinkTransmission, over link: Link) {
    observe(
      transmission.packet, from: link[transmission.side], over: link, receivers: transmission.arrives ? 1 : 0,
      until: now)
  }

  /// Observes the acknowledgement of LL_TERMINATE_IND, the last packet over a link.
  func observeTerminationAcknowledgement(from end: LinkEnd, over link: Link) {
    let packet = LinkPacket(payload: .empty, sequence: end.sequence, expected: end.expected, moreData: false)
    let sent = now + LinkLayerTime.interFrameSpace + end.transmitPHY.airTime(payload: 0)
    observe(
      packet, from: end, over: link, receivers: 1, until: configuration.timing == .immediate ? now : sent)
  }

  private func observe(
    _ packet: LinkPacket, from sender: LinkEnd, over link: Link, receivers: Int, until end: Instant
  ) {
    let receiver = link[sender.side.other].controllerID
    observe(
      AirPacket(
        start: end - sender.transmitPHY.airTime(payload: packet.length),
        channel: link.access.channelSelection.channel(counter: link.nextCounter, map: link.channelMap),
        phy: sender.transmitPHY, accessAddress: link.access.address.rawValue, crcInit: link.access.crcInit,
        pdu: packet.pdu, direction: sender.side == .central ? .toPeripheral : .toCentral, auxiliary: nil,
        isEncrypted: packet.isEncrypted, sender: sender.controllerID, linkNumber: link.id.rawValue,
        receivers: receivers,
        strength: strength(of: sender, at: receiver)),
      until: end)
  }
}
