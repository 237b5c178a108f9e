import BLECore

extension ClassicChannels {
  /// Whether `writePDU` has something to write. The getter is mutating although it changes nothing: it runs after every read, and Swift
  /// copies large values that are only read.
  public var hasPDU: Bool {
    mutating get {
      if !responses.isEmpty { return true }
      for request in requests where !request.isSent { return true }
      for index in channels.indices where channels[index].canSendFrame { return true }
      return false
    }
  }

  /// Appends the next B-frame with its header: a signalling packet, or else an SDU of the channel whose turn it is. Returns false, and
  /// appends nothing, if there is nothing to send.
  public mutating func writePDU(
    at now: Instant, into buffer: inout OctetBuffer, events: inout [ClassicChannelEvent]
  ) -> Bool {
    if buffer.appendBFrame(on: .classicSignalling, { writeSignalling(at: now, into: &$0) }) { return true }
    for _ in channels.indices {
      if turn >= channels.count { turn = 0 }
      let index = turn
      turn += 1
      guard channels[index].canSendFrame else { continue }
      let sent = channels[index].sent.frames
      if channels[index].writeFrame(at: now, into: &buffer) { events.append(.maySend(channels[index].local)) }
      if case .draining = channels[index].state, channels[index].sent.frames > sent {
        channels[index].state = .draining(until: now + LinkChannels.drainLimit)
        if channels[index].isDrained { disconnect(index, .local) }
      }
      return true
    }
    return false
  }

  /// Processes the payload of a B-frame on a dynamic CID. Nothing is sent here: the next `writePDU` sends acknowledgements, or a
  /// Disconnection Request.
  public mutating func receiveFrame(
    _ id: ChannelID, _ payload: Span<UInt8>, at now: Instant
  ) -> ClassicFrameOutcome {
    guard let index = index(of: id) else { return .unknownChannel }
    guard channels[index].isCarrying || (channels[index].state == .configuring && channels[index].isReported) else {
      return .discarded
    }
    guard channels[index].retransmission == nil else { return receiveRetransmission(index, payload, at: now) }
    guard payload.count <= channels[index].receiveMTU else {
      disconnect(index, .sduTooLong(octets: payload.count))
      return .violation
    }
    channels[index].received.frames += 1
    channels[index].received.sdus += 1
    channels[index].received.octets += payload.count
    return .sdu
  }

  /// Processes a frame on a channel in Enhanced Retransmission Mode.
  private mutating func receiveRetransmission(
    _ index: Int, _ frame: Span<UInt8>, at now: Instant
  ) -> ClassicFrameOutcome {
    channels[index].received.frames += 1
    let id = channels[index].local
    switch channels[index].retransmission?.receive(frame, on: id, at: now) {
    case .sdu(let sdu):
      channels[index].received.sdus += 1
      channels[index].received.octets += sdu.count
      finishDraining(index)
      return .assembled(sdu)
    case .tooLong(let octets):
      disconnect(index, .sduTooLong(octets: octets))
      return .violation
    case .fault(let fault):
      disconnect(index, .retransmission(fault))
      return .violation
    case .nothing, nil:
      finishDraining(index)
      return .incomplete
    }
  }

  /// Closes a channel that was to send its data first, once the peer has acknowledged everything.
  private mutating func finishDraining(_ index: Int) {
    if case .draining = channels[index].state, channels[index].isDrained { disconnect(index, .local) }
  }

  /// Appends the next signalling packet, if any.
  private mutating func writeSignalling(at now: Instant, into buffer: inout OctetBuffer) {
    if !responses.isEmpty { return buffer.append(responses.removeFirst()) }
    guard let place = requests.firstIndex(where: { !$0.isSent }) else { return }
    requests[place].identifier = identifiers.next { identifier in
      requests.contains { $0.identifier == identifier }
    }
    requests[place].deadline = now + SignallingChannel.responseTimeout
    encode(requests[place], into: &buffer)
  }

  private func encode(_ request: ClassicRequest, into buffer: inout OctetBuffer) {
    if case .information(let type) = request.kind {
      return InformationRequest(type).encodePacket(identifier: request.identifier, into: &buffer)
    }
    guard let index = request.channel.flatMap({ index(of: $0) }) else { return }
    let channel = channels[index]
    switch request.kind {
    case .connect:
      ChannelConnectionRequest(psm: channel.psm, source: channel.local)
        .encodePacket(identifier: request.identifier, into: &buffer)
    case .configure:
      ConfigurationRequest(destination: channel.remote, options: options(of: channel))
        .encodePacket(identifier: request.identifier, into: &buffer)
    case .disconnect:
      DisconnectionRequest(destination: channel.remote, source: channel.local)
        .encodePacket(identifier: request.identifier, into: &buffer)
    case .information: break
    }
  }
}
