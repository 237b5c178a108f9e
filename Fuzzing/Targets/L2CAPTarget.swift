import BLECore
import BLEHCI
import BLEL2CAP

/// L2CAP (Core 5.4 Vol 3 Part A): the channels of one link with a hostile peer, recombination, and all of it through a host with two links.
package enum L2CAPTarget: FuzzTarget {
  package static let name = "l2cap"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(3) {
    case 0:
      var bench = ChannelBench(role: input.flag() ? .central : .peripheral)
      try bench.play(&input)
    case 1: try runRecombiner(&input)
    default:
      var bench = try HostBench()
      try bench.connect(0)
      try bench.connect(1)
      try bench.play(&input)
    }
  }

  /// Runs packets with any boundary through a recombiner with a small limit. A PDU has the length that it
  /// says, and no octet comes out twice.
  private static func runRecombiner(_ input: inout FuzzInput) throws(Violation) {
    let limit = 4 + Int(input.octet())
    var recombiner = ACLRecombiner(limit: limit)
    var given = 0
    var taken = 0
    while !input.isAtEnd {
      let boundary = PacketBoundary(rawValue: UInt8(input.below(4)))
      let data = input.run()
      given += data.count
      let outcome = recombiner.accept(boundary, data.span)
      let pdu: [UInt8]
      switch outcome.pdu {
      case .none: continue
      case .whole: pdu = data
      case .assembled(let octets): pdu = octets
      }
      try require(pdu.count >= 4 && pdu.count <= limit, "a PDU of \(pdu.count) octets though the limit is \(limit)")
      try require(
        pdu.count == 4 + (Int(pdu[0]) | Int(pdu[1]) << 8), "a PDU does not have the length that its header says")
      try require(boundary != .whole, "a packet with an unknown boundary gives a PDU")
      taken += pdu.count
      try require(taken <= given, "more octets come out than went in")
    }
  }
}

/// The channels of one link, and the credits as the peer counts them.
private struct ChannelBench {
  /// The most channel events in one step: more would be more than two for each channel.
  private static let eventLimit = 2 * LinkChannels.maximumChannels + 2

  var channels: LinkChannels
  var now = Instant.zero
  var events: [ChannelEvent] = []
  /// The channels that have been reported as open, and not as closed.
  var open: Set<ChannelID> = []
  /// The channels that the owner opens, until they are reported as open or as closed.
  var requested: Set<ChannelID> = []
  /// How many tickets the application has given, and which of them it has not answered.
  var lastTicket: UInt64 = 0
  var asked: [AnswerTicket] = []
  var security = LinkSecurity.open

