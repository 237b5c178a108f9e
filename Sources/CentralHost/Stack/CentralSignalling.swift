import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension CentralStack {
  // MARK: Signalling

  mutating func receiveSignalling(
    _ payload: Span<UInt8>, on index: Int, at now: Instant, into out: inout CentralOutput
  ) {
    let handle = links[index].handle
    let (published, security) = (configuration.publishedChannels, links[index].session.security)
    var outcome = SignallingChannel.Outcome.handled
    scheduler.sendFrame(onChannel: ChannelID.signalling.rawValue, of: handle, into: &out.octets) { buffer in
      outcome = links[index].channels.receiveSignalling(
        payload, published: published, security: security, at: now, reply: &buffer, events: &out.channels)
    }
    reportChannels(handle, into: &out)
    switch outcome {
    case .handled, .parametersAnswered: break
    case .parametersRequested(let request, let identifier):
      answer(request, identifier, on: index, into: &out)
    case .parametersRefused: out.events.append(.fault(.malformedSignalling(handle)))
    case .rejected(let code): out.events.append(.fault(.rejectedSignalling(handle, code: code.rawValue)))
    case .malformed: out.events.append(.fault(.malformedSignalling(handle)))
    }
  }

  /// Core 5.4 Vol 3 Part A 4.20, 4.21: answered first, then carried out.
  private mutating func answer(
    _ request: ConnectionParameterUpdateRequest, _ identifier: UInt8, on index: Int, into out: inout CentralOutput
  ) {
    guard let wish = LinkParameters(request) else { return }
    let handle = links[index].handle
    let accepted = configuration.parameterPolicy.accepts(wish)
    scheduler.sendFrame(onChannel: ChannelID.signalling.rawValue, of: handle, into: &out.octets) { buffer in
      links[index].channels.signalling.answerParameters(identifier, isAccepted: accepted, into: &buffer)
    }
    out.events.append(.parametersRequested(handle, wish, accepted: accepted))
    if accepted { update(handle, wish) }
  }

  // MARK: Credit-based channels

  /// Opens a channel to a peripheral's PSM (Core 5.4 Vol 3 Part A 4.22); the event says how it went.
  public mutating func openChannel(
    _ psm: SPSM, _ parameters: ChannelParameters, on handle: ConnectionHandle, at now: Instant,
    into out: inout CentralOutput
  ) throws(CentralRequestError) -> ChannelID {
    let index = try existing(handle)
    guard let channel = links[index].channels.open(psm, parameters: parameters) else { throw .noChannelFree }
    settle(at: now, into: &out)
    return channel
  }

  /// Gives a channel an SDU. It goes out as far as the peripheral's credits and the controller's buffers reach; after `full`,
  /// `ChannelEvent.maySend` says when to go on.
  @discardableResult
  public mutating func sendSDU(
    _ sdu: Span<UInt8>, on channel: ChannelID, of handle: ConnectionHandle, at now: Instant,
    into out: inout CentralOutput
  ) -> SDUSubmission {
    guard let index = index(of: handle) else { return .notOpen }
    let submission = links[index].channels.send(sdu, on: channel)
    settle(at: now, into: &out)
    return submission
  }

  /// A channel as it is now; nil when there is none.
  public func channelStatus(_ channel: ChannelID, of handle: ConnectionHandle) -> ChannelStatus? {
    index(of: handle).flatMap { links[$0].channels.status(channel) }
  }

  mutating func receiveFrame(
    _ payload: Span<UInt8>, on channel: ChannelID, of index: Int, into out: inout CentralOutput
  ) {
    let handle = links[index].handle
    switch links[index].channels.receiveFrame(channel, payload) {
    case .partial, .discarded: break
    case .whole:
      let sdu = payload.extracting(KFrame.sduLengthOctetCount...).withUnsafeBytes { Array($0) }
      out.events.append(.sdu(handle, channel, sdu))
    case .assembled(let sdu): out.events.append(.sdu(handle, channel, sdu))
    case .violation(let violation): out.events.append(.fault(.channelViolation(handle, channel, violation)))
    case .unknownChannel: out.events.append(.frame(handle, channel, payload.withUnsafeBytes { Array($0) }))
    }
  }

  /// Sends what channels have, as long as the controller has buffers, one frame of each link in turn.
  mutating func pumpChannels(at now: Instant, into out: inout CentralOutput) {
    var passed = 0
    while passed < links.count {
      channelTurn = channelTurn + 1 < links.count ? channelTurn + 1 : 0
      let handle = links[channelTurn].handle
      passed += 1
      guard links[channelTurn].channels.hasPDU, scheduler.isReady(handle) else { continue }
      let mark = scheduler.beginPDU(handle, into: &out.octets)
      if links[channelTurn].channels.writePDU(at: now, into: &out.octets, events: &out.channels) { passed = 0 }
      scheduler.endPDU(mark, in: &out.octets)
      reportChannels(handle, into: &out)
    }
  }

  func reportChannels(_ handle: ConnectionHandle, into out: inout CentralOutput) {
    guard !out.channels.isEmpty else { return }
    for event in out.channels { out.events.append(.channel(handle, event)) }
    out.channels.removeAll(keepingCapacity: true)
  }
}
