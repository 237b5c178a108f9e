import BLECore
import BLEL2CAP
import Testing

/// A link's channels under test, with the peer's part played by hand: frames go in and come out as hexadecimal.
struct ChannelPeer {
  var channels: LinkChannels
  var published: [PublishedChannel]
  var security = LinkSecurity.open
  var now = Instant(nanoseconds: 1_000_000)
  var events: [ChannelEvent] = []
  /// The SDUs that came in, by channel.
  var received: [ChannelID: [[UInt8]]] = [:]
  /// The tickets that the application has given; the next one has the next number.
  var tickets: [AnswerTicket] = []
  /// What the last signalling packet led to.
  var outcome = SignallingChannel.Outcome.handled

  init(_ published: [PublishedChannel] = [], role: SignallingChannel.Role = .peripheral) {
    self.published = published
    channels = LinkChannels(role: role)
  }

  /// Plays a C-frame of the peer; gives the answer, an empty string for none.
  @discardableResult
  mutating func signal(_ hexadecimal: String) -> String {
    var reply = OctetBuffer()
    let frame = [UInt8](hexadecimal: hexadecimal) ?? []
    outcome = channels.receiveSignalling(
      frame.span, published: published, security: security, at: now, reply: &reply, events: &events
    ) { _ in
      tickets.append(AnswerTicket(UInt64(tickets.count)))
      return .ask(tickets[tickets.count - 1])
    }
    return reply.copy().hexadecimal
  }

  /// Plays a packet of the peer.
  @discardableResult
  mutating func signal<Packet: SignallingPacket>(_ packet: Packet, identifier: UInt8 = 1) -> String {
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    return signal(buffer.copy().hexadecimal)
  }

  /// Plays a K-frame's payload of the peer.
  @discardableResult
  mutating func frame(_ id: ChannelID, _ payload: [UInt8]) -> FrameOutcome {
    let outcome = channels.receiveFrame(id, payload.span)
    switch outcome {
    case .whole: received[id, default: []].append(Array(payload[KFrame.sduLengthOctetCount...]))
    case .assembled(let sdu):
      received[id, default: []].append(sdu)
      channels.recycle(sdu, on: id)
    default: break
    }
    return outcome
  }

  /// The next B-frame that this side sends; nil when there is none.
  mutating func nextPDU() -> [UInt8]? {
    var buffer = OctetBuffer()
    let isExpected = channels.hasPDU
    let hasWritten = channels.writePDU(at: now, into: &buffer, events: &events)
    #expect(hasWritten == isExpected)
    #expect(buffer.isEmpty != hasWritten)
    return hasWritten ? buffer.copy() : nil
  }

  /// The payload of the next B-frame, in hexadecimal, which must be on that channel; an empty string when there is none.
  mutating func next(on channel: ChannelID = .signalling) -> String {
    guard let pdu = nextPDU() else { return "" }
    guard let (header, size) = try? BasicHeader.decodePrefix(of: pdu.span) else { return "malformed" }
    #expect(header.channel == channel)
    #expect(Int(header.length) == pdu.count - size)
    return pdu[size...].hexadecimal
  }

  /// The next packet on the signalling channel, with its identifier.
  mutating func nextPacket<Packet: SignallingPacket>(_ type: Packet.Type) throws -> (packet: Packet, identifier: UInt8)
  {
    let text = next()
    let frame = try #require([UInt8](hexadecimal: text))
    let (header, size) = try SignallingHeader.decodePrefix(of: frame.span)
    #expect(header.code == Packet.code)
    #expect(Int(header.length) == frame.count - size)
    return (try Packet(decoding: Array(frame[size...])), header.identifier)
  }

  /// Everything that this side sends now.
  mutating func allPDUs(limit: Int = 10_000) -> [[UInt8]] {
    var pdus: [[UInt8]] = []
    while pdus.count < limit, let pdu = nextPDU() { pdus.append(pdu) }
    return pdus
  }

  /// The application's late answer; whether anybody has waited for it.
  mutating func answer(_ ticket: AnswerTicket, isAuthorized: Bool) -> Bool {
    channels.answer(ticket, isAuthorized: isAuthorized, events: &events)
  }

  /// What happened since the last time.
  mutating func takeEvents() -> [ChannelEvent] {
    defer { events = [] }
    return events
  }

  mutating func send(_ sdu: [UInt8], on id: ChannelID) -> SDUSubmission { channels.send(sdu.span, on: id) }

  mutating func close(_ id: ChannelID) { channels.close(id, at: now, events: &events) }

  mutating func wait(_ duration: Duration) {
    now += duration
    _ = channels.advance(to: now, events: &events)
  }
}

extension PublishedChannel {
  /// What most tests open: PSM 0x0080 with room for 100 octets in frames of 50, and 10 credits.
  static func test(
    psm: UInt16 = 0x0080, mtu: Int = 100, mps: Int = 50, credits: CreditPolicy = .frames(10),
    requirement: AccessRequirement = .open, authorization: ChannelAuthorization = .denied, maximum: Int = 64
  ) -> PublishedChannel {
    PublishedChannel(
      psm: SPSM(rawValue: psm), parameters: ChannelParameters(mtu: mtu, mps: mps, credits: credits),
      requirement: requirement, authorization: authorization, maximumChannels: maximum)
  }
}

extension ChannelID {
  /// The first end that a side gives.
  static let first = ChannelID(rawValue: 0x0040)
  static let second = ChannelID(rawValue: 0x0041)
  static let third = ChannelID(rawValue: 0x0042)
}

extension ChannelPeer {
  /// Lets the peer open a channel to the first PSM that is published.
  mutating func accept(
    source: UInt16 = 0x0050, mtu: UInt16 = 200, mps: UInt16 = 60, credits: UInt16 = 5
  ) throws -> ChannelID {
    var request = LECreditBasedConnectionRequest()
    request.psm = try #require(published.first).psm
    request.source = ChannelID(rawValue: source)
    (request.mtu, request.mps, request.initialCredits) = (mtu, mps, credits)
    let answer = signal(request, identifier: 7)
    let octets = try #require([UInt8](hexadecimal: answer))
    let response = try LECreditBasedConnectionResponse(decoding: Array(octets.dropFirst(SignallingHeader.octetCount)))
    #expect(response.result == .success)
    guard case .opened(let status) = takeEvents().last else {
      Issue.record("not opened")
      return response.destination
    }
    #expect(status.id == response.destination)
    return response.destination
  }

  /// Opens a channel that the peer accepts.
  mutating func open(
    _ parameters: ChannelParameters = ChannelParameters(mtu: 100, mps: 50, credits: .frames(10)),
    destination: UInt16 = 0x0050, mtu: UInt16 = 200, mps: UInt16 = 60, credits: UInt16 = 5
  ) throws -> ChannelID {
    let opening = channels.open(SPSM(rawValue: 0x0080), parameters: parameters)
    let id = try #require(opening)
    let (request, identifier) = try nextPacket(LECreditBasedConnectionRequest.self)
    #expect(request.source == id)
    var response = LECreditBasedConnectionResponse()
    response.destination = ChannelID(rawValue: destination)
    (response.mtu, response.mps, response.initialCredits) = (mtu, mps, credits)
    signal(response, identifier: identifier)
    guard case .opened(let status) = takeEvents().last else {
      Issue.record("not opened")
      return id
    }
    #expect(status.id == id)
    return id
  }
}

extension LinkChannels {
  /// `nextDeadline` for expectations, which cannot take what an access may change.
  var deadline: Instant? {
    var copy = self
    return copy.nextDeadline
  }
}
