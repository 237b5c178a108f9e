import BLECore

extension LinkChannels {
  /// Processes a C-frame and appends at most one packet in response. Channels can be opened to `published` PSMs, on a link with this
  /// security. `authorize` asks the application if needed.
  public mutating func receiveSignalling(
    _ frame: Span<UInt8>, published: [PublishedChannel], security: LinkSecurity, at now: Instant,
    reply: inout OctetBuffer, events: inout [ChannelEvent],
    authorize: (ChannelAuthorizationRequest) -> ChannelAuthorizationAnswer = { _ in .refused }
  ) -> SignallingChannel.Outcome {
    let header: SignallingHeader
    switch signalling.examine(frame, reply: &reply) {
    case .packet(let packet): header = packet
    case .done(let outcome): return outcome
    }
    return receive(
      header, frame.extracting(SignallingHeader.octetCount...), published: published, security: security, at: now,
      reply: &reply, events: &events, authorize: authorize)
  }

  /// Returns whether a packet of a C-frame on ACL-U concerns these channels, and not the connection-oriented ones.
  public func concerns(_ header: SignallingHeader, _ data: Span<UInt8>) -> Bool {
    switch header.code {
    case .creditBasedConnectionRequest, .creditBasedConnectionResponse, .creditBasedReconfigureRequest,
      .creditBasedReconfigureResponse, .flowControlCredit:
      true
    case .disconnectionRequest: (try? DisconnectionRequest(decoding: data)).map { owns($0.destination) } ?? false
    case .disconnectionResponse: (try? DisconnectionResponse(decoding: data)).map { owns($0.source) } ?? false
    case .commandReject: requests.contains { $0.isSent && $0.identifier == header.identifier }
    default: false
    }
  }

  /// Processes a packet of a C-frame, as `receiveSignalling` does.
  public mutating func receive(
    _ header: SignallingHeader, _ data: Span<UInt8>, published: [PublishedChannel], security: LinkSecurity,
    at now: Instant, reply: inout OctetBuffer, events: inout [ChannelEvent],
    authorize: (ChannelAuthorizationRequest) -> ChannelAuthorizationAnswer = { _ in .refused }
  ) -> SignallingChannel.Outcome {
    do throws(LayoutFault) {
      switch header.code {
      case .leCreditBasedConnectionRequest:
        let request = ChannelRequest(try LECreditBasedConnectionRequest(decoding: data))
        accept(
          request, identifier: header.identifier, published: published, security: security, reply: &reply,
          events: &events,
          authorize: authorize)
        return .handled
      case .creditBasedConnectionRequest:
        let request = ChannelRequest(try CreditBasedConnectionRequest(decoding: data))
        accept(
          request, identifier: header.identifier, published: published, security: security, reply: &reply,
          events: &events,
          authorize: authorize)
        return .handled
      default: return try receivePacket(header, data, at: now, reply: &reply, events: &events)
      }
    } catch {
      if header.code.isResponse { return .malformed }
      return signalling.reject(header, CommandReject(reason: .notUnderstood), &reply)
    }
  }

  /// Processes a packet about channels that exist or are being opened.
  private mutating func receivePacket(
    _ header: SignallingHeader, _ data: Span<UInt8>, at now: Instant, reply: inout OctetBuffer,
    events: inout [ChannelEvent]
  ) throws(LayoutFault) -> SignallingChannel.Outcome {
    let identifier = header.identifier
    switch header.code {
    case .disconnectionRequest:
      return disconnected(
        try DisconnectionRequest(decoding: data), identifier: identifier, reply: &reply, events: &events)
    case .creditBasedReconfigureRequest:
      reconfigured(
        try CreditBasedReconfigureRequest(decoding: data), identifier: identifier, reply: &reply, events: &events)
    case .flowControlCredit: addCredits(try FlowControlCredit(decoding: data))
    case .disconnectionResponse:
      disconnected(try DisconnectionResponse(decoding: data), identifier: identifier, events: &events)
    case .leCreditBasedConnectionResponse:
      answered(try LECreditBasedConnectionResponse(decoding: data), identifier: identifier, events: &events)
    case .creditBasedConnectionResponse:
      answered(
        try CreditBasedConnectionResponse(decoding: data), identifier: identifier, at: now, events: &events)
    case .creditBasedReconfigureResponse:
      answered(try CreditBasedReconfigureResponse(decoding: data), identifier: identifier, events: &events)
    case .commandReject:
      if rejected(identifier: identifier, events: &events) { return .handled }
      return signalling.receive(header, data, reply: &reply)
    default: return signalling.receive(header, data, reply: &reply)
    }
    return .handled
  }

  /// Processes credits (Core 5.4 Vol 3 Part A 4.24). Credits for an unknown channel are ignored; too many credits close the channel.
  private mutating func addCredits(_ packet: FlowControlCredit) {
    guard let index = index(ofRemote: packet.source), channels[index].isCarrying else { return }
    if !channels[index].addCredits(packet.credits) { disconnect(index, .violation(.creditOverflow)) }
  }

  /// Processes the payload of a B-frame on a dynamic CID. Nothing is sent here: the next `writePDU` sends credits or a Disconnection
  /// Request.
  public mutating func receiveFrame(_ id: ChannelID, _ payload: Span<UInt8>) -> FrameOutcome {
    guard let index = index(of: id) else { return .unknownChannel }
    let outcome = channels[index].receive(payload)
    if case .violation(let violation) = outcome { disconnect(index, .violation(violation)) }
    if channels[index].wantsCreditsReturned { hasSignalling = true }
    return outcome
  }

  // MARK: - Connection parameters

  /// Appends a Connection Parameter Update Request (Core 5.4 Vol 3 Part A 4.20).
  public mutating func requestParameters(
    _ request: ConnectionParameterUpdateRequest, at now: Instant, into buffer: inout OctetBuffer
  ) {
    signalling.requestParameters(request, identifier: nextIdentifier(), at: now, into: &buffer)
  }
}
