import BLECore

extension ClassicChannels {
  /// The number of octets of options that a peer may spread over several requests.
  private static let maximumOptionOctets = 256

  /// Begins to configure a channel whose CIDs both sides know, or to configure it again (Core 5.4 Vol 3 Part A 7.1).
  mutating func configure(_ index: Int, at now: Instant) {
    channels[index].state = .configuring
    channels[index].configurationDeadline = now + Self.configurationTimeout
    requestConfiguration(index)
  }

  /// Begins to configure a channel that the peer has opened. If the peer may choose the mode, this side waits for its request, because a
  /// request for another mode could end the channel (Core 5.4 Vol 3 Part A 5.4).
  mutating func configureIncoming(_ index: Int, at now: Instant) {
    guard channels[index].parameters.mode == .basicOrRetransmission else { return configure(index, at: now) }
    channels[index].state = .configuring
    channels[index].configurationDeadline = now + Self.configurationTimeout
    channels[index].requestDeadline = now + Self.modeTimeout
  }

  /// Queues this side's request.
  mutating func requestConfiguration(_ index: Int) {
    channels[index].requestDeadline = nil
    requests.append(ClassicRequest(kind: .configure, channel: channels[index].local))
  }

  // MARK: - The peer's requests

  /// Processes the peer's request for what this side sends (Core 5.4 Vol 3 Part A 4.4).
  mutating func configured(
    _ header: SignallingHeader, _ data: Span<UInt8>, at now: Instant, events: inout [ClassicChannelEvent]
  ) throws(LayoutFault) -> SignallingChannel.Outcome {
    let (head, size) = try ConfigurationHead.decodePrefix(of: data)
    guard let index = index(of: head.destination), channels[index].isConfigurable else {
      return reject(header, unknown: head.destination)
    }
    guard let options = try? ConfigurationOptions(decoding: data.extracting(size...)).options else {
      refuse(index, .rejected, [], header.identifier)
      return .handled
    }
    channels[index].outbound.options += options
    let octets = channels[index].outbound.options.reduce(0) { $0 + 2 + $1.value.count }
    guard octets <= Self.maximumOptionOctets || !head.flags.contains(.continuation) else {
      refuse(index, .rejected, [], header.identifier)
      return .handled
    }
    if head.flags.contains(.continuation) {
      respond(
        ConfigurationResponse(source: channels[index].remote, flags: .continuation), header.identifier)
      return .handled
    }
    // The frames of a channel in Enhanced Retransmission Mode keep their form.
    guard channels[index].retransmission == nil else {
      refuse(index, .rejected, [], header.identifier)
      return .handled
    }
    let verdict = ConfigurationVerdict(channels[index].outbound.options, ModeRule(channels[index]))
    channels[index].outbound.options = []
    guard verdict.result == .success else {
      let insists = verdict.refusesMode && channels[index].outbound.hasRefusedMode
      if verdict.refusesMode { channels[index].outbound.hasRefusedMode = true }
      refuse(index, verdict.result, verdict.fittingOptions, header.identifier)
      if insists { disconnect(index, .unconfigurable(verdict.result)) }
      return .handled
    }
    respond(
      ConfigurationResponse(source: channels[index].remote, options: verdict.fittingOptions), header.identifier)
    if let mtu = verdict.mtu { channels[index].sendMTU = Int(mtu) }
    if let check = verdict.check { channels[index].negotiation.peerCheck = check }
    if let retransmission = verdict.retransmission { takeMode(index, retransmission) }
    if channels[index].requestDeadline != nil { requestConfiguration(index) }
    agree(index, at: now, events: &events)
    return .handled
  }

  /// Takes Enhanced Retransmission Mode from the peer's request. If this side has requested Basic Mode, it makes another request.
  private mutating func takeMode(_ index: Int, _ request: RetransmissionOption) {
    channels[index].negotiation.peerRequest = request
    guard channels[index].mode != .enhancedRetransmission else { return }
    channels[index].mode = .enhancedRetransmission
    channels[index].inbound.isAccepted = false
    guard channels[index].requestDeadline == nil else { return }
    let id = channels[index].local
    requests.removeAll { $0.channel == id && $0.kind == .configure }
    requestConfiguration(index)
  }

  private mutating func refuse(
    _ index: Int, _ result: ConfigurationResult, _ options: [ConfigurationOption], _ identifier: UInt8
  ) {
    respond(
      ConfigurationResponse(source: channels[index].remote, result: result, options: options), identifier)
    channels[index].outbound.options = []
    channels[index].outbound.refusals += 1
    if channels[index].outbound.refusals >= Self.maximumRefusals { disconnect(index, .unconfigurable(result)) }
  }

  /// Notes that this side has accepted the peer's request. On an open channel that begins a new configuration of both directions.
  private mutating func agree(_ index: Int, at now: Instant, events: inout [ClassicChannelEvent]) {
    channels[index].outbound = .init()
    channels[index].outbound.isAccepted = true
    switch channels[index].state {
    case .open:
      channels[index].inbound.isAccepted = false
      configure(index, at: now)
    case .configuring: finishConfiguration(index, events: &events)
    case .connecting, .authorizing, .draining, .disconnecting: break
    }
  }

  // MARK: - Requests of this side

