import BLECore
import BLEHCI
import BLEL2CAP
import Capture

extension PacketDecoder {
  /// Processes an ACL packet that starts with its H4 type.
  mutating func receiveACL(_ octets: Span<UInt8>, _ summary: inout PacketSummary) {
    summary.layer = .acl
    guard octets.count >= 5 else {
      summary.fault = .malformed
      return
    }
    let word = octets.word(1)
    summary.handle = word & 0x0FFF
    guard octets.count == 5 + Int(octets.word(3)) else {
      summary.fault = .malformed
      return
    }
    summary.value = 5..<octets.count
    let place = link(
      Self.key(source: summary.source, handle: word & 0x0FFF), source: summary.source, isOnAir: false)
    summary.address = links[place].address
    let boundary = PacketBoundary(rawValue: UInt8(truncatingIfNeeded: word >> 12) & 0b11)
    recombine(boundary, octets, at: 5, on: place, &summary)
  }

  /// Adds the data from `start` on to its PDU, and processes the PDU when it is complete.
  mutating func recombine(
    _ boundary: PacketBoundary, _ octets: Span<UInt8>, at start: Int, on place: Int, _ summary: inout PacketSummary
  ) {
    let data = octets.extracting(start...)
    let outcome = links[place].recombiners[summary.sender.rawValue].accept(boundary, data)
    if outcome.fault != nil { summary.fault = .recombination }
    switch outcome.pdu {
    case .none: break
    case .whole:
      summary.pdu = .record(start..<octets.count)
      receiveL2CAP(data, on: place, &summary)
    case .assembled(let pdu):
      summary.pdu = .assembled(pdu)
      receiveL2CAP(pdu.span, on: place, &summary)
    }
  }

  /// Processes a whole L2CAP PDU. `summary.pdu` is that PDU at first, and then the one inside.
  private mutating func receiveL2CAP(_ pdu: Span<UInt8>, on place: Int, _ summary: inout PacketSummary) {
    summary.layer = .l2cap
    guard pdu.count >= 4 else {
      summary.fault = .malformed
      return
    }
    let channel = pdu.word(2)
    summary.channel = channel
    summary.value = 4..<pdu.count
    let content = pdu.extracting(4...)
    switch channel {
    case ChannelID.attributeProtocol.rawValue:
      enter(4, &summary)
      receiveATT(content, bearer: nil, on: place, &summary)
    case ChannelID.signalling.rawValue, ChannelID.classicSignalling.rawValue:
      enter(4, &summary)
      receiveSignalling(content, on: place, &summary)
    case ChannelID.connectionless.rawValue where pdu.count >= 6:
      enter(4, &summary)
      summary.opcode = ClassicOpcode.connectionless
      summary.value = 2..<content.count
    case ChannelID.securityManager.rawValue, ChannelID.classicSecurityManager.rawValue:
      enter(4, &summary)
      receiveSMP(content, on: place, &summary)
    default:
      let key = LinkState.channelKey(summary.sender.other, channel)
      if let frames = links[place].channels[key]?.frames {
        enter(4, &summary)
        summary.value = 0..<content.count
        receiveClassic(content, frames, key, on: place, &summary)
      } else if links[place].channels[key] != nil {
        enter(4, &summary)
        receiveFrame(content, key, on: place, &summary)
      }
    }
  }

  /// Moves `summary.pdu` past a header, and in front of a trailer.
  func enter(_ head: Int, leaving tail: Int = 0, _ summary: inout PacketSummary) {
    switch summary.pdu {
    case .record(let range): summary.pdu = .record(range.lowerBound + head..<range.upperBound - tail)
    case .assembled(let octets): summary.pdu = .assembled(Array(octets.dropFirst(head).dropLast(tail)))
    }
    summary.value = 0..<0
  }

  /// Processes a K-frame (Core 5.4 Vol 3 Part A 3.4.3). The first of an SDU starts with its length.
  private mutating func receiveFrame(
    _ frame: Span<UInt8>, _ key: UInt32, on place: Int, _ summary: inout PacketSummary
  ) {
    summary.layer = .channel
    guard var channel = links[place].channels.removeValue(forKey: key) else { return }
    summary.opcode = channel.psm
    summary.value = 0..<frame.count
    var start = 0
    if channel.sdu.isEmpty && channel.sduLength == 0 {
      guard frame.count >= 2 else {
        summary.fault = .malformed
        links[place].channels[key] = channel
        return
      }
      channel.sduLength = Int(frame.word(0))
      start = 2
    }
    summary.value = start..<frame.count
    links[place].sduOctets -= channel.sdu.count
    channel.sdu += frame.array(from: start)
    if channel.sdu.count >= channel.sduLength {
      if channel.sdu.count > channel.sduLength { summary.fault = .recombination }
      summary.sdu = Array(channel.sdu.prefix(channel.sduLength))
      channel.sdu = []
      channel.sduLength = 0
    }
    if links[place].sduOctets + channel.sdu.count > LinkState.sduLimit {
      summary.fault = .recombination
      channel.sdu = []
    }
    links[place].sduOctets += channel.sdu.count
    links[place].channels[key] = channel
    if channel.isATT, let sdu = summary.sdu {
      summary.pdu = .assembled(sdu)
      summary.value = 0..<0
      receiveATT(sdu.span, bearer: channel.bearer, on: place, &summary)
    }
  }

