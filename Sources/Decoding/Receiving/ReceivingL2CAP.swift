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
    case ChannelID.signalling.rawValue:
      enter(4, &summary)
      receiveSignalling(content, on: place, &summary)
    case ChannelID.securityManager.rawValue:
      enter(4, &summary)
      receiveSMP(content, on: place, &summary)
    default:
      let key = LinkState.channelKey(summary.sender.other, channel)
      if links[place].channels[key] != nil {
        enter(4, &summary)
        receiveFrame(content, key, on: place, &summary)
      }
    }
  }

  /// Moves `summary.pdu` past a header.
  private func enter(_ head: Int, _ summary: inout PacketSummary) {
    switch summary.pdu {
    case .record(let range): summary.pdu = .record(range.lowerBound + head..<range.upperBound)
    case .assembled(let octets): summary.pdu = .assembled(Array(octets.dropFirst(head)))
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

  /// Processes a signalling packet (Core 5.4 Vol 3 Part A 4).
  private mutating func receiveSignalling(_ packet: Span<UInt8>, on place: Int, _ summary: inout PacketSummary) {
    summary.layer = .signalling
    guard packet.count >= 4, packet.count == 4 + Int(packet.word(2)) else {
      if packet.count > 0 { summary.opcode = UInt16(packet[0]) }
      summary.fault = .malformed
      return
    }
    let code = SignallingCode(rawValue: packet[0])
    summary.opcode = UInt16(packet[0])
    let data = packet.extracting(4...)
    if code.isResponse {
      let key = LinkState.requestKey(summary.sender.other, packet[1])
      if let request = links[place].signallingRequests.removeValue(forKey: key) {
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

  private mutating func followChannels(
    _ code: SignallingCode, identifier: UInt8, _ data: Span<UInt8>, on place: Int, _ summary: inout PacketSummary
  ) {
    let sender = summary.sender
    switch code {
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

  private mutating func forgetChannel(_ key: UInt32, on place: Int) {
    links[place].sduOctets -= links[place].channels.removeValue(forKey: key)?.sdu.count ?? 0
  }

  private mutating func remember(
    _ psm: UInt16, _ mtu: UInt16, _ sources: [UInt16], _ key: UInt16, on place: Int, _ summary: PacketSummary
  ) {
    links[place].channelRequests[key] = ChannelRequest(
      psm: psm, mtu: mtu, sources: sources, number: summary.number, nanoseconds: summary.nanoseconds)
  }

  /// Opens the channels of a request whose response has their CIDs on the other side, except those refused.
  private mutating func open(
    _ destinations: [UInt16], _ mtu: UInt16, _ key: UInt16, on place: Int, _ answerer: PacketSender
  ) {
    guard let request = links[place].channelRequests.removeValue(forKey: key) else { return }
    for (source, destination) in zip(request.sources, destinations) where destination != 0 {
      guard links[place].channels.count < LinkState.channelLimit else { return }
      let bearer = LinkState.channelKey(answerer.other, source)
      forgetChannel(LinkState.channelKey(answerer, destination), on: place)
      forgetChannel(bearer, on: place)
      links[place].channels[LinkState.channelKey(answerer, destination)] = ChannelState(
        psm: request.psm, bearer: bearer, mtu: mtu)
      links[place].channels[LinkState.channelKey(answerer.other, source)] = ChannelState(
        psm: request.psm, bearer: bearer, mtu: request.mtu)
    }
  }
}
