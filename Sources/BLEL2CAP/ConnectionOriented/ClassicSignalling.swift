import BLECore

extension ClassicChannels {
  /// Decides on a peer's request for a channel that lacks authorization or security.
  public typealias Authorize = (ClassicAuthorizationRequest) -> ChannelAuthorizationAnswer

  /// Processes a C-frame, which may contain several packets (Core 5.4 Vol 3 Part A 4). The next `writePDU` sends the responses. Channels can
  /// be opened to `published` PSMs, on a link with this security. `authorize` asks the application if needed.
  ///
  /// The outcome is that of the first packet that was rejected or malformed.
  public mutating func receiveSignalling(
    _ frame: Span<UInt8>, published: [PublishedClassicChannel], security: LinkSecurity, at now: Instant,
    events: inout [ClassicChannelEvent], authorize: Authorize = { _ in .refused }
  ) -> SignallingChannel.Outcome {
    guard frame.count <= Self.signallingMTU else { return rejectTooLong(frame) }
    let packets = ClassicSignallingFrame(frame)
    var outcome = SignallingChannel.Outcome.handled
    for place in packets.places {
      let result = receive(
        place.header, frame.extracting(place.data), published: published, security: security, at: now,
        events: &events, authorize: authorize)
      if outcome == .handled { outcome = result }
    }
    guard packets.hasPart else { return outcome }
    let end = rejectPart(frame.extracting(packets.end...))
    return outcome == .handled ? end : outcome
  }

  /// Processes a packet of a C-frame, as `receiveSignalling` does.
  public mutating func receive(
    _ header: SignallingHeader, _ data: Span<UInt8>, published: [PublishedClassicChannel], security: LinkSecurity,
    at now: Instant, events: inout [ClassicChannelEvent], authorize: Authorize = { _ in .refused }
  ) -> SignallingChannel.Outcome {
    // A peer that sends requests faster than responses can be sent waits, and repeats them.
    guard header.code.isResponse || responses.count < Self.maximumResponses else { return .handled }
    guard header.code == .connectionRequest, let request = try? ChannelConnectionRequest(decoding: data) else {
      return receive(header, data, published: published, at: now, events: &events)
    }
    accept(
      request, header.identifier, published: published, security: security, at: now, events: &events,
      authorize: authorize)
    return .handled
  }

  /// Rejects what is left of a frame and is no whole packet, with identifier 0 if it has none; nothing, and a part of a response, are ignored.
  public mutating func rejectPart(_ rest: Span<UInt8>) -> SignallingChannel.Outcome {
    guard !rest.isEmpty else { return .malformed }
    let code = SignallingCode(rawValue: rest[0])
    guard !code.isResponse, responses.count < Self.maximumResponses else { return .malformed }
    respond(CommandReject(reason: .notUnderstood), rest.count > 1 ? rest[1] : 0)
    return .rejected(code)
  }

  /// Rejects a frame that is too long, with the identifier of its first request; a frame of responses is ignored (Core 5.4 Vol 3 Part A
  /// 4.1).
  public mutating func rejectTooLong(_ frame: Span<UInt8>) -> SignallingChannel.Outcome {
    var offset = 0
    while let (header, size) = try? SignallingHeader.decodePrefix(of: frame.extracting(min(offset, frame.count)...)) {
      if !header.code.isResponse, header.identifier != 0, responses.count < Self.maximumResponses {
        let mtu = UInt16(Self.signallingMTU)
        return reject(header, .signallingMTUExceeded, mtu.littleEndianOctets)
      }
      offset += size + Int(header.length)
    }
    return .malformed
  }

  /// Processes a packet other than a request for a channel.
  private mutating func receive(
    _ header: SignallingHeader, _ data: Span<UInt8>, published: [PublishedClassicChannel], at now: Instant,
    events: inout [ClassicChannelEvent]
  ) -> SignallingChannel.Outcome {
    let identifier = header.identifier
    do throws(LayoutFault) {
      switch header.code {
      case .connectionResponse:
        answered(try ChannelConnectionResponse(decoding: data), identifier, at: now, events: &events)
      case .configurationRequest: return try configured(header, data, at: now, events: &events)
      case .configurationResponse:
        answered(try ConfigurationResponse(decoding: data), identifier, at: now, events: &events)
      case .disconnectionRequest:
        return disconnected(try DisconnectionRequest(decoding: data), header, events: &events)
      case .disconnectionResponse:
        disconnected(try DisconnectionResponse(decoding: data), identifier, events: &events)
      case .echoRequest: respond(EchoResponse(data: try EchoRequest(decoding: data).data), identifier)
      case .informationRequest:
        let retransmits =
          published.contains { $0.parameters.mode != .basic } || channels.contains { $0.parameters.mode != .basic }
        respond(information.answer(try InformationRequest(decoding: data).type, retransmits: retransmits), identifier)
      case .informationResponse:
        let response = try InformationResponse(decoding: data)
        if takeRequest(.information(response.type), nil, identifier) {
          events.append(.informed(response.type, response.result == .success ? response : nil))
        }
      case .commandReject: rejected(identifier, events: &events)
      case let code where code.isResponse: break
      default: return reject(header, .notUnderstood)
      }
      return .handled
    } catch {
      return header.code.isResponse ? .malformed : reject(header, .notUnderstood)
    }
  }

