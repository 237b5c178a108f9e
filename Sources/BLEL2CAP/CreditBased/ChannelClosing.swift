import BLECore

extension LinkChannels {
  /// Closes a channel. Queued data is sent first, as long as a frame can be sent within `drainLimit`. `isWithdrawn` means that the PSM is
  /// no longer published.
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
      // If the request has already been sent, the channel is closed when the answer arrives.
      if requests.contains(where: { !$0.isSent && $0.channels.contains(id) }) {
        remove(index, closure, events: &events)
      }
    case .draining, .disconnecting: break
    }
  }

  /// Closes a channel at once. Queued data is dropped.
  public mutating func abort(_ id: ChannelID, at now: Instant, events: inout [ChannelEvent]) {
    close(id, at: now, events: &events)
    if let index = index(of: id), channels[index].isCarrying { disconnect(index, .local) }
  }

  /// Closes every channel that peers have opened to a PSM, because it is no longer published.
  public mutating func closeIncoming(_ psm: SPSM, at now: Instant, events: inout [ChannelEvent]) {
    for channel in channels where channel.isIncoming && channel.psm == psm {
      close(channel.local, isWithdrawn: true, at: now, events: &events)
    }
  }

  /// Ends every channel because the link has ended.
  public mutating func linkLost(events: inout [ChannelEvent]) {
    for channel in channels { report(channel, .linkLost, events: &events) }
    self = LinkChannels(role: signalling.role, isClassic: isClassic)
  }

  /// Stops a channel and queues its Disconnection Request (Core 5.4 Vol 3 Part A 4.6).
  mutating func disconnect(_ index: Int, _ closure: ChannelClosure) {
    guard channels[index].state != .disconnecting else { return }
    channels[index].stop(closure)
    request(.disconnect, for: [channels[index].local])
  }

  /// Answers a peer that closes a channel (Core 5.4 Vol 3 Part A 4.6). A request whose two CIDs do not belong together is silently
  /// discarded.
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

  /// Handles the peer's response to a Disconnection Request of this side (Core 5.4 Vol 3 Part A 4.7).
  mutating func disconnected(_ response: DisconnectionResponse, identifier: UInt8, events: inout [ChannelEvent]) {
    guard let index = index(of: response.source), channels[index].remote == response.destination,
      requests.contains(where: { $0.matches(.disconnect, identifier) && $0.channels == [response.source] })
    else { return }
    remove(index, .local, events: &events)
  }
}
