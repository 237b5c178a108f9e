import BLECore
import BLEL2CAP

/// L2CAP on BR/EDR (Core 5.4 Vol 3 Part A): the connection-oriented channels of one link with a hostile peer.
package enum ClassicTarget: FuzzTarget {
  package static let name = "classic"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    var bench = ClassicBench()
    try bench.play(&input)
  }

  package static var seeds: [Seed] { ClassicSeeds.all }
}

/// The channels of one link, and what the peer may expect of them.
private struct ClassicBench {
  /// The most events in one step: more would be more than two for each channel.
  private static let eventLimit = 2 * ClassicChannels.maximumChannels + 4
  private static let retransmission = RetransmissionParameters(window: 4, mps: 100)
  private static let published = [
    PublishedClassicChannel(psm: .serviceDiscovery, parameters: ClassicChannelParameters(mtu: 100, queueLimit: 1000)),
    PublishedClassicChannel(
      psm: .attributeProtocol, requirement: AccessRequirement(needsAuthorization: true), authorization: .asked,
      maximumChannels: 3),
    PublishedClassicChannel(psm: .rfcomm, requirement: AccessRequirement(protection: .encrypted)),
    PublishedClassicChannel(
      psm: .audioVideoDistribution,
      parameters: ClassicChannelParameters(
        mtu: 300, queueLimit: 1000, mode: .basicOrRetransmission, retransmission: retransmission)),
  ]

