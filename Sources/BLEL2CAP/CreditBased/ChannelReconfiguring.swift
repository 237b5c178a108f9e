import BLECore

extension LinkChannels {
  /// Requests that the peer use other lengths (Core 5.4 Vol 3 Part A 4.27), in octets. `reconfigurationAnswered` reports the result.
  /// Returns the error of a request that the specification does not allow, which is not sent; nil if it is sent.
  public mutating func reconfigure(_ ids: [ChannelID], mtu: Int, mps: Int) -> ReconfigureResult? {
    guard (1...CreditBasedConnectionRequest.maximumChannels).contains(ids.count),
      (KFrame.enhancedMinimumLength...KFrame.maximumMTU).contains(mtu),
      (KFrame.enhancedMinimumLength...KFrame.maximumMPS).contains(mps)
    else { return .unacceptableParameters }
    for id in ids {
      guard let index = index(of: id), channels[index].isEnhanced, channels[index].state == .open else {
        return .invalidDestinationCID
      }
      guard !isReconfiguring(id) else { return .unacceptableParameters }
      if mtu < channels[index].receiveMTU { return .mtuReduced }
      if mps < channels[index].receiveMPS, ids.count > 1 { return .mpsReducedOnSeveral }
    }
    request(.reconfigure(mtu: mtu, mps: mps), for: ids)
    return nil
  }

  /// Returns whether a reconfiguration of the channel is in progress. Only one is allowed at a time.
  private func isReconfiguring(_ id: ChannelID) -> Bool {
    requests.contains { request in
      if case .reconfigure = request.kind { request.channels.contains(id) } else { false }
    }
  }

  /// Answers a peer that requests other lengths (Core 5.4 Vol 3 Part A 4.27, 4.28).
  mutating func reconfigured(
    _ request: CreditBasedReconfigureRequest, identifier: UInt8, reply: inout OctetBuffer,
    events: inout [ChannelEvent]
  ) {
    var response = CreditBasedReconfigureResponse()
    response.result = result(of: request)
    response.encodePacket(identifier: identifier, into: &reply)
    guard response.result == .success else { return }
    for remote in request.destinations {
      guard let index = index(ofRemote: remote) else { continue }
      channels[index].sendMTU = Int(request.mtu)
      channels[index].sendMPS = Int(request.mps)
      events.append(.reconfigured(channels[index].local, mtu: Int(request.mtu), mps: Int(request.mps)))
    }
  }

  private func result(of request: CreditBasedReconfigureRequest) -> ReconfigureResult {
    let remotes = request.destinations
    guard (1...CreditBasedConnectionRequest.maximumChannels).contains(remotes.count) else {
      return .unacceptableParameters
    }
    var result = ReconfigureResult.success
    for remote in remotes {
      guard let index = index(ofRemote: remote), channels[index].isEnhanced, channels[index].isCarrying else {
        return .invalidDestinationCID
      }
      if Int(request.mtu) < channels[index].sendMTU {
        result = .mtuReduced
      } else if Int(request.mps) < channels[index].sendMPS, remotes.count > 1, result == .success {
        result = .mpsReducedOnSeveral
      }
    }
    let isAllowed =
      request.mtu >= KFrame.enhancedMinimumLength && request.mps >= KFrame.enhancedMinimumLength
      && request.mps <= KFrame.maximumMPS
    return isAllowed ? result : .unacceptableParameters
  }

  /// Processes the peer's response to a reconfiguration (Core 5.4 Vol 3 Part A 4.28). Accepted lengths apply from now on.
  mutating func answered(
    _ response: CreditBasedReconfigureResponse, identifier: UInt8, events: inout [ChannelEvent]
  ) {
    for place in requests.indices where requests[place].isSent && requests[place].identifier == identifier {
      guard case .reconfigure(let mtu, let mps) = requests[place].kind else { continue }
      let request = requests.remove(at: place)
      if response.result == .success {
        for id in request.channels {
          guard let index = index(of: id) else { continue }
          channels[index].receiveMTU = mtu
          channels[index].receiveMPS = mps
        }
      }
      events.append(.reconfigurationAnswered(request.channels, response.result))
      return
    }
  }
}
