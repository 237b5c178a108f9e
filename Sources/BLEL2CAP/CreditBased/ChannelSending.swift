import BLECore

extension LinkChannels {
  /// Whether `writePDU` has something to write. The getter is mutating although it changes nothing: it runs after every read, and Swift
  /// copies large values that are only read.
  public var hasPDU: Bool {
    mutating get { hasSignalling && hasSignallingPacket || hasFrame }
  }

  private var hasFrame: Bool {
    for index in channels.indices where channels[index].canSendFrame { return true }
    return false
  }

  private var hasSignallingPacket: Bool {
    !responses.isEmpty || requests.contains { !$0.isSent } || channels.contains { $0.wantsCreditsReturned }
  }

  /// Appends the next B-frame with its header: a signalling packet, or else a K-frame of the channel whose turn it is. Returns false, and
  /// appends nothing, if there is nothing to send.
  public mutating func writePDU(
    at now: Instant, into buffer: inout OctetBuffer, events: inout [ChannelEvent]
  ) -> Bool {
    if hasSignalling, writeSignalling(at: now, into: &buffer) { return true }
    for _ in channels.indices {
      if turn >= channels.count { turn = 0 }
      let index = turn
      turn += 1
      guard channels[index].canSendFrame else { continue }
      if channels[index].writeFrame(into: &buffer) { events.append(.maySend(channels[index].local)) }
      if case .draining = channels[index].state {
        channels[index].state = .draining(until: now + Self.drainLimit)
        if channels[index].isDrained { disconnect(index, .local) }
      }
      return true
    }
    return false
  }

  private mutating func writeSignalling(at now: Instant, into buffer: inout OctetBuffer) -> Bool {
    let isWritten = buffer.appendBFrame(on: isClassic ? .classicSignalling : .signalling) {
      writeSignallingPacket(at: now, into: &$0)
    }
    hasSignalling = isWritten || hasSignallingPacket
    return isWritten
  }

  /// Appends the next signalling packet, if any.
  private mutating func writeSignallingPacket(at now: Instant, into buffer: inout OctetBuffer) {
    if !responses.isEmpty {
      let response = responses.removeFirst()
      response.answer.encode(identifier: response.identifier, into: &buffer)
      return
    }
    if let place = requests.firstIndex(where: { !$0.isSent }) {
      requests[place].identifier = nextIdentifier()
      requests[place].isSent = true
      requests[place].deadline = now + SignallingChannel.responseTimeout
      encode(requests[place], into: &buffer)
      return
    }
    for index in channels.indices where channels[index].wantsCreditsReturned {
      FlowControlCredit(source: channels[index].local, credits: channels[index].returnCredits())
        .encodePacket(identifier: nextIdentifier(), into: &buffer)
      return
    }
  }

  /// Returns an identifier that no request of this side uses. There are at most two requests for each of 64 channels.
  mutating func nextIdentifier() -> UInt8 {
    var identifier = signalling.nextIdentifier()
    while requests.contains(where: { $0.isSent && $0.identifier == identifier }) {
      identifier = signalling.nextIdentifier()
    }
    return identifier
  }

  private func encode(_ request: PendingRequest, into buffer: inout OctetBuffer) {
    guard let index = request.channels.first.flatMap({ index(of: $0) }) else { return }
    let channel = channels[index]
    switch request.kind {
    case .open:
      var packet = LECreditBasedConnectionRequest()
      (packet.psm, packet.source) = (channel.psm, channel.local)
      packet.mtu = UInt16(clamping: channel.receiveMTU)
      packet.mps = UInt16(clamping: channel.receiveMPS)
      packet.initialCredits = UInt16(clamping: channel.receiveCredits)
      packet.encodePacket(identifier: request.identifier, into: &buffer)
    case .openEnhanced:
      var packet = CreditBasedConnectionRequest()
      (packet.psm, packet.sources) = (channel.psm, request.channels)
      packet.mtu = UInt16(clamping: channel.receiveMTU)
      packet.mps = UInt16(clamping: channel.receiveMPS)
      packet.initialCredits = UInt16(clamping: channel.receiveCredits)
      packet.encodePacket(identifier: request.identifier, into: &buffer)
    case .disconnect:
      DisconnectionRequest(destination: channel.remote, source: channel.local)
        .encodePacket(identifier: request.identifier, into: &buffer)
    case .reconfigure(let mtu, let mps):
      var packet = CreditBasedReconfigureRequest()
      (packet.mtu, packet.mps) = (UInt16(clamping: mtu), UInt16(clamping: mps))
      packet.destinations = request.channels
      packet.encodePacket(identifier: request.identifier, into: &buffer)
    }
  }
}
