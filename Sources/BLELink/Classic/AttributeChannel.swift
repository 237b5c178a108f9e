import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// The channel of the ATT bearer over BR/EDR (Core 5.4 Vol 3 Part G 5.4).
extension HostEngine {
  /// Returns whether a link has the ATT bearer that is not an enhanced one: over LE always, over BR/EDR while its channel is open.
  package func hasAttributeBearer(_ handle: ConnectionHandle) -> Bool {
    guard let link = links.id(of: handle) else { return false }
    return !links[link].isClassic || links[link].classic?.attributeChannel != nil
  }

  // MARK: - Requests of this side

  /// Opens the channel from this side. A link without encryption is encrypted first, because ATT needs it (Core 5.4 Vol 3 Part C 5.2.2.1).
  package mutating func openAttributeChannel(
    on handle: ConnectionHandle, into out: inout HostOutput
  ) throws(HostRequestError) {
    let link = try existingClassic(handle)
    guard links[link].session.security.protection == .none else { return requestAttributeChannel(of: link, into: &out) }
    links[link].classic?.attributeOpening = .encrypting
    raiseClassicSecurity(of: link, into: &out)
  }

  /// Continues after the link has been encrypted, or could not be.
  mutating func openWaitingAttributeChannel(of link: LinkID, into out: inout HostOutput) {
    guard links[link].classic?.attributeOpening == .encrypting else { return }
    guard links[link].session.security.protection == .none else { return requestAttributeChannel(of: link, into: &out) }
    endAttributeOpening(of: link, into: &out)
  }

  /// Reports that this side's channel has ended, or could not be opened.
  mutating func endAttributeOpening(of link: LinkID, into out: inout HostOutput) {
    guard links[link].classic?.attributeOpening != nil else { return }
    links[link].classic?.attributeOpening = nil
    out.events.append(.attributeChannel(links[link].handle, isOpen: false))
  }

  private mutating func requestAttributeChannel(of link: LinkID, into out: inout HostOutput) {
    guard links[link].classic?.attributeChannel == nil else { return }
    links[link].classic?.attributeOpening = .requested
    let parameters = ClassicChannelParameters(mtu: policy.mtu, queueLimit: ClassicHost.attributeQueueLimit)
    if links[link].classic?.channels.open(.attributeProtocol, parameters: parameters) == nil {
      endAttributeOpening(of: link, into: &out)
    }
  }

  /// Returns the link over BR/EDR with that handle.
  func existingClassic(_ handle: ConnectionHandle) throws(HostRequestError) -> LinkID {
    let link = try existing(handle)
    guard links[link].isClassic else { throw .notClassic(handle) }
    return link
  }

  // MARK: - Events

  /// Handles the opening of the channel, whose MTU is that of the bearer. A second one, if both sides have opened one, is closed.
  mutating func attributeChannelOpened(
    _ status: ClassicChannelStatus, of link: LinkID, into out: inout HostOutput
  ) {
    guard links[link].classic?.attributeChannel == nil else {
      links[link].classic?.channels.close(status.id, at: out.now, events: &out.classicChannels)
      return
    }
    links[link].classic?.attributeChannel = status.id
    let att = ATTBearer(
      receiveMTU: status.receiveMTU, sendMTU: status.sendMTU, minimum: ATTBearer.minimumClassicMTU)
    links[link].bearers.fixed = ServerBearer(att)
    links[link].client?.setMTU(att.mtu)
    application.mtuExchanged(att.mtu, with: links[link].handle.client, at: out.now)
    if !status.isIncoming { out.events.append(.attributeChannel(links[link].handle, isOpen: true)) }
    sendIndications(to: link, into: &out)
  }

  /// Handles the end of the channel: what was in progress on the bearer ends with it, and the client's state remains.
  mutating func attributeChannelClosed(of link: LinkID, into out: inout HostOutput) {
    links[link].classic?.attributeChannel = nil
    var events: [ServerEvent] = []
    links[link].closeBearers(server, &application, events: &events)
    links[link].bearers.fixed.att.timeOut()
    faults?.agenda.forget(.fixed, of: links[link].handle)
    closeClient(of: link, into: &out)
    report(events, on: links[link].handle, into: &out)
  }

  /// Ends the ATT bearer of a link over BR/EDR, but not the link.
  mutating func closeAttributeChannel(of link: LinkID, into out: inout HostOutput) {
    guard let channel = links[link].classic?.attributeChannel else { return }
    links[link].classic?.channels.abort(channel, at: out.now, events: &out.classicChannels)
    handOnClassicChannelEvents(of: link, into: &out)
  }
}
