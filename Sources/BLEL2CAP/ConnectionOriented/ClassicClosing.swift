import BLECore

extension ClassicChannels {
  /// Closes a channel. Queued data is sent first, within `LinkChannels.drainLimit`. `isWithdrawn` means that the PSM is no longer published.
  public mutating func close(
    _ id: ChannelID, isWithdrawn: Bool = false, at now: Instant, events: inout [ClassicChannelEvent]
  ) {
    guard let index = index(of: id) else { return }
    let closure: ClassicChannelClosure = isWithdrawn ? .unpublished : .local
    switch channels[index].state {
    case .open:
      channels[index].closure = closure
      channels[index].state = .draining(until: now + LinkChannels.drainLimit)
      if channels[index].isDrained { disconnect(index, closure) }
    case .configuring: disconnect(index, closure)
    case .connecting:
      channels[index].closure = channels[index].closure ?? closure
      // If the request has already been sent, the channel is closed when the answer arrives.
      if requests.contains(where: { !$0.isSent && $0.channel == id }) { remove(index, closure, events: &events) }
    case .authorizing: refuse(index, .noResources, events: &events)
    case .draining, .disconnecting: break
    }
  }

  /// Closes a channel at once. Queued data is dropped.
  public mutating func abort(_ id: ChannelID, at now: Instant, events: inout [ClassicChannelEvent]) {
    close(id, at: now, events: &events)
    if let index = index(of: id), channels[index].isCarrying { disconnect(index, .local) }
  }

  /// Closes every channel to these PSMs at once, also those that are being configured. Those that wait for an answer keep waiting.
  public mutating func abort(_ psms: [PSM], at now: Instant, events: inout [ClassicChannelEvent]) {
    for channel in channels where psms.contains(channel.psm) {
      if case .authorizing = channel.state { continue }
      abort(channel.local, at: now, events: &events)
    }
  }

  /// Closes every channel that the peer has opened to a PSM, because it is no longer published.
  public mutating func closeIncoming(_ psm: PSM, at now: Instant, events: inout [ClassicChannelEvent]) {
    for channel in channels where channel.isIncoming && channel.psm == psm {
      close(channel.local, isWithdrawn: true, at: now, events: &events)
    }
  }

  /// Ends every channel because the link has ended.
  public mutating func linkLost(events: inout [ClassicChannelEvent]) {
    for request in requests {
      if case .information(let type) = request.kind { events.append(.informed(type, nil)) }
    }
    while !channels.isEmpty { remove(channels.count - 1, .linkLost, events: &events) }
    self = ClassicChannels(information: information)
  }

  /// Stops a channel and queues its Disconnection Request (Core 5.4 Vol 3 Part A 4.6).
  mutating func disconnect(_ index: Int, _ closure: ClassicChannelClosure) {
    guard channels[index].state != .disconnecting else { return }
    channels[index].stop(closure)
    let id = channels[index].local
    requests.removeAll { $0.channel == id && $0.kind == .configure }
    requests.append(ClassicRequest(kind: .disconnect, channel: id))
  }

  /// Answers a peer that closes a channel (Core 5.4 Vol 3 Part A 4.6). A request whose two CIDs do not belong together is silently
  /// discarded.
  mutating func disconnected(
    _ request: DisconnectionRequest, _ header: SignallingHeader, events: inout [ClassicChannelEvent]
  ) -> SignallingChannel.Outcome {
    guard let index = index(of: request.destination) else {
      return reject(header, unknown: request.destination, request.source)
    }
    guard channels[index].remote == request.source, channels[index].state != .connecting else { return .handled }
    respond(DisconnectionResponse(destination: request.destination, source: request.source), header.identifier)
    if case .authorizing(let ticket) = channels[index].state { events.append(.authorizationWithdrawn(ticket)) }
    remove(index, .remote, events: &events)
    return .handled
  }

  /// Handles the peer's response to a Disconnection Request of this side (Core 5.4 Vol 3 Part A 4.7).
  mutating func disconnected(
    _ response: DisconnectionResponse, _ identifier: UInt8, events: inout [ClassicChannelEvent]
  ) {
    guard let index = index(of: response.source), channels[index].remote == response.destination,
      takeRequest(.disconnect, response.source, identifier)
    else { return }
    remove(index, .local, events: &events)
  }
}
