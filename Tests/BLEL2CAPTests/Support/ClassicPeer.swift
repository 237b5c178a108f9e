import BLECore
import BLEL2CAP
import Testing

/// An ACL-U link's channels under test, with a peer that the test controls: C-frames are hexadecimal in both directions.
struct ClassicPeer {
  var channels = ClassicChannels()
  var published: [PublishedClassicChannel]
  var security = LinkSecurity.open
  var now = Instant(nanoseconds: 1_000_000)
  var events: [ClassicChannelEvent] = []
  /// What the application answers when it is asked, and about what it has been.
  var decision = ChannelAuthorizationAnswer.refused
  var asked: [ClassicAuthorizationRequest] = []
  /// The result of the last C-frame.
  var outcome = SignallingChannel.Outcome.handled

  init(_ published: [PublishedClassicChannel] = [PublishedClassicChannel(psm: .serviceDiscovery)]) {
    self.published = published
  }

  /// Sends a C-frame of the peer; returns the signalling packets that this side sends then.
  @discardableResult
  mutating func signal(_ hexadecimal: String) -> [String] {
    receive(hexadecimal)
    return signalling()
  }

  /// Sends a C-frame of the peer.
  mutating func receive(_ hexadecimal: String) {
    let frame = [UInt8](hexadecimal: hexadecimal) ?? []
    var asked: [ClassicAuthorizationRequest] = []
    let decision = decision
    outcome = channels.receiveSignalling(
      frame.span, published: published, security: security, at: now, events: &events
    ) {
      asked.append($0)
      return decision
    }
    self.asked += asked
  }

  /// Sends a packet of the peer.
  @discardableResult
  mutating func signal<Packet: SignallingPacket>(_ packet: Packet, _ identifier: UInt8 = 1) -> [String] {
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    return signal(buffer.copy().hexadecimal)
  }

  /// Returns the next B-frame that this side sends; nil if there is none.
  mutating func nextPDU() -> [UInt8]? {
    var buffer = OctetBuffer()
    let isExpected = channels.hasPDU
    let hasWritten = channels.writePDU(at: now, into: &buffer, events: &events)
    #expect(hasWritten == isExpected && buffer.isEmpty != hasWritten)
    return hasWritten ? buffer.copy() : nil
  }

  /// Returns the payloads of all B-frames that this side sends, which must be on that channel.
  mutating func signalling(on channel: ChannelID = .classicSignalling) -> [String] {
    var packets: [String] = []
    while let pdu = nextPDU() {
      guard let (header, size) = try? BasicHeader.decodePrefix(of: pdu.span) else { continue }
      #expect(header.channel == channel)
      #expect(Int(header.length) == pdu.count - size)
      packets.append(pdu[size...].hexadecimal)
    }
    return packets
  }

  /// Returns the events since the last call.
  mutating func takeEvents() -> [ClassicChannelEvent] {
    defer { events = [] }
    return events
  }

  mutating func wait(_ duration: Duration) {
    now += duration
    channels.advance(to: now, events: &events)
  }

  mutating func close(_ id: ChannelID) { channels.close(id, at: now, events: &events) }

  mutating func send(_ sdu: [UInt8], on id: ChannelID) -> SDUSubmission { channels.send(sdu.span, on: id) }

  mutating func receive(_ sdu: [UInt8], on id: ChannelID) -> ClassicFrameOutcome {
    channels.receiveFrame(id, sdu.span, at: now)
  }

  mutating func answer(_ ticket: AnswerTicket, isAuthorized: Bool) -> Bool {
    channels.answer(ticket, isAuthorized: isAuthorized, at: now, events: &events)
  }

  /// `nextDeadline` for expectations, which cannot call mutating accessors.
  var deadline: Instant? {
    var copy = channels
    return copy.nextDeadline
  }

  // MARK: Usual courses

  /// Lets the peer open a channel 0x0040 to SDP with its CID 0x0050 and an MTU of 0x0064, up to the configuration of both sides.
  mutating func accept() -> ChannelID {
    #expect(signal("02 01 0400 0100 5000") == ["030108004000500000000000", "04010800500000000102a002"])
    #expect(signal("04 02 0800 4000 0000 0102 6400") == ["05020a0050000000000001026400"])
    #expect(signal("05 01 0600 4000 0000 0000") == [])
    return .first
  }

  /// Opens a channel 0x0040 to SDP, for which the peer has CID 0x0050.
  mutating func open(mtu: Int = 672) -> ChannelID {
    let id = channels.open(.serviceDiscovery, parameters: ClassicChannelParameters(mtu: mtu))
    #expect(id == .first)
    #expect(signalling() == ["0201040001004000"])
    return .first
  }
}
