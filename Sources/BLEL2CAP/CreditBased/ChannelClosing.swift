import BLECore

extension LinkChannels {
  /// Closes a channel: what waits is sent before, as long as another frame can go within `drainLimit`.
  /// `isWithdrawn` says that it is because it is not published any longer.
  public mutating func close(
    _ id: ChannelID, isWithdrawn: Bool = false, at now: Instant, events: inout [ChannelEvent]
  ) {
    guard let index = index(of: id) else { return }
    let closure: ChannelClosure = isWithdrawn ? .unpublished : .local
    switch channels[index].state {
    case .open:
      channels[index].closure = closure
      channels[index].state = .draining(until: now + Self.drainLimit)
      if channels[index].isDrained { disconnect(index, closure) }
    case .connecting:
      channels[index].closure = channels[index].closure ?? closure
      // What has been asked for already is closed when the answer comes.
      if requests.contains(where: { !$0.isSent && $0.channels.contains(id) }) {
        remove(index, closure, events: &events)
      }
    case .draining, .disconnecting: break
    }
  }

  /// Closes a channel at once; what waits is dropped.
  public mutating func abort(_ id: ChannelID, at now: Instant, events: inout [ChannelEvent]) {
    close(id, at: now, events: &events)
    if let index = index(of: id), channels[index].isCarrying { disconnect(index, .local) }
  }

  /// Closes every channel that peers have opened to a PSM, because it is not published any longer.
  public mutating func closeIncoming(_ psm: SPSM, at now: Instant, events: inout [ChannelEvent]) {
    for channel in channels where channel.isIncoming && channel.psm == psm {
      close(channel.local, isWithdrawn: true, at: now, events: &events)
    }
  }

  /// The link has ended, and with it every channel.
  public mutating func linkLost(events: inout [ChannelEvent]) {
    for channel in channels { report(channel, .linkLost, events: &events) }
    self = LinkChannels(role: signalling.role)
  }

  /// Stops a channel and puts its Disconnection Request in line (Core 5.4 Vol 3 Part A 4.6).
  mutating func disconnect(_ index: Int, _ closure: ChannelClosure) {
    guard channels[index].state != .disconnecting else { return }
    channels[index].stop(closure)
    request(.disconnect, for: [channels[index].local])
  }

  /// Answers a peer that closes a channel (Core 5.4 Vol 3 Part A 4.6). One that names our end with an end of its own that
  /// does not belong to it is silently discarded.
  mutating func disconnected(
    _ request: DisconnectionRequest, identifier: UInt8, reply: inout OctetBuffer, events: inout [ChannelEvent]
  ) -> SignallingChannel.Outcome {
    guard let index = index(of: request.destination) else {
      var data: [UInt8] = []
      for channel in [request.destination, request.source] { data += channel.encoded }
      CommandReject(reason: .invalidChannel, data: data).encodePacket(identifier: identifier, into: &reply)
      return .rejected(.disconnectionRequest)
    }
    guard channels[index].remote == request.source, channels[index].state != .connecting else { return .handled }
    DisconnectionResponse(destination: request.destination, source: request.source)
      .encodePacket(identifier: identifier, into: &reply)
    remove(index, .remote, events: &events)
    return .handled
  }

  /// The peer has closed a channel at our request (Core 5.4 Vol 3 Part A 4.7).
  mutating func disconnected(_ response: DisconnectionResponse, identifier: UInt8, events: inout [ChannelEvent]) {
    guard let index = index(of: response.source), channels[index].remote == response.destination,
      requests.contains(where: { $0.matches(.disconnect, identifier) && $0.channels == [response.source] })
    else { return }
    remove(index, .local, events: &events)
  }
}