  var channels = ClassicChannels()
  var now = Instant.zero
  var events: [ClassicChannelEvent] = []
  /// The channels that have been reported as open, and not as closed.
  var open: Set<ChannelID> = []
  /// The channels that the owner opens, until they are reported as open or as closed.
  var requested: Set<ChannelID> = []
  var lastTicket: UInt64 = 0
  var security = LinkSecurity.open
  /// How often the peer's requests with each identifier may still be answered.
  var expected = [Int](repeating: 0, count: 256)

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd {
      try step(&input)
      try check()
    }
    channels.linkLost(events: &events)
    try follow()
    try require(open.isEmpty && requested.isEmpty, "channels end without a report: \(open.union(requested))")
    try require(
      channels.all.isEmpty && channels.nextDeadline == nil && !channels.hasPDU, "something remains of a lost link")
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(12) {
    case 0: signal(input.run())
    case 1, 2:
      // A packet whose lengths are right, so that its fields are reached sooner.
      let (code, identifier) = (input.octet(), input.octet())
      let data = input.octets(input.below(40))
      signal([code, identifier, UInt8(data.count), 0] + data)
    case 3: try receive(ChannelID(rawValue: UInt16(input.octet())), input.run())
    case 4:
      let psms: [PSM] = [.serviceDiscovery, .attributeProtocol, .hidControl]
      let mtu = Int(input.word())
      let place = input.below(3)
      let parameters = ClassicChannelParameters(
        mtu: mtu, queueLimit: 1000, mode: place == 2 ? .retransmission : .basic, retransmission: Self.retransmission)
      if let id = channels.open(psms[place], parameters: parameters) { requested.insert(id) }
    case 5: channels.close(id(&input), at: now, events: &events)
    case 6: channels.abort(id(&input), at: now, events: &events)
    case 7:
      let sdu = [UInt8](repeating: 0xA5, count: Int(input.word()))
      let id = id(&input)
      if channels.send(sdu.span, on: id) == .queued {
        try require(open.contains(id), "a channel that is not open accepts SDUs")
      }
    case 8:
      now += .milliseconds(Int(input.word()) * 10)
      channels.advance(to: now, events: &events)
      try require(channels.nextDeadline.map { $0 > now } ?? true, "a deadline that has passed")
    case 9: try decide(&input)
    case 10: try control(&input)
    default: for _ in 0..<1 + input.below(64) where try !send() { break }
    }
  }

  private func id(_ input: inout FuzzInput) -> ChannelID { ChannelID(rawValue: 0x0040 + UInt16(input.below(8))) }

  private mutating func decide(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(4) {
    case 0: security = LinkSecurity(protection: .encrypted, keySize: 16)
    case 1: channels.closeIncoming(.serviceDiscovery, at: now, events: &events)
    case 2: _ = channels.requestInformation(InformationType(rawValue: UInt16(input.below(4))))
    default:
      guard let ticket = channels.tickets.first else { return }
      let isAwaited = channels.answer(ticket, isAuthorized: input.flag(), at: now, events: &events)
      try require(isAwaited, "nobody waited for the answer")
    }
  }

  // MARK: From the peer

  private mutating func signal(_ frame: [UInt8]) {
    // A request may be answered, or a pending one twice.
    var offset = 0
    while offset + 4 <= frame.count {
      expected[Int(frame[offset + 1])] += 2
      offset += 4 + (Int(frame[offset + 2]) | Int(frame[offset + 3]) << 8)
    }
    // What is left may be rejected, with identifier 0 if it is too short for one.
    if offset < frame.count { expected[offset + 1 < frame.count ? Int(frame[offset + 1]) : 0] += 1 }
    var ticket = lastTicket
    _ = channels.receiveSignalling(
      frame.span, published: Self.published, security: security, at: now, events: &events
    ) { _ in
      ticket += 1
      return ticket.isMultiple(of: 5) ? .granted : .ask(AnswerTicket(ticket))
    }
    lastTicket = ticket
  }

  private mutating func receive(_ id: ChannelID, _ payload: [UInt8]) throws(Violation) {
    let before = channels.status(id)
    switch channels.receiveFrame(id, payload.span, at: now) {
    case .assembled(let sdu):
      try require(before.map { sdu.count <= $0.receiveMTU } ?? false, "an SDU is longer than the MTU")
      try require(before?.mode == .enhancedRetransmission, "Basic Mode has no segments")
    case .incomplete: try require(before?.mode == .enhancedRetransmission, "Basic Mode has no segments")
    case .sdu:
      try require(before.map { payload.count <= $0.receiveMTU } ?? false, "an SDU is longer than the MTU")
      try require(open.contains(id), "an SDU comes on a channel that is not open")
    case .violation: try require(channels.status(id)?.isOpen == false, "a channel survives a violation")
    case .unknownChannel: try require(before == nil, "a channel is unknown")
    case .discarded: try require(before?.isOpen == false, "an open channel discards data")
    }
  }

  /// Receives a frame of Enhanced Retransmission Mode whose check sequence is right, if it has one.
  private mutating func control(_ input: inout FuzzInput) throws(Violation) {
    let id = id(&input)
    let head = input.word().littleEndianOctets
    let frame = head + input.octets(input.below(110))
    let check = FrameCheckSequence.of(frame.span, on: id)
    try receive(id, input.flag() ? frame + check.littleEndianOctets : frame)
  }

  // MARK: To the peer

  /// Sends the next frame; returns false when there is none.
  private mutating func send() throws(Violation) -> Bool {
    let before = channels.all
    let isExpected = channels.hasPDU
    var buffer = OctetBuffer()
    let hasWritten = channels.writePDU(at: now, into: &buffer, events: &events)
    try require(
      hasWritten == isExpected && buffer.isEmpty != hasWritten, "hasPDU does not say whether a frame is written")
    guard hasWritten else { return false }
    let frame = buffer.copy()
    try require(frame.count >= 4 && frame.count == 4 + (Int(frame[0]) | Int(frame[1]) << 8), "a frame is not valid")
    let channel = ChannelID(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
    if channel == .classicSignalling {
      try checkSignalling(Array(frame[4...]))
    } else {
      let limit = { (status: ClassicChannelStatus) in
        // The control field, the length of the SDU, and the check sequence.
        status.mode == .basic ? status.sendMTU : Self.retransmission.mps + 6
      }
      try require(
        before.contains { $0.remote == channel && open.contains($0.id) && frame.count - 4 <= limit($0) },
        "a frame of \(frame.count - 4) octets is sent, but no channel may send it")
    }
    return true
  }

  private mutating func checkSignalling(_ packet: [UInt8]) throws(Violation) {
    try require(
      packet.count >= 4 && packet.count == 4 + (Int(packet[2]) | Int(packet[3]) << 8), "a packet is not valid")
    let code = SignallingCode(rawValue: packet[0])
    try require(packet[1] != 0 || code == .commandReject, "a packet has no identifier")
    if code != .echoResponse { try require(packet.count <= 48, "a packet of \(packet.count) octets") }
    guard code.isResponse else { return }
    expected[Int(packet[1])] -= 1
    try require(expected[Int(packet[1])] >= 0, "a response to no request")
  }

  // MARK: Invariants

  private mutating func check() throws(Violation) {
    try require(events.count <= Self.eventLimit, "\(events.count) events in one step")
    try follow()
    let all = channels.all
    try require(all.count <= ClassicChannels.maximumChannels, "\(all.count) channels")
    try require(Set(all.map(\.id)).count == all.count, "two channels have the same CID")
    try require(channels.tickets.count <= 4, "\(channels.tickets.count) tickets are open")
    for status in all {
      try require(status.id.isClassicDynamic, "a CID of \(status.id.rawValue)")
      try require((48...65_535).contains(status.sendMTU) && status.receiveMTU >= 48, "an MTU below 48")
      try require(status.queuedOctets <= 65_536 + 65_535, "\(status.queuedOctets) octets wait")
      try require(!status.isOpen || status.remote.isClassicDynamic, "an open channel has no CID of the peer")
    }
    let remotes = all.map(\.remote.rawValue).filter { $0 != 0 }
    try require(Set(remotes).count == remotes.count, "two channels have the same CID of the peer")
    try require(open.isSubset(of: all.map(\.id)), "an open channel is gone without a report")
    try require(requested.isSubset(of: all.map(\.id)), "a channel is gone without a report")
    if !all.isEmpty, all.contains(where: { !$0.isOpen }), channels.tickets.isEmpty {
      try require(channels.nextDeadline != nil || channels.hasPDU, "a channel waits for ever")
    }
  }

  /// Checks that a channel is opened at most once before it ends, and that it ends once.
  private mutating func follow() throws(Violation) {
    for event in events {
      switch event {
      case .opened(let status):
        try require(open.insert(status.id).inserted, "a channel is opened twice")
        requested.remove(status.id)
      case .closed(let id, _, _, _):
        open.remove(id)
        requested.remove(id)
        try require(channels.status(id) == nil, "\(id.rawValue) ends, but is still there")
      case .maySend(let id): try require(open.contains(id), "an event concerns a channel that is not open")
      case .reconfigured(let status):
        try require(open.contains(status.id), "an event concerns a channel that is not open")
      case .authorizationAsked, .authorizationWithdrawn, .peerRefused, .informed: break
      }
    }
    events = []
  }
}
