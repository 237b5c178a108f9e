import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostStack {
  // MARK: - From the central

  /// Takes a C-frame and answers it.
  mutating func receiveSignalling(
    _ frame: Span<UInt8>, on index: Int, at now: Instant, into out: inout HostOutput
  ) {
    let handle = connections[index].handle
    var outcome = SignallingChannel.Outcome.handled
    var events: [ChannelEvent] = []
    scheduler.sendFrame(on: .signalling, of: handle, into: &out.octets) { buffer in
      outcome = connections[index].channels.receiveSignalling(
        frame, published: publishedChannels, security: connections[index].session.security, at: now, reply: &buffer,
        events: &events
      ) { request in application.authorize(request, for: handle.client, at: now) }
    }
    switch outcome {
    // Only a central is asked for parameters.
    case .handled, .parametersRequested, .parametersRefused: break
    case .parametersAnswered(let accepted): out.events.append(.parametersAnswered(handle, accepted: accepted))
    case .rejected(let code):
      noteDisturbance(.signalling(handle, "rejected code 0x\([code.rawValue].hexadecimal)"), into: &out)
    case .malformed: noteDisturbance(.signalling(handle, "ignored a malformed packet"), into: &out)
    }
    handOn(events, of: index, at: now, into: &out)
  }

  /// Takes a K-frame, and hands its SDU on when it is whole.
  mutating func receiveFrame(
    _ id: ChannelID, _ payload: Span<UInt8>, on index: Int, at now: Instant, into out: inout HostOutput
  ) {
    switch connections[index].channels.receiveFrame(id, payload) {
    case .whole:
      deliver(payload.extracting(KFrame.sduLengthOctetCount...), on: id, of: index, at: now, into: &out)
    case .assembled(let sdu):
      deliver(sdu.span, on: id, of: index, at: now, into: &out)
      connections[index].channels.recycle(sdu, on: id)
    // A violation is reported when the channel has closed.
    case .partial, .discarded, .violation: break
    case .unknownChannel: noteDisturbance(.unknownChannel(connections[index].handle, id.rawValue), into: &out)
    }
  }

  private mutating func deliver(
    _ sdu: Span<UInt8>, on id: ChannelID, of index: Int, at now: Instant, into out: inout HostOutput
  ) {
    let handle = connections[index].handle
    let reception = application.received(
      sdu, on: id, of: handle.client, in: &connections[index].channels, at: now)
    guard reception == .forwarded else { return }
    out.events.append(.sdu(handle, id, sdu.withUnsafeBytes { Array($0) }))
  }

  // MARK: - To the central

  /// Fills free buffers with what the channels of all links have to send.
  mutating func pumpChannels(at now: Instant, into out: inout HostOutput) {
    for index in connections.indices where connections[index].channels.hasPDU { pump(index, at: now, into: &out) }
  }

  private mutating func pump(_ index: Int, at now: Instant, into out: inout HostOutput) {
    let handle = connections[index].handle
    var events: [ChannelEvent] = []
    while scheduler.isReady(handle), connections[index].channels.hasPDU {
      let mark = scheduler.beginPDU(handle, into: &out.octets)
      // Without a PDU the mark is taken back.
      _ = connections[index].channels.writePDU(at: now, into: &out.octets, events: &events)
      scheduler.endPDU(mark, in: &out.octets)
      guard !events.isEmpty else { continue }
      handOn(events, of: index, at: now, into: &out)
      events.removeAll()
    }
  }

  // MARK: - Events and deadlines

  /// Tells the application and the owner what happened to the channels of a link.
  mutating func handOn(
    _ events: [ChannelEvent], of index: Int, at now: Instant, into out: inout HostOutput
  ) {
    let handle = connections[index].handle
    for event in events {
      switch event {
      case .opened(let status):
        application.channelOpened(status, on: handle.client, in: &connections[index].channels, at: now)
      case .maySend(let id):
        application.channelMaySend(id, on: handle.client, in: &connections[index].channels, at: now)
      case .closed(let id, _, _, _): application.channelClosed(id, on: handle.client)
      case .reconfigured, .reconfigurationAnswered, .authorizationAsked, .peerRefused: break
      }
      out.events.append(.channel(handle, event))
    }
  }

  /// Does what is due on the channels of all links.
  mutating func advanceChannels(to now: Instant) {
    guard let deadline = application.nextChannelDeadline, deadline <= now else { return }
    for index in connections.indices {
      application.advanceChannels(
        on: connections[index].handle.client, in: &connections[index].channels, at: now)
    }
  }

  // MARK: - Wishes

  mutating func perform(_ wish: HostRequest.ChannelRequest, at now: Instant, into out: inout HostOutput)
    throws(HostRequestError)
  {
    switch wish {
    case .publish(let channel):
      guard !publishedChannels.contains(where: { $0.psm == channel.psm }) else { throw .psmTaken(channel.psm) }
      publishedChannels.append(channel)
    case .unpublish(let psm):
      guard let place = publishedChannels.firstIndex(where: { $0.psm == psm }) else { throw .unknownPSM(psm) }
      publishedChannels.remove(at: place)
      for index in connections.indices {
        change(index, at: now, into: &out) { $0.closeIncoming(psm, at: now, events: &$1) }
      }
    case .setAuthorization(let psm, let authorization):
      guard let place = publishedChannels.firstIndex(where: { $0.psm == psm }) else { throw .unknownPSM(psm) }
      publishedChannels[place].requirement.needsAuthorization = true
      publishedChannels[place].authorization = authorization
    case .open(let handle, let psm, let parameters): try beginChannel(psm, on: handle, parameters)
    case .openEnhanced(let handle, let psm, let count, let parameters):
      try beginChannels(psm, count: count, on: handle, parameters)
    case .send(let handle, let id, let sdu):
      let index = try existing(handle)
      switch connections[index].channels.send(sdu.span, on: id) {
      case .queued: break
      case .full: throw .channelFull(handle, id)
      case .tooLong(let limit): throw .sduTooLong(handle, id, limit: limit)
      case .notOpen: throw .unknownChannel(handle, id)
      }
    case .hold(let handle, let id, let isHeld): connections[try existing(handle, id)].channels.hold(id, isHeld)
    case .close(let handle, let id):
      change(try existing(handle, id), at: now, into: &out) { $0.close(id, at: now, events: &$1) }
    }
  }

  /// Opens a channel to the central (Core 5.4 Vol 3 Part A 4.22); `opened` or `closed` says how it went.
  public mutating func openChannel(
    _ psm: SPSM, on handle: ConnectionHandle, parameters: ChannelParameters, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) -> ChannelID {
    defer { settle(at: now, into: &out) }
    return try beginChannel(psm, on: handle, parameters)
  }

  /// Opens one to five channels to the central with one request (Core 5.4 Vol 3 Part A 4.25); `opened` or `closed` says of each
  /// how it went. Fewer than asked for when no more CIDs are free.
  public mutating func openEnhancedChannels(
    _ psm: SPSM, count: Int, on handle: ConnectionHandle, parameters: ChannelParameters, at now: Instant,
    into out: inout HostOutput
  ) throws(HostRequestError) -> [ChannelID] {
    defer { settle(at: now, into: &out) }
    return try beginChannels(psm, count: count, on: handle, parameters)
  }

  @discardableResult
  private mutating func beginChannel(
    _ psm: SPSM, on handle: ConnectionHandle, _ parameters: ChannelParameters
  ) throws(HostRequestError) -> ChannelID {
    let index = try existing(handle)
    guard let id = connections[index].channels.open(psm, parameters: parameters) else { throw .noFreeChannel(handle) }
    return id
  }

  @discardableResult
  private mutating func beginChannels(
    _ psm: SPSM, count: Int, on handle: ConnectionHandle, _ parameters: ChannelParameters
  ) throws(HostRequestError) -> [ChannelID] {
    let index = try existing(handle)
    let ids = connections[index].channels.openEnhanced(psm, count: count, parameters: parameters)
    guard !ids.isEmpty else { throw .noFreeChannel(handle) }
    return ids
  }

  private func existing(_ handle: ConnectionHandle) throws(HostRequestError) -> Int {
    guard let index = index(of: handle) else { throw .unknownConnection(handle) }
    return index
  }

  private func existing(_ handle: ConnectionHandle, _ id: ChannelID) throws(HostRequestError) -> Int {
    let index = try existing(handle)
    guard connections[index].channels.status(id) != nil else { throw .unknownChannel(handle, id) }
    return index
  }

  mutating func change(
    _ index: Int, at now: Instant, into out: inout HostOutput,
    _ body: (inout LinkChannels, inout [ChannelEvent]) -> Void
  ) {
    var events: [ChannelEvent] = []
    body(&connections[index].channels, &events)
    handOn(events, of: index, at: now, into: &out)
  }
}

extension HostRequest {
  /// What somebody outside wants of a host's channels.
  public enum ChannelRequest: Hashable, Sendable {
    /// Let centrals open channels to it.
    case publish(PublishedChannel)
    /// Let centrals open no more channels to it, and close those that are open.
    case unpublish(SPSM)
    /// Open a channel to the central.
    case open(ConnectionHandle, SPSM, ChannelParameters)
    /// Open up to five channels to the central with one enhanced request.
    case openEnhanced(ConnectionHandle, SPSM, count: Int, ChannelParameters)
    /// Let somebody decide whether centrals may open channels to it, from now on.
    case setAuthorization(SPSM, ChannelAuthorization)
    /// Send an SDU.
    case send(ConnectionHandle, ChannelID, [UInt8])
    /// Give the central no more credits, or let it go again.
    case hold(ConnectionHandle, ChannelID, Bool)
    /// Close a channel, when what waits has been sent.
    case close(ConnectionHandle, ChannelID)
  }
}
