import BLECore

extension ClassicChannels {
  // MARK: - The peer's requests

  /// Answers a peer that requests a channel (Core 5.4 Vol 3 Part A 4.2), or asks the application first.
  mutating func accept(
    _ request: ChannelConnectionRequest, _ identifier: UInt8, published: [PublishedClassicChannel],
    security: LinkSecurity,
    at now: Instant, events: inout [ClassicChannelEvent], authorize: Authorize
  ) {
    if isRepeated(request, identifier) { return }
    let admission = admission(of: request, published: published, security: security)
    guard case .admitted(let published, let shortfall) = admission else {
      if case .refused(let result) = admission { refuse(request, identifier, result, events: &events) }
      return
    }
    var ticket: AnswerTicket?
    if let shortfall {
      guard tickets.count < Self.maximumAuthorizations else {
        return refuse(request, identifier, .noResources, events: &events)
      }
      let question = ClassicAuthorizationRequest(psm: request.psm, shortfall: shortfall)
      switch authorize(question) {
      case .granted: break
      case .refused: return refuse(request, identifier, .securityBlock, events: &events)
      case .ask(let given):
        ticket = given
        events.append(.authorizationAsked(question, given))
      }
    }
    let id = add(request.psm, remote: request.source, isIncoming: true, parameters: published.parameters)
    guard let id, let index = index(of: id) else {
      return refuse(request, identifier, .noResources, events: &events)
    }
    channels[index].identifier = identifier
    if let ticket, let shortfall {
      channels[index].state = .authorizing(ticket)
      let status: ConnectionStatus = shortfall == .authorization ? .authorizationPending : .authenticationPending
      respond(
        ChannelConnectionResponse(destination: id, source: request.source, result: .pending, status: status), identifier
      )
    } else {
      respond(ChannelConnectionResponse(destination: id, source: request.source), identifier)
      configureIncoming(index, at: now)
    }
  }

  /// Answers a ticket, once the application has decided or the host has raised the link's security. The response to the peer is sent by the
  /// next `writePDU`. Returns false if there is no such ticket, because it has been answered or the link has ended.
  public mutating func answer(
    _ ticket: AnswerTicket, isAuthorized: Bool, at now: Instant, events: inout [ClassicChannelEvent]
  ) -> Bool {
    guard let index = channels.firstIndex(where: { $0.state == .authorizing(ticket) }) else { return false }
    guard isAuthorized else {
      refuse(index, .securityBlock, events: &events)
      return true
    }
    let channel = channels[index]
    respond(ChannelConnectionResponse(destination: channel.local, source: channel.remote), channel.identifier)
    configureIncoming(index, at: now)
    return true
  }

  private enum Admission {
    case admitted(PublishedClassicChannel, lacking: AccessRequirement.Shortfall?)
    case refused(ConnectionResult)
  }

  /// Checks a request: the PSM, the source CID, the link's security, the number of channels.
  private func admission(
    of request: ChannelConnectionRequest, published: [PublishedClassicChannel], security: LinkSecurity
  ) -> Admission {
    guard request.psmExtension.isEmpty, request.psm.isValid,
      let published = published.first(where: { $0.psm == request.psm })
    else { return .refused(.psmNotSupported) }
    guard request.source.isClassicDynamic else { return .refused(.invalidSourceCID) }
    guard index(ofRemote: request.source) == nil, !foreignRemotes.contains(request.source) else {
      return .refused(.sourceCIDAlreadyAllocated)
    }
    let open = channels.count { $0.psm == request.psm && $0.isIncoming }
    guard open < published.maximumChannels, channels.count < Self.maximumChannels else {
      return .refused(.noResources)
    }
    let shortfall = published.requirement.shortfall(
      on: security, isAuthorized: published.authorization == .granted)
    if shortfall == .authorization, published.authorization == .denied { return .refused(.securityBlock) }
    return .admitted(published, lacking: shortfall)
  }

  /// Returns whether a request is one that the peer repeats because it missed the response (Core 5.4 Vol 3 Part A 6.2.1), which is then sent
  /// again.
  private mutating func isRepeated(_ request: ChannelConnectionRequest, _ identifier: UInt8) -> Bool {
    guard let index = index(ofRemote: request.source) else { return false }
    let channel = channels[index]
    guard channel.isIncoming, channel.identifier == identifier, channel.psm == request.psm else { return false }
    switch channel.state {
    case .authorizing:
      respond(
        ChannelConnectionResponse(destination: channel.local, source: channel.remote, result: .pending), identifier)
      return true
    case .configuring where !channel.isReported:
      respond(ChannelConnectionResponse(destination: channel.local, source: channel.remote), identifier)
      return true
    case .connecting, .configuring, .open, .draining, .disconnecting: return false
    }
  }

  private mutating func refuse(
    _ request: ChannelConnectionRequest, _ identifier: UInt8, _ result: ConnectionResult,
    events: inout [ClassicChannelEvent]
  ) {
    respond(
      ChannelConnectionResponse(destination: ChannelID(rawValue: 0), source: request.source, result: result), identifier
    )
    events.append(.peerRefused(request.psm, result))
  }

  /// Refuses the peer's request that waits for an answer.
  mutating func refuse(_ index: Int, _ result: ConnectionResult, events: inout [ClassicChannelEvent]) {
    let channel = channels[index]
    respond(
      ChannelConnectionResponse(destination: ChannelID(rawValue: 0), source: channel.remote, result: result),
      channel.identifier)
    events.append(.peerRefused(channel.psm, result))
    remove(index, .local, events: &events)
  }

  // MARK: - Requests of this side

  /// Processes the peer's response to a request for a channel (Core 5.4 Vol 3 Part A 4.3).
  mutating func answered(
    _ response: ChannelConnectionResponse, _ identifier: UInt8, at now: Instant, events: inout [ClassicChannelEvent]
  ) {
    guard let place = requests.firstIndex(where: { $0.matches(.connect, response.source, identifier) }) else { return }
    if response.result == .pending {
      requests[place].deadline = now + SignallingChannel.extendedTimeout
      return
    }
    requests.remove(at: place)
    guard let index = index(of: response.source) else { return }
    guard response.result == .success else { return remove(index, .refused(response.result), events: &events) }
    guard response.destination.isClassicDynamic, self.index(ofRemote: response.destination) == nil,
      !foreignRemotes.contains(response.destination)
    else {
      return remove(index, .invalidDestination, events: &events)
    }
    channels[index].remote = response.destination
    if let closure = channels[index].closure { disconnect(index, closure) } else { configure(index, at: now) }
  }
}