  /// Rejects a packet (Core 5.4 Vol 3 Part A 4.1).
  mutating func reject(
    _ header: SignallingHeader, _ reason: CommandReject.Reason, _ data: [UInt8] = []
  ) -> SignallingChannel.Outcome {
    respond(CommandReject(reason: reason, data: data), header.identifier)
    return .rejected(header.code)
  }

  /// Rejects a packet about a channel that this side does not have. A CID that the packet does not contain is 0.
  mutating func reject(
    _ header: SignallingHeader, unknown local: ChannelID, _ remote: ChannelID = ChannelID(rawValue: 0)
  ) -> SignallingChannel.Outcome {
    reject(header, .invalidChannel, local.rawValue.littleEndianOctets + remote.rawValue.littleEndianOctets)
  }

  /// Handles the rejection of a request of this side (Core 5.4 Vol 3 Part A 4.1).
  private mutating func rejected(_ identifier: UInt8, events: inout [ClassicChannelEvent]) {
    guard let place = requests.firstIndex(where: { $0.isSent && $0.identifier == identifier }) else { return }
    let request = requests.remove(at: place)
    if case .information(let type) = request.kind { return events.append(.informed(type, nil)) }
    guard let index = request.channel.flatMap({ index(of: $0) }) else { return }
    // Only a channel that the peer still knows is closed on its side too.
    if request.kind == .configure { disconnect(index, .rejected) } else { remove(index, .rejected, events: &events) }
  }

  // MARK: - Deadlines

  /// Handles timeouts: stops waiting for responses (Core 5.4 Vol 3 Part A 6.2), and closes channels that take too long.
  public mutating func advance(to now: Instant, events: inout [ClassicChannelEvent]) {
    for request in requests {
      guard let deadline = request.deadline, deadline <= now,
        takeRequest(request.kind, request.channel, request.identifier)
      else { continue }
      if case .information(let type) = request.kind { events.append(.informed(type, nil)) }
      guard let index = request.channel.flatMap({ index(of: $0) }) else { continue }
      switch request.kind {
      case .configure: disconnect(index, .unanswered)
      case .connect: remove(index, .unanswered, events: &events)
      case .disconnect, .information: remove(index, .local, events: &events)
      }
    }
    for index in channels.indices {
      if let deadline = channels[index].requestDeadline, deadline <= now { requestConfiguration(index) }
      if let deadline = channels[index].configurationDeadline, deadline <= now { disconnect(index, .unanswered) }
      if let fault = channels[index].retransmission?.advance(to: now) { disconnect(index, .retransmission(fault)) }
      if case .draining(let until) = channels[index].state, until <= now { disconnect(index, .local) }
    }
  }
}

/// The packets of a C-frame on ACL-U, which may contain several (Core 5.4 Vol 3 Part A 4).
public struct ClassicSignallingFrame: Sendable {
  /// A packet, and where its data is in the frame.
  public struct Place: Sendable {
    /// Its header.
    public var header: SignallingHeader
    /// The octets of its data.
    public var data: Range<Int>
  }

  /// The packets.
  public private(set) var places: [Place] = []
  /// Where the last packet ends.
  public private(set) var end = 0
  /// Whether the frame is empty, or octets follow the packets that are no whole one.
  public let hasPart: Bool

  /// Finds the packets of a frame.
  public init(_ frame: Span<UInt8>) {
    while end < frame.count, let (header, size) = try? SignallingHeader.decodePrefix(of: frame.extracting(end...)),
      header.identifier != 0, frame.count - end - size >= Int(header.length)
    {
      let start = end + size
      end = start + Int(header.length)
      places.append(Place(header: header, data: start..<end))
    }
    hasPart = end < frame.count || frame.isEmpty
  }
}