  // MARK: Signalling

  /// Processes a C-frame (Core 5.4 Vol 3 Part A 4): one packet, or several on BR/EDR. The summary is about the first.
  private mutating func receiveSignalling(_ frame: Span<UInt8>, on place: Int, _ summary: inout PacketSummary) {
    summary.layer = .signalling
    let isClassic = summary.channel == ChannelID.classicSignalling.rawValue
    guard frame.count >= 4, let first = packetEnd(frame, 0), isClassic || first == frame.count else {
      if frame.count > 0 { summary.opcode = UInt16(frame[0]) }
      summary.fault = .malformed
      return
    }
    receivePacket(frame.extracting(..<first), on: place, &summary)
    var start = first
    while start < frame.count {
      guard let end = packetEnd(frame, start) else {
        summary.fault = .malformed
        return
      }
      var further = summary
      further.fault = nil
      receivePacket(frame.extracting(start..<end), on: place, &further)
      summary.fault = summary.fault ?? further.fault
      start = end
    }
  }

  /// Returns the end of a signalling packet that begins at `start`; nil if it is not whole.
  private func packetEnd(_ frame: Span<UInt8>, _ start: Int) -> Int? {
    guard frame.count - start >= 4 else { return nil }
    let end = start + 4 + Int(frame.word(start + 2))
    return end <= frame.count ? end : nil
  }

  private mutating func receivePacket(_ packet: Span<UInt8>, on place: Int, _ summary: inout PacketSummary) {
    let code = SignallingCode(rawValue: packet[0])
    summary.opcode = UInt16(packet[0])
    let data = packet.extracting(4...)
    if code.isResponse {
      let key = LinkState.requestKey(summary.sender.other, packet[1])
      if let request = links[place].signallingRequests[key] {
        if !Self.isPending(code, data) { links[place].signallingRequests[key] = nil }
        summary.request = request.number
        summary.latency = summary.nanoseconds.elapsed(since: request.nanoseconds)
      } else {
        summary.fault = .unexpectedResponse
      }
    } else if code != .flowControlCredit {
      if links[place].signallingRequests.count >= LinkState.requestLimit {
        links[place].signallingRequests.removeAll()
        links[place].channelRequests.removeAll()
      }
      links[place].signallingRequests[LinkState.requestKey(summary.sender, packet[1])] =
        (summary.number, summary.nanoseconds)
    }
    followChannels(code, identifier: packet[1], data, on: place, &summary)
  }

  /// Returns whether another response to the same request follows (Core 5.4 Vol 3 Part A 4.3, 4.5).
  private static func isPending(_ code: SignallingCode, _ data: Span<UInt8>) -> Bool {
    switch code {
    case .connectionResponse where data.count >= 6: data.word(4) == ConnectionResult.pending.rawValue
    case .configurationResponse where data.count >= 6: data.word(4) == ConfigurationResult.pending.rawValue
    default: false
    }
  }

  private mutating func followChannels(
    _ code: SignallingCode, identifier: UInt8, _ data: Span<UInt8>, on place: Int, _ summary: inout PacketSummary
  ) {
    let sender = summary.sender
    switch code {
    case .connectionRequest, .connectionResponse, .configurationRequest, .configurationResponse, .informationResponse:
      followClassicChannels(code, identifier: identifier, data, on: place, &summary)
    case .leCreditBasedConnectionRequest:
      guard let request = try? LECreditBasedConnectionRequest(decoding: data) else { return }
      remember(
        request.psm.rawValue, request.mtu, [request.source.rawValue], LinkState.requestKey(sender, identifier),
        on: place,
        summary)
    case .creditBasedConnectionRequest:
      guard let request = try? CreditBasedConnectionRequest(decoding: data) else { return }
      remember(
        request.psm.rawValue, request.mtu, request.sources.prefix(5).map(\.rawValue),
        LinkState.requestKey(sender, identifier), on: place, summary)
    case .leCreditBasedConnectionResponse:
      guard let response = try? LECreditBasedConnectionResponse(decoding: data) else { return }
      summary.status = UInt8(clamping: response.result.rawValue)
      open(
        [response.destination.rawValue], response.mtu, LinkState.requestKey(sender.other, identifier), on: place, sender
      )
    case .creditBasedConnectionResponse:
      guard let response = try? CreditBasedConnectionResponse(decoding: data) else { return }
      summary.status = UInt8(clamping: response.result.rawValue)
      open(
        response.destinations.map(\.rawValue), response.mtu, LinkState.requestKey(sender.other, identifier), on: place,
        sender)
    case .disconnectionResponse:
      guard let response = try? DisconnectionResponse(decoding: data) else { return }
      forgetChannel(LinkState.channelKey(sender, response.destination.rawValue), on: place)
      forgetChannel(LinkState.channelKey(sender.other, response.source.rawValue), on: place)
      links[place].bearers[LinkState.channelKey(sender, response.destination.rawValue)] = nil
      links[place].bearers[LinkState.channelKey(sender.other, response.source.rawValue)] = nil
    case .connectionParameterUpdateResponse, .commandReject, .creditBasedReconfigureResponse:
      if data.count >= 2 { summary.status = UInt8(clamping: data.word(0)) }
    default: break
    }
  }

