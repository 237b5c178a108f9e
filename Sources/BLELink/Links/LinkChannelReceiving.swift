import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostEngine {
  // MARK: - From the peer

  /// Handles a C-frame of one packet and answers it.
  mutating func receiveSignalling(_ frame: Span<UInt8>, on link: LinkID, into out: inout HostOutput) {
    let now = out.now
    if isIntercepted(signalling: frame, on: link, into: &out) { return }
    let handle = links[link].handle
    var outcome = SignallingChannel.Outcome.handled
    scheduler.sendFrame(on: links[link].signallingChannel, of: handle, into: &out.octets) { buffer in
      outcome = links[link].channels.receiveSignalling(
        frame, published: publishedChannels, security: links[link].session.security, at: now, reply: &buffer,
        events: &out.channels
      ) { request in application.authorize(request, for: handle.client, at: now) }
    }
    noteSignalling(outcome, of: link, into: &out)
    handOnChannelEvents(of: link, into: &out)
  }

  /// Handles the outcome of a signalling packet.
  mutating func noteSignalling(_ outcome: SignallingChannel.Outcome, of link: LinkID, into out: inout HostOutput) {
    let handle = links[link].handle
    switch outcome {
    case .handled: break
    case .parametersRequested(let request, let identifier): answer(request, identifier, on: link, into: &out)
    case .parametersAnswered(let accepted): out.events.append(.parametersAnswered(handle, accepted: accepted))
    case .parametersRefused:
      report(.signalling(handle, "refused invalid connection parameters"), into: &out)
    case .rejected(let code):
      report(.signalling(handle, "rejected code 0x\([code.rawValue].hexadecimal)"), into: &out)
    case .malformed: report(.signalling(handle, "ignored a malformed packet"), into: &out)
    }
  }

  /// Handles a K-frame, and delivers its SDU when it is complete.
  mutating func receiveFrame(_ id: ChannelID, _ payload: Span<UInt8>, on link: LinkID, into out: inout HostOutput) {
    switch links[link].channels.receiveFrame(id, payload) {
    case .whole:
      deliver(payload.extracting(KFrame.sduLengthOctetCount...), on: id, of: link, into: &out)
    case .assembled(let sdu):
      deliver(sdu.span, on: id, of: link, into: &out)
      links[link].channels.recycle(sdu, on: id)
    // A violation is reported when the channel is closed.
    case .partial, .discarded, .violation: break
    case .unknownChannel: receiveUnclaimed(payload, on: id, of: links[link].handle, into: &out)
    }
  }

  private mutating func deliver(_ sdu: Span<UInt8>, on id: ChannelID, of link: LinkID, into out: inout HostOutput) {
    let handle = links[link].handle
    if links[link].bearers.hasEnhanced, receiveBearer(sdu, on: id, of: link, into: &out) { return }
    if isIntercepted(sduOn: id, of: link, into: &out) { return }
    let reception = application.received(
      sdu, on: id, of: handle.client, in: &links[link].channels, at: out.now)
    guard reception == .forwarded else { return }
    out.events.append(.sdu(handle, id, sdu.withUnsafeBytes { Array($0) }))
  }

  // MARK: - Events and deadlines

  /// Passes the events of a link's channels to the application and the owner.
  mutating func handOnChannelEvents(of link: LinkID, into out: inout HostOutput) {
    let now = out.now
    guard !out.channels.isEmpty else { return }
    let handle = links[link].handle
    for event in out.channels {
      if isAboutBearer(event, of: link) {
        out.bearerEvents.append(event)
        out.events.append(.channel(handle, event))
        continue
      }
      switch event {
      case .opened(let status):
        application.channelOpened(status, on: handle.client, in: &links[link].channels, at: now)
        occurred(.channelOpened(status), on: handle, into: &out)
      case .maySend(let id):
        let reception = application.channelMaySend(id, on: handle.client, in: &links[link].channels, at: now)
        // The owner does not need to know about a channel that the application itself fills.
        if reception == .taken { continue }
      case .closed(let id, _, _, _): application.channelClosed(id, on: handle.client)
      case .reconfigured, .reconfigurationAnswered, .authorizationAsked, .peerRefused: break
      }
      out.events.append(.channel(handle, event))
    }
    out.channels.removeAll(keepingCapacity: true)
    if !out.bearerEvents.isEmpty { followBearers(of: handle, into: &out) }
  }

  /// Handles everything that is due on the channels of all links.
  mutating func advanceChannels(to now: Instant) {
    guard let deadline = application.nextChannelDeadline, deadline <= now else { return }
    for link in links.ids {
      application.advanceChannels(
        on: links[link].handle.client, in: &links[link].channels, at: now)
    }
  }
}
