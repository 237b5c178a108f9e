import BLECore

extension LinkChannels {
  /// Processes the peer's response to a request for one channel (Core 5.4 Vol 3 Part A 4.23).
  mutating func answered(
    _ response: LECreditBasedConnectionResponse, identifier: UInt8, events: inout [ChannelEvent]
  ) {
    guard let request = takeRequest(.open, identifier), let id = request.channels.first else { return }
    let answer = OpeningAnswer(
      mtu: response.mtu, mps: response.mps, credits: response.initialCredits, result: response.result,
      minimumLength: KFrame.minimumLength, minimumCredits: 0)
    // Any result other than success leaves the channel unopened.
    let destination = response.result == .success ? response.destination : ChannelID(rawValue: 0)
    conclude(id, destination, answer, events: &events)
  }

  /// Processes the peer's response to a request for several channels (Core 5.4 Vol 3 Part A 4.26).
  mutating func answered(
    _ response: CreditBasedConnectionResponse, identifier: UInt8, at now: Instant, events: inout [ChannelEvent]
  ) {
    if response.result.isPending {
      for index in requests.indices where requests[index].matches(.openEnhanced, identifier) {
        if requests[index].deadline != nil { requests[index].deadline = now + SignallingChannel.extendedTimeout }
      }
      return
    }
    guard let request = takeRequest(.openEnhanced, identifier) else { return }
    let answer = OpeningAnswer(
      mtu: response.mtu, mps: response.mps, credits: response.initialCredits, result: response.result,
      minimumLength: KFrame.enhancedMinimumLength, minimumCredits: 1)
    for (place, id) in request.channels.enumerated() {
      let destination = place < response.destinations.count ? response.destinations[place] : ChannelID(rawValue: 0)
      conclude(id, response.result.refusesAll ? ChannelID(rawValue: 0) : destination, answer, events: &events)
    }
  }

  /// The values in a response that apply to all channels of the request.
  private struct OpeningAnswer {
    var mtu: UInt16
    var mps: UInt16
    var credits: UInt16
    var result: CreditBasedResult
    var minimumLength: Int
    var minimumCredits: UInt16

    var isAcceptable: Bool {
      Int(mtu) >= minimumLength && Int(mps) >= minimumLength && Int(mps) <= KFrame.maximumMPS
        && credits >= minimumCredits
    }
  }

  /// Opens a channel for which the response has a CID, or removes it.
  private mutating func conclude(
    _ id: ChannelID, _ destination: ChannelID, _ answer: OpeningAnswer, events: inout [ChannelEvent]
  ) {
    guard let index = index(of: id) else { return }
    guard destination.rawValue != 0 else {
      return remove(index, .refused(.result(answer.result)), events: &events)
    }
    guard isDynamic(destination), !foreignRemotes.contains(destination) else {
      return remove(index, .violation(.unacceptableResponse), events: &events)
    }
    if let other = self.index(ofRemote: destination) {
      // Both are discarded at once, and nothing is sent about either (Core 5.4 Vol 3 Part A 4.23, 4.26).
      for place in [index, other].sorted(by: >) {
        remove(place, .violation(.duplicateDestination), events: &events)
      }
      return
    }
    channels[index].open(remote: destination, mtu: answer.mtu, mps: answer.mps, credits: answer.credits)
    if let closure = channels[index].closure {
      disconnect(index, closure)
    } else if !answer.isAcceptable {
      disconnect(index, .violation(.unacceptableResponse))
    } else {
      events.append(.opened(channels[index].status))
    }
  }

  /// Handles the rejection of a request of this side (Core 5.4 Vol 3 Part A 4.1): the peer does not support it, or does not know its
  /// channel.
  mutating func rejected(identifier: UInt8, events: inout [ChannelEvent]) -> Bool {
    guard let place = requests.firstIndex(where: { $0.isSent && $0.identifier == identifier }) else { return false }
    let request = requests.remove(at: place)
    switch request.kind {
    case .reconfigure: events.append(.reconfigurationAnswered(request.channels, nil))
    case .open, .openEnhanced, .disconnect:
      for id in request.channels {
        if let index = index(of: id) { remove(index, .refused(.notUnderstood), events: &events) }
      }
    }
    return true
  }

  // MARK: - Requests of this side

  /// Queues a request.
  mutating func request(_ kind: PendingRequest.Kind, for ids: [ChannelID]) {
    requests.append(PendingRequest(kind: kind, channels: ids))
    hasSignalling = true
  }

  mutating func takeRequest(_ kind: PendingRequest.Kind, _ identifier: UInt8) -> PendingRequest? {
    requests.firstIndex { $0.matches(kind, identifier) }.map { requests.remove(at: $0) }
  }

  /// Handles timeouts: stops waiting for responses (Core 5.4 Vol 3 Part A 6.2.1), and closes channels that take too long to drain. Returns
  /// true if the Connection Parameter Update Request has timed out.
  public mutating func advance(to now: Instant, events: inout [ChannelEvent]) -> Bool {
    for place in requests.indices.reversed() {
      guard let deadline = requests[place].deadline, deadline <= now else { continue }
      expire(place, events: &events)
    }
    for index in channels.indices {
      if case .draining(let until) = channels[index].state, until <= now { disconnect(index, .local) }
    }
    return signalling.expire(at: now)
  }

  private mutating func expire(_ place: Int, events: inout [ChannelEvent]) {
    let request = requests[place]
    switch request.kind {
    case .open, .openEnhanced:
      // The CIDs stay reserved: the peer may have opened the channels, and its response may arrive late.
      requests[place].deadline = nil
      for id in request.channels {
        guard let index = index(of: id) else { continue }
        report(channels[index], .refused(.unanswered), events: &events)
        channels[index].isReported = true
        channels[index].closure = channels[index].closure ?? .refused(.unanswered)
      }
    case .disconnect:
      requests.remove(at: place)
      if let index = request.channels.first.flatMap({ index(of: $0) }) { remove(index, .local, events: &events) }
    case .reconfigure:
      requests.remove(at: place)
      events.append(.reconfigurationAnswered(request.channels, nil))
    }
  }
}

extension PendingRequest {
  /// Returns whether a response of this kind with this identifier belongs to this request.
  func matches(_ kind: Kind, _ identifier: UInt8) -> Bool {
    isSent && self.kind == kind && self.identifier == identifier
  }
}

extension CreditBasedResult {
  /// Whether no channel of the request is open, whatever CIDs the response has (Core 5.4 Vol 3 Part A 4.26).
  fileprivate var refusesAll: Bool {
    switch self {
    case .success, .noResources, .invalidSourceCID, .sourceCIDAlreadyAllocated: false
    default: true
    }
  }
}