  private mutating func followClassicChannels(
    _ code: SignallingCode, identifier: UInt8, _ data: Span<UInt8>, on place: Int, _ summary: inout PacketSummary
  ) {
    let sender = summary.sender
    switch code {
    case .connectionRequest:
      guard let request = try? ChannelConnectionRequest(decoding: data) else { return }
      remember(
        request.psm.rawValue, MTUOption.defaultMTU, [request.source.rawValue],
        LinkState.requestKey(sender, identifier), on: place, summary)
    case .connectionResponse:
      guard let response = try? ChannelConnectionResponse(decoding: data) else { return }
      summary.status = UInt8(clamping: response.result.rawValue)
      guard response.result != .pending else { return }
      open(
        response.result == .success ? [response.destination.rawValue] : [], MTUOption.defaultMTU,
        LinkState.requestKey(sender.other, identifier), isClassic: true, on: place, sender)
    case .configurationRequest:
      guard let request = try? ConfigurationRequest(decoding: data) else { return }
      configure(
        LinkState.channelKey(sender.other, request.destination.rawValue), request.options, isRequest: true, on: place,
        sender)
    case .configurationResponse:
      guard let response = try? ConfigurationResponse(decoding: data) else { return }
      summary.status = UInt8(clamping: response.result.rawValue)
      configure(
        LinkState.channelKey(sender.other, response.source.rawValue), response.options, isRequest: false, on: place,
        sender)
    case .informationResponse: if data.count >= 4 { summary.status = UInt8(clamping: data.word(2)) }
    default: break
    }
  }

  private mutating func forgetChannel(_ key: UInt32, on place: Int) {
    links[place].sduOctets -= links[place].channels.removeValue(forKey: key)?.kept ?? 0
  }

  private mutating func remember(
    _ psm: UInt16, _ mtu: UInt16, _ sources: [UInt16], _ key: UInt16, on place: Int, _ summary: PacketSummary
  ) {
    links[place].channelRequests[key] = ChannelRequest(
      psm: psm, mtu: mtu, sources: sources, number: summary.number, nanoseconds: summary.nanoseconds)
  }

  /// Opens the channels of a request whose response has their CIDs on the other side, except those refused.
  private mutating func open(
    _ destinations: [UInt16], _ mtu: UInt16, _ key: UInt16, isClassic: Bool = false, on place: Int,
    _ answerer: PacketSender
  ) {
    guard let request = links[place].channelRequests.removeValue(forKey: key) else { return }
    for (source, destination) in zip(request.sources, destinations) where destination != 0 {
      guard links[place].channels.count < LinkState.channelLimit else { return }
      let bearer = LinkState.channelKey(answerer.other, source)
      let answering = LinkState.channelKey(answerer, destination)
      forgetChannel(answering, on: place)
      forgetChannel(bearer, on: place)
      var asked = ChannelState(psm: request.psm, bearer: bearer, mtu: request.mtu, other: answering)
      var answered = ChannelState(psm: request.psm, bearer: bearer, mtu: mtu, other: bearer)
      if isClassic {
        asked.classic = classicProtocol(PSM(rawValue: request.psm), on: place)
        answered.classic = asked.classic
        asked.frames = ClassicFrames()
        answered.frames = ClassicFrames()
      }
      links[place].channels[answering] = answered
      links[place].channels[bearer] = asked
    }
  }

  /// Returns the protocol of a new channel. Only the first channel of AVDTP has signals.
  private func classicProtocol(_ psm: PSM, on place: Int) -> ClassicProtocol? {
    let classic = ClassicProtocol(psm)
    guard classic == .avdtp else { return classic }
    return links[place].channels.values.contains { $0.classic == .avdtp } ? .media : .avdtp
  }
}
