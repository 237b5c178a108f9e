import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESDP

/// The L2CAP channels of links over BR/EDR (Core 5.4 Vol 3 Part A 2.1, on ACL-U).
extension HostEngine {
  /// Handles a PDU on a link over BR/EDR.
  mutating func receiveClassic(
    _ payload: Span<UInt8>, on channel: ChannelID, of link: LinkID, into out: inout HostOutput
  ) {
    switch channel {
    case .classicSecurityManager: receiveDerivation(payload, on: link, into: &out)
    case .classicSignalling: receiveClassicSignalling(payload, on: link, into: &out)
    case let channel where links[link].channels.owns(channel):
      receiveFrame(channel, payload, on: link, into: &out)
    case let channel where channel.isClassicDynamic: receiveClassicFrame(channel, payload, on: link, into: &out)
    default: receiveUnclaimed(payload, on: channel, of: links[link].handle, into: &out)
    }
  }

  /// Handles a C-frame: each of its packets concerns the credit-based channels, or the connection-oriented ones and the link.
  private mutating func receiveClassicSignalling(_ frame: Span<UInt8>, on link: LinkID, into out: inout HostOutput) {
    guard frame.count <= ClassicChannels.signallingMTU else {
      return noteSignalling(links[link].classic?.channels.rejectTooLong(frame) ?? .handled, of: link, into: &out)
    }
    let packets = ClassicSignallingFrame(frame)
    for place in packets.places {
      let data = frame.extracting(place.data)
      links[link].exchangeRemotes()
      guard links[link].channels.concerns(place.header, data) else {
        receiveClassicSignalling(place.header, data, on: link, into: &out)
        continue
      }
      let packet = frame.extracting(place.data.lowerBound - SignallingHeader.octetCount..<place.data.upperBound)
      receiveSignalling(packet, on: link, into: &out)
    }
    guard packets.hasPart, let outcome = links[link].classic?.channels.rejectPart(frame.extracting(packets.end...))
    else {
      return
    }
    noteSignalling(outcome, of: link, into: &out)
    handOnClassicChannelEvents(of: link, into: &out)
  }

  private mutating func receiveClassicSignalling(
    _ header: SignallingHeader, _ data: Span<UInt8>, on link: LinkID, into out: inout HostOutput
  ) {
    guard let published = classic?.published else { return }
    let security = links[link].session.security
    var asked: [(ticket: AnswerTicket, psm: PSM)] = []
    let outcome = links[link].classic?.channels.receive(
      header, data, published: published, security: security, at: out.now, events: &out.classicChannels
    ) { request in
      // Encryption is all that the published channels require.
      guard let ticket = classic?.nextTicket() else { return .refused }
      asked.append((ticket, request.psm))
      return .ask(ticket)
    }
    noteSignalling(outcome ?? .handled, of: link, into: &out)
    links[link].classic?.waiting += asked
    handOnClassicChannelEvents(of: link, into: &out)
    if !asked.isEmpty { raiseClassicSecurity(of: link, into: &out) }
  }

  private mutating func receiveClassicFrame(
    _ id: ChannelID, _ payload: Span<UInt8>, on link: LinkID, into out: inout HostOutput
  ) {
    switch links[link].classic?.channels.receiveFrame(id, payload, at: out.now) {
    case .sdu: receiveClassicSDU(payload, on: id, of: link, into: &out)
    case .assembled(let sdu): receiveClassicSDU(sdu.span, on: id, of: link, into: &out)
    case .unknownChannel: receiveUnclaimed(payload, on: id, of: links[link].handle, into: &out)
    // A violation is reported when the channel is closed.
    case .incomplete, .discarded, .violation, nil: break
    }
  }

  private mutating func receiveClassicSDU(
    _ sdu: Span<UInt8>, on id: ChannelID, of link: LinkID, into out: inout HostOutput
  ) {
    if id == links[link].classic?.attributeChannel {
      receiveATT(sdu, on: link, over: .fixed, into: &out)
    } else if id == links[link].classic?.search?.channel {
      receiveRecords(sdu, of: link, into: &out)
    } else if !isIntercepted(discovery: sdu, on: id, of: link, into: &out) {
      answerDiscovery(sdu, on: id, of: link, into: &out)
    }
  }