  init(role: SignallingChannel.Role) { channels = LinkChannels(role: role) }

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd {
      try step(&input)
      try check()
    }
    channels.linkLost(events: &events)
    try follow()
    try require(open.isEmpty && requested.isEmpty, "channels end without a report: \(open.union(requested))")
    try require(channels.all.isEmpty && channels.nextDeadline == nil, "something remains of a lost link")
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(14) {
    case 0: try signal(input.run())
    case 1: try receive(ChannelID(rawValue: UInt16(input.octet())), input.run())
    case 2:
      // A packet whose lengths are right, so that its fields are reached sooner.
      let code = input.octet()
      let identifier = input.octet()
      let data = input.octets(input.below(24))
      try signal([code, identifier, UInt8(data.count), 0] + data)
    case 3: if let id = channels.open(SPSM(rawValue: 0x0080), parameters: parameters(&input)) { requested.insert(id) }
    case 4:
      let ids = channels.openEnhanced(
        SPSM(rawValue: 0x0080), count: input.below(7), parameters: parameters(&input))
      requested.formUnion(ids)
    case 5: channels.close(id(&input), at: now, events: &events)
    case 6: channels.abort(id(&input), at: now, events: &events)
    case 7:
      let sdu = [UInt8](repeating: 0xA5, count: Int(input.word()))
      let id = id(&input)
      if channels.send(sdu.span, on: id) == .queued {
        try require(open.contains(id), "a channel that is not open accepts SDUs")
      }
    case 8: channels.hold(id(&input), input.flag())
    case 9: channels.giveCredits(Int(input.word()), on: id(&input))
    case 10: _ = channels.reconfigure([id(&input), id(&input)], mtu: Int(input.word()), mps: Int(input.word()))
    case 11:
      now += .milliseconds(Int(input.word()))
      _ = channels.advance(to: now, events: &events)
      try require(channels.nextDeadline.map { $0 > now } ?? true, "a deadline that has passed")
    case 12: try decide(&input)
    default: for _ in 0..<1 + input.below(64) where try !send() { break }
    }
  }

  private func id(_ input: inout FuzzInput) -> ChannelID { ChannelID(rawValue: 0x0040 + UInt16(input.below(6))) }

  private func parameters(_ input: inout FuzzInput) -> ChannelParameters {
    ChannelParameters(
      mtu: Int(input.word()), mps: Int(input.word()), credits: .frames(input.below(20)), queueLimit: 1000)
  }

  private mutating func decide(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(4) {
    case 0: security = LinkSecurity(protection: .encrypted, keySize: 16)
    case 1: channels.closeIncoming(SPSM(rawValue: 0x0080), at: now, events: &events)
    case 2:
      var buffer = OctetBuffer()
      channels.requestParameters(ConnectionParameterUpdateRequest(), at: now, into: &buffer)
    default:
      guard !asked.isEmpty else { return }
      let isAwaited = channels.answer(asked.removeFirst(), isAuthorized: input.flag(), events: &events)
      try require(isAwaited, "nobody waited for the answer")
    }
  }

  // MARK: From the peer

  private mutating func signal(_ frame: [UInt8]) throws(Violation) {
    var reply = OctetBuffer()
    let outcome = channels.receiveSignalling(
      frame.span, published: FuzzAccessory.channels, security: security, at: now, reply: &reply, events: &events
    ) { _ in
      lastTicket += 1
      return .ask(AnswerTicket(lastTicket))
    }
    let answer = reply.copy()
    if outcome == .malformed { try require(answer.isEmpty, "an ignored packet is answered") }
    guard !answer.isEmpty else { return }
    try require(
      answer.count >= 4 && answer.count == 4 + (Int(answer[2]) | Int(answer[3]) << 8), "an answer is not valid")
    try require(answer.count <= SignallingChannel.signallingMTU, "an answer of \(answer.count) octets")
    try require(SignallingCode(rawValue: answer[0]).isResponse, "an answer is not a response")
    try require(answer[1] == frame[1], "an answer has another packet's identifier")
    try require(!SignallingCode(rawValue: frame[0]).isResponse, "a response is answered")
  }

  private mutating func receive(_ id: ChannelID, _ payload: [UInt8]) throws(Violation) {
    let before = channels.status(id)
    switch channels.receiveFrame(id, payload.span) {
    case .whole:
      try require(payload.count >= 2, "an SDU has no length field")
      try checkSDU(payload.count - 2, before)
    case .assembled(let sdu):
      try checkSDU(sdu.count, before)
      channels.recycle(sdu, on: id)
    case .partial:
      try require(
        before.map { payload.count <= $0.receiveMPS && $0.receiveCredits > 0 } ?? false,
        "a frame is accepted that is too long or has no credit")
    case .discarded, .violation, .unknownChannel: break
    }
  }

  private func checkSDU(_ count: Int, _ before: ChannelStatus?) throws(Violation) {
    guard let before else { throw Violation(description: "an SDU comes on no channel") }
    try require(count <= before.receiveMTU, "an SDU of \(count) octets with an MTU of \(before.receiveMTU)")
    try require(before.receiveCredits > 0, "an SDU is accepted without a credit")
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
    try require(frame.count > 4 && frame.count == 4 + (Int(frame[0]) | Int(frame[1]) << 8), "a frame is not valid")
    let channel = ChannelID(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
    guard channel != .signalling else { return true }
    let fitting = before.filter { $0.remote == channel && $0.sendCredits > 0 && frame.count - 4 <= $0.sendMPS }
    try require(!fitting.isEmpty, "a frame of \(frame.count - 4) octets is sent, but no channel may send it")
    let credits = { (all: [ChannelStatus]) in all.reduce(0) { $0 + ($1.remote == channel ? $1.sendCredits : 0) } }
    let left = channels.all
    if left.contains(where: { $0.remote == channel }) {
      try require(credits(left) == credits(before) - 1, "a frame does not take one credit")
    }
    return true
  }

  // MARK: Invariants

  private mutating func check() throws(Violation) {
    try require(events.count <= Self.eventLimit, "\(events.count) events in one step")
    try follow()
    let all = channels.all
    try require(Set(all.map(\.id)).count == all.count, "two channels have the same CID")
    for status in all {
      try require((0x0040...0x007F).contains(status.id.rawValue), "a CID of \(status.id.rawValue)")
      try require((0...65_535).contains(status.sendCredits), "\(status.sendCredits) credits to send")
      try require((0...65_535).contains(status.receiveCredits), "\(status.receiveCredits) credits to receive")
      try require(status.queuedOctets <= 1000 + 65_535 || status.isIncoming, "\(status.queuedOctets) octets wait")
      try require(status.queuedOctets <= 65_536 + 65_535, "\(status.queuedOctets) octets wait")
    }
    let remotes = all.filter(\.isOpen).map(\.remote)
    try require(Set(remotes).count == remotes.count, "two channels have the same CID of the peer")
    try require(open.isSubset(of: all.map(\.id)), "an open channel is gone without a report")
  }

  /// Checks that a channel is opened at most once before it ends, and that it ends once.
  private mutating func follow() throws(Violation) {
    for event in events {
      switch event {
      case .opened(let status):
        try require(open.insert(status.id).inserted, "a channel is opened twice")
        requested.remove(status.id)
      case .closed(let id, _, _, _):
        try require(
          open.remove(id) != nil || requested.remove(id) != nil,
          "\(id.rawValue) ends, but it was neither open nor requested")
      case .maySend(let id), .reconfigured(let id, _, _):
        try require(open.contains(id), "an event concerns a channel that is not open")
      case .authorizationAsked(_, let ticket):
        asked.append(ticket)
        try require(
          asked == channels.tickets,
          "\(asked.count) tickets are open, but the channels wait for others")
      case .reconfigurationAnswered, .peerRefused: break
      }
    }
    events = []
  }
}

extension L2CAPTarget {
  package static var seeds: [Seed] { L2CAPSeeds.all }
}
