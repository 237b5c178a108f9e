import BLECore
import BLEL2CAP
import Testing

/// A link's channels under test, with a peer that the test controls: frames are hexadecimal in both directions.
struct ChannelPeer {
  var channels: LinkChannels
  var published: [PublishedChannel]
  var security = LinkSecurity.open
  var now = Instant(nanoseconds: 1_000_000)
  var events: [ChannelEvent] = []
  /// The received SDUs, by channel.
  var received: [ChannelID: [[UInt8]]] = [:]
  /// The tickets that the application has given; they are numbered.
  var tickets: [AnswerTicket] = []
  /// The result of the last signalling packet.
  var outcome = SignallingChannel.Outcome.handled

  init(_ published: [PublishedChannel] = [], role: SignallingChannel.Role = .peripheral) {
    self.published = published
    channels = LinkChannels(role: role)
  }

  /// Sends a C-frame of the peer; returns the answer, an empty string for none.
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

  /// Sends a packet of the peer.
  @discardableResult
  mutating func signal<Packet: SignallingPacket>(_ packet: Packet, identifier: UInt8 = 1) -> String {
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    return signal(buffer.copy().hexadecimal)
  }

  /// Sends the payload of a K-frame of the peer.
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

  /// Returns the next B-frame that this side sends; nil if there is none.
  mutating func nextPDU() -> [UInt8]? {
    var buffer = OctetBuffer()
    let isExpected = channels.hasPDU
    let hasWritten = channels.writePDU(at: now, into: &buffer, events: &events)
    #expect(hasWritten == isExpected)
    #expect(buffer.isEmpty != hasWritten)
    return hasWritten ? buffer.copy() : nil
  }

  /// Returns the payload of the next B-frame, in hexadecimal, which must be on that channel; an empty string if there is none.
  mutating func next(on channel: ChannelID = .signalling) -> String {
    guard let pdu = nextPDU() else { return "" }
    guard let (header, size) = try? BasicHeader.decodePrefix(of: pdu.span) else { return "malformed" }
    #expect(header.channel == channel)
    #expect(Int(header.length) == pdu.count - size)
    return pdu[size...].hexadecimal
  }

  /// Returns the next packet on the signalling channel, with its identifier.
  mutating func nextPacket<Packet: SignallingPacket>(_ type: Packet.Type) throws -> (packet: Packet, identifier: UInt8)
  {
    let text = next()
    let frame = try #require([UInt8](hexadecimal: text))
    let (header, size) = try SignallingHeader.decodePrefix(of: frame.span)
    #expect(header.code == Packet.code)
    #expect(Int(header.length) == frame.count - size)
    return (try Packet(decoding: Array(frame[size...])), header.identifier)
  }

  /// Returns everything that this side sends now.
  mutating func allPDUs(limit: Int = 10_000) -> [[UInt8]] {
    var pdus: [[UInt8]] = []
    while pdus.count < limit, let pdu = nextPDU() { pdus.append(pdu) }
    return pdus
  }

  /// Gives the application's late answer; returns whether it was awaited.
  mutating func answer(_ ticket: AnswerTicket, isAuthorized: Bool) -> Bool {
    channels.answer(ticket, isAuthorized: isAuthorized, events: &events)
  }

  /// Returns the events since the last call.
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
  /// The usual channel of the tests: PSM 0x0080 with room for 100 octets in frames of 50, and 10 credits.
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
  /// The first CID of a side.
  static let first = ChannelID(rawValue: 0x0040)
  static let second = ChannelID(rawValue: 0x0041)
  static let third = ChannelID(rawValue: 0x0042)
}

extension ChannelPeer {
  /// Lets the peer open a channel to the first published PSM.
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
  /// `nextDeadline` for expectations, which cannot call mutating accessors.
  var deadline: Instant? {
    var copy = self
    return copy.nextDeadline
  }
}
