import BLECore

extension LinkChannels {
  /// Takes the peer's answer to our request for one channel (Core 5.4 Vol 3 Part A 4.23).
  mutating func answered(
    _ response: LECreditBasedConnectionResponse, identifier: UInt8, events: inout [ChannelEvent]
  ) {
    guard let request = takeRequest(.open, identifier), let id = request.channels.first else { return }
    let answer = OpeningAnswer(
      mtu: response.mtu, mps: response.mps, credits: response.initialCredits, result: response.result,
      minimumLength: KFrame.minimumLength, minimumCredits: 0)
    // Whatever the result says, nothing but success opens the one channel.
    let destination = response.result == .success ? response.destination : ChannelID(rawValue: 0)
    conclude(id, destination, answer, events: &events)
  }

  /// Takes the peer's answer to our request for several channels (Core 5.4 Vol 3 Part A 4.26).
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

  /// What the peer says for all channels of one request.
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

  /// Opens a channel that the peer has given an end, or takes it away.
  private mutating func conclude(
    _ id: ChannelID, _ destination: ChannelID, _ answer: OpeningAnswer, events: inout [ChannelEvent]
  ) {
    guard let index = index(of: id) else { return }
    guard destination.rawValue != 0 else {
      return remove(index, .refused(.result(answer.result)), events: &events)
    }
    guard destination.isDynamic else {
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

  /// A request of ours was rejected (Core 5.4 Vol 3 Part A 4.1): the peer does not know it, or what it is about.
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

  // MARK: - Requests of ours

  /// Puts a request in line.
  mutating func request(_ kind: PendingRequest.Kind, for ids: [ChannelID]) {
    requests.append(PendingRequest(kind: kind, channels: ids))
    hasSignalling = true
  }

  mutating func takeRequest(_ kind: PendingRequest.Kind, _ identifier: UInt8) -> PendingRequest? {
    requests.firstIndex { $0.matches(kind, identifier) }.map { requests.remove(at: $0) }
  }

  /// Does what is due: gives up waiting for answers (Core 5.4 Vol 3 Part A 6.2.1), and closes what takes too long to empty.
  /// True when the Connection Parameter Update Request was among what was not answered.
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
      // The CIDs stay taken: the peer may have opened the channels, and its answer come late.
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
  /// Whether an answer of that kind with that identifier is for this request.
  func matches(_ kind: Kind, _ identifier: UInt8) -> Bool {
    isSent && self.kind == kind && self.identifier == identifier
  }
}

extension CreditBasedResult {
  /// Whether no channel of the request is open, whatever CIDs the response names (Core 5.4 Vol 3 Part A 4.26).
  fileprivate var refusesAll: Bool {
    switch self {
    case .success, .noResources, .invalidSourceCID, .sourceCIDAlreadyAllocated: false
    default: true
    }
  }
}