  /// Answers a request to the Service Discovery Server, with the response as `alter` returns it.
  mutating func answerDiscovery(
    _ pdu: Span<UInt8>, on id: ChannelID, of link: LinkID, into out: inout HostOutput,
    alter: (([UInt8]) -> [UInt8])? = nil
  ) {
    guard var session = links[link].classic?.discoveries[id], let status = links[link].classic?.channels.status(id)
    else {
      return
    }
    classic?.discovery.receive(pdu, from: &session, mtu: status.sendMTU, reply: &out.bearer)
    links[link].classic?.discoveries[id] = session
    if let alter {
      let altered = alter(out.bearer.copy())
      out.bearer.removeAll()
      out.bearer.append(altered)
    }
    sendDiscovery(on: id, of: link, into: &out)
  }

  /// Sends the response that has been written for a client of service discovery.
  mutating func sendDiscovery(on id: ChannelID, of link: LinkID, into out: inout HostOutput) {
    defer { out.bearer.removeAll() }
    guard !out.bearer.isEmpty else { return }
    let submission = out.bearer.withSpan { links[link].classic?.channels.send($0, on: id) }
    // The client sends requests without taking the answers.
    if submission != .queued {
      links[link].classic?.channels.abort(id, at: out.now, events: &out.classicChannels)
      handOnClassicChannelEvents(of: link, into: &out)
    }
  }

  // MARK: - Events

  /// Handles the events of a link's channels: the Service Discovery Server and the ATT bearer begin and end with them.
  mutating func handOnClassicChannelEvents(of link: LinkID, into out: inout HostOutput) {
    while !out.classicChannels.isEmpty {
      switch out.classicChannels.removeFirst() {
      case .opened(let status) where status.psm == .serviceDiscovery && status.isIncoming:
        links[link].classic?.discoveries[status.id] = SDPServerSession()
      case .opened(let status) where status.psm == .serviceDiscovery: searchRecords(on: status, of: link, into: &out)
      case .opened(let status) where status.psm == .attributeProtocol:
        attributeChannelOpened(status, of: link, into: &out)
      case .reconfigured(let status) where status.id == links[link].classic?.attributeChannel:
        links[link].bearers.fixed.att.setChannelMTU(receive: status.receiveMTU, send: status.sendMTU)
        let mtu = links[link].bearers.fixed.att.mtu
        links[link].client?.setMTU(mtu)
      case .closed(let id, let psm, let closure, _):
        links[link].classic?.discoveries[id] = nil
        if let reason = closure.violation {
          report(.signalling(links[link].handle, "closed a channel \(reason)"), into: &out)
        }
        if id == links[link].classic?.attributeChannel { attributeChannelClosed(of: link, into: &out) }
        if psm == .attributeProtocol { endAttributeOpening(of: link, into: &out) }
        endSearch(.failure(.noChannel(closure)), on: id, of: link, into: &out)
      case .authorizationWithdrawn(let ticket): links[link].classic?.waiting.removeAll { $0.ticket == ticket }
      case .informed(.fixedChannels, let response):
        if response?.fixedChannels.contains(.securityManager) ?? false { beginDerivation(of: link, into: &out) }
      case .opened, .reconfigured, .maySend, .authorizationAsked, .peerRefused, .informed: break
      }
    }
  }
}

extension ClassicChannelClosure {
  /// What the peer has done wrong on the channel; nil if nothing.
  fileprivate var violation: String? {
    switch self {
    case .sduTooLong(let octets): "after an SDU of \(octets) octets"
    case .retransmission(.invalidAcknowledgement): "after the acknowledgement of a frame that was not sent"
    case .retransmission(.invalidSequence): "after a frame beyond the window"
    case .retransmission(.invalidSegment): "after a frame that does not continue its SDU"
    case .retransmission(.unacknowledged): "whose frames the peer does not acknowledge"
    case .local, .unpublished, .remote, .linkLost, .refused, .rejected, .unanswered, .unconfigurable,
      .invalidDestination:
      nil
    }
  }
}
