import BLECore

extension LinkChannels {
  /// Answers a peer that requests channels (Core 5.4 Vol 3 Part A 4.22, 4.25), or asks the application first.
  mutating func accept(
    _ request: ChannelRequest, identifier: UInt8, published: [PublishedChannel], security: LinkSecurity,
    reply: inout OctetBuffer, events: inout [ChannelEvent],
    authorize: (ChannelAuthorizationRequest) -> ChannelAuthorizationAnswer
  ) {
    let answer: ChannelAnswer
    switch admission(of: request, published: published, security: security) {
    case .refused(let result): answer = refuse(request, result, events: &events)
    case .admitted(let published): answer = admit(request, published, events: &events)
    case .asked(let published):
      guard !authorizations.contains(where: { $0.identifier == identifier }) else { return }
      guard authorizations.count < Self.maximumAuthorizations else {
        answer = refuse(request, .noResources, events: &events)
        break
      }
      let question = ChannelAuthorizationRequest(psm: request.psm, channels: request.sources.count)
      switch authorize(question) {
      case .granted: answer = admit(request, published, events: &events)
      case .refused: answer = refuse(request, .insufficientAuthorization, events: &events)
      case .ask(let ticket):
        authorizations.append(
          OpenAuthorization(ticket: ticket, identifier: identifier, request: request, published: published))
        events.append(.authorizationAsked(question, ticket))
        // Only the enhanced response can announce that another one follows.
        guard request.isEnhanced else { return }
        answer = ChannelAnswer(.authorizationPending, to: request)
      }
    }
    answer.encode(identifier: identifier, into: &reply)
  }

  /// Answers a ticket. The response to the peer is sent by the next `writePDU`. Returns false if there is no such ticket, because it has
  /// been answered or the link has ended.
  public mutating func answer(_ ticket: AnswerTicket, isAuthorized: Bool, events: inout [ChannelEvent]) -> Bool {
    guard let index = authorizations.firstIndex(where: { $0.ticket == ticket }) else { return false }
    let asked = authorizations.remove(at: index)
    let answer =
      isAuthorized
      ? admit(asked.request, asked.published, events: &events)
      : refuse(asked.request, .insufficientAuthorization, events: &events)
    responses.append(ReadyResponse(identifier: asked.identifier, answer: answer))
    hasSignalling = true
    return true
  }

  private enum Admission {
    case admitted(PublishedChannel)
    case asked(PublishedChannel)
    case refused(CreditBasedResult)
  }

  /// Checks what applies to all channels of a request: the published PSM, the link's security, the lengths.
  private func admission(
    of request: ChannelRequest, published: [PublishedChannel], security: LinkSecurity
  ) -> Admission {
    guard request.hasChannels else { return .refused(.invalidParameters) }
    // ATT bearers are channels that can be reconfigured (Core 5.4 Vol 3 Part G 5.3).
    guard request.isEnhanced || request.psm != .enhancedAttributeProtocol else { return .refused(.psmNotSupported) }
    guard request.psm.isValid, let published = published.first(where: { $0.psm == request.psm }),
      published.transports.contains(isClassic ? .classic : .le)
    else {
      return .refused(.psmNotSupported)
    }
    let mayAsk = published.authorization == .asked
    let isAuthorized = published.authorization == .granted || mayAsk
    if let shortfall = published.requirement.shortfall(on: security, isAuthorized: isAuthorized) {
      return .refused(CreditBasedResult(shortfall))
    }
    // The enhanced response has a result of its own for values outside their ranges (Core 5.4 Vol 3 Part A 4.26).
    guard request.isAcceptable else {
      return .refused(request.isEnhanced ? .invalidParameters : .unacceptableParameters)
    }
    return published.requirement.needsAuthorization && mayAsk ? .asked(published) : .admitted(published)
  }

  private func refuse(
    _ request: ChannelRequest, _ result: CreditBasedResult, events: inout [ChannelEvent]
  ) -> ChannelAnswer {
    let answer = ChannelAnswer(result, to: request)
    events.append(.peerRefused(psm: request.psm, result, channels: answer.destinations.count))
    return answer
  }

  /// Opens the channels of an admitted request. A channel is refused if its source CID is taken or there is no room for it.
  private mutating func admit(
    _ request: ChannelRequest, _ published: PublishedChannel, events: inout [ChannelEvent]
  ) -> ChannelAnswer {
    let parameters = request.isEnhanced ? published.parameters.enhanced : published.parameters
    var answer = ChannelAnswer(.success, to: request)
    var refusals = 0
    for (place, source) in request.sources.enumerated() {
      let refusal = refusal(of: source, published)
      let id =
        refusal == nil
        ? add(request.psm, remote: source, isIncoming: true, isEnhanced: request.isEnhanced, parameters: parameters)
        : nil
      guard let id, let index = index(of: id) else {
        if refusals == 0 { answer.result = refusal ?? .noResources }
        refusals += 1
        continue
      }
      channels[index].open(remote: source, mtu: request.mtu, mps: request.mps, credits: request.initialCredits)
      answer.destinations[place] = id
      answer.mtu = UInt16(clamping: parameters.mtu)
      answer.mps = UInt16(clamping: parameters.mps)
      answer.initialCredits = UInt16(clamping: channels[index].receiveCredits)
      events.append(.opened(channels[index].status))
    }
    if refusals > 0 { events.append(.peerRefused(psm: request.psm, answer.result, channels: refusals)) }
    return answer
  }

  /// Checks what applies to one channel of a request.
  private func refusal(of source: ChannelID, _ published: PublishedChannel) -> CreditBasedResult? {
    guard isDynamic(source) else { return .invalidSourceCID }
    guard index(ofRemote: source) == nil, !foreignRemotes.contains(source) else { return .sourceCIDAlreadyAllocated }
    // The number of ATT bearers counts regardless of who opened them.
    let countsOwn = published.psm == .enhancedAttributeProtocol
    let open = channels.count { $0.psm == published.psm && ($0.isIncoming || countsOwn) && !$0.isReported }
    return open < published.maximumChannels ? nil : .noResources
  }
}