  /// Returns the options of this side's request.
  func options(of channel: ClassicChannel) -> [ConfigurationOption] {
    var options: [ConfigurationOption] = []
    if channel.inbound.statesMTU {
      options.append(ConfigurationOption(MTUOption(mtu: UInt16(clamping: channel.receiveMTU))))
    }
    guard channel.mode == .enhancedRetransmission else { return options }
    options.append(ConfigurationOption(channel.negotiation.request))
    // It is stated even if it is the default, because Bumble has another default.
    if channel.negotiation.statesCheck {
      options.append(ConfigurationOption(FrameCheckOption(check: channel.negotiation.check)))
    }
    return options
  }

  /// Processes the peer's response to a request of this side (Core 5.4 Vol 3 Part A 4.5).
  mutating func answered(
    _ response: ConfigurationResponse, _ identifier: UInt8, at now: Instant, events: inout [ClassicChannelEvent]
  ) {
    guard let place = requests.firstIndex(where: { $0.matches(.configure, response.source, identifier) }),
      let index = index(of: response.source)
    else { return }
    for option in response.options {
      if let mtu = option.value(as: MTUOption.self)?.mtu { channels[index].inbound.proposal = mtu }
    }
    if response.result == .pending || response.flags.contains(.continuation) {
      let wait =
        response.result == .pending ? SignallingChannel.extendedTimeout : SignallingChannel.responseTimeout
      requests[place].deadline = now + wait
      return
    }
    requests.remove(at: place)
    let proposal = channels[index].inbound.proposal
    channels[index].inbound.proposal = nil
    switch response.result {
    case .success:
      if let answer = response.retransmission { channels[index].negotiation.peerAnswer = answer }
      channels[index].inbound.isAccepted = true
      finishConfiguration(index, events: &events)
    case .unacceptableParameters:
      retry(index, response) { channel in
        guard let isChanged = channel.takeMode(from: response) else { return false }
        guard let proposal else { return isChanged }
        guard proposal >= MTUOption.minimumMTU, Int(proposal) <= channel.parameters.mtu else { return false }
        channel.receiveMTU = Int(proposal)
        return true
      }
    case .unknownOptions:
      // Without the option, the default applies.
      retry(index, response) { channel in
        if response.options.contains(where: { $0.type.withoutHint == .frameCheckSequence }) {
          defer { channel.negotiation.statesCheck = false }
          return channel.negotiation.statesCheck
        }
        guard channel.inbound.statesMTU, !response.hasRetransmission else { return false }
        channel.inbound.statesMTU = false
        channel.receiveMTU = Int(MTUOption.defaultMTU)
        return true
      }
    default: disconnect(index, .unconfigurable(response.result))
    }
  }

  /// Sends a changed request, unless it cannot be changed, or has been refused too often.
  private mutating func retry(
    _ index: Int, _ response: ConfigurationResponse, _ change: (inout ClassicChannel) -> Bool
  ) {
    channels[index].inbound.refusals += 1
    guard channels[index].inbound.refusals < Self.maximumRefusals, change(&channels[index]) else {
      return disconnect(index, .unconfigurable(response.result))
    }
    requestConfiguration(index)
  }

  /// Opens a channel on whose configuration both sides agree.
  private mutating func finishConfiguration(_ index: Int, events: inout [ClassicChannelEvent]) {
    guard channels[index].state == .configuring, channels[index].inbound.isAccepted,
      channels[index].outbound.isAccepted
    else { return }
    channels[index].open()
    channels[index].inbound.refusals = 0
    let isNew = !channels[index].isReported
    channels[index].isReported = true
    events.append(isNew ? .opened(channels[index].status) : .reconfigured(channels[index].status))
  }
}

extension ClassicChannel {
  /// Takes the mode that the peer proposes instead of that in this side's request, and the values for it. Returns whether the request
  /// changes; nil if this side does not allow the mode.
  fileprivate mutating func takeMode(from response: ConfigurationResponse) -> Bool? {
    var isChanged = false
    if let proposal = response.retransmission, proposal.mode != .basic || mode != .basic {
      guard proposal.mode == .enhancedRetransmission, parameters.mode != .basic else { return nil }
      // The mode of an open channel stays.
      guard mode == .enhancedRetransmission || !isReported else { return nil }
      isChanged = negotiation.take(proposal) || mode != .enhancedRetransmission
      mode = .enhancedRetransmission
    }
    let check = response.options.compactMap { $0.value(as: FrameCheckOption.self)?.check }.last
    if mode == .enhancedRetransmission, check == .crc16, negotiation.check != .crc16 {
      negotiation.check = .crc16
      isChanged = true
    }
    return isChanged
  }

  /// Notes that both sides agree on the configuration.
  fileprivate mutating func open() {
    state = .open
    configurationDeadline = nil
    if mode == .enhancedRetransmission {
      retransmission = EnhancedRetransmission(negotiation.rules(parameters.retransmission, mtu: receiveMTU))
    }
  }
}

extension ConfigurationResponse {
  /// Whether it has the option for modes.
  fileprivate var hasRetransmission: Bool {
    options.contains { $0.type.withoutHint == .retransmissionAndFlowControl }
  }

  /// The option for modes.
  fileprivate var retransmission: RetransmissionOption? {
    options.compactMap { $0.value(as: RetransmissionOption.self) }.last
  }
}

/// The fields before the options of a Configuration Request, so that malformed options can be refused on their channel.
private struct ConfigurationHead: OctetLayout {
  var destination = ChannelID(rawValue: 0)
  var flags: ConfigurationFlags = []

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Destination CID", &destination)
    try fields.code("Flags", &flags)
  }
}

/// The options of a Configuration Request.
private struct ConfigurationOptions: OctetLayout {
  var options: [ConfigurationOption] = []

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainingList("Options", &options)
  }
}
