import BLECore
import BLEHCI
import BLEL2CAP

/// L2CAP (Core 5.4 Vol 3 Part A): the channels of one link with a peer that means harm, recombination, and all of it through a
/// host with two links.
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

  /// Packets of any boundary against a recombiner of a small limit: a PDU comes out as long as it says, and no octet twice.
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
      try require(pdu.count >= 4 && pdu.count <= limit, "a PDU of \(pdu.count) octets where \(limit) are allowed")
      try require(pdu.count == 4 + Int(pdu[0]) | Int(pdu[1]) << 8, "a PDU of another length than it says")
      try require(boundary != .whole, "a PDU out of a packet with an unknown boundary")
      taken += pdu.count
      try require(taken <= given, "more octets come out than went in")
    }
  }
}

/// The channels of one link, with the peer's side of every credit.
private struct ChannelBench {
  /// More channel events than this in one step would be more than one for each channel.
  private static let eventLimit = 2 * LinkChannels.maximumChannels + 2

  var channels: LinkChannels
  var now = Instant.zero
  var events: [ChannelEvent] = []
  /// The channels that have been reported open, and not closed.
  var open: Set<ChannelID> = []
  /// The channels that the owner opens, until their end is reported.
  var requested: Set<ChannelID> = []
  /// How many tickets the application has given, and those that it has not answered.
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
    try require(open.isEmpty && requested.isEmpty, "channels whose end is not reported: \(open.union(requested))")
    try require(channels.all.isEmpty && channels.nextDeadline == nil, "something of a lost link is left")
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(14) {
    case 0: try signal(input.run())
    case 1: try receive(ChannelID(rawValue: UInt16(input.octet())), input.run())
    case 2:
      // A packet whose lengths fit, so that its fields are reached sooner.
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
        try require(open.contains(id), "a channel that is not open takes SDUs")
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
      try require(isAwaited, "an answer that nobody has waited for")
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
    if outcome == .malformed { try require(answer.isEmpty, "an answer to what is ignored") }
    guard !answer.isEmpty else { return }
    try require(answer.count >= 4 && answer.count == 4 + Int(answer[2]) | Int(answer[3]) << 8, "an answer that is none")
    try require(answer.count <= SignallingChannel.signallingMTU, "an answer of \(answer.count) octets")
    try require(SignallingCode(rawValue: answer[0]).isResponse, "an answer that is no response")
    try require(answer[1] == frame[1], "an answer to another packet")
    try require(!SignallingCode(rawValue: frame[0]).isResponse, "a response is answered")
  }

  private mutating func receive(_ id: ChannelID, _ payload: [UInt8]) throws(Violation) {
    let before = channels.status(id)
    switch channels.receiveFrame(id, payload.span) {
    case .whole:
      try require(payload.count >= 2, "an SDU without its length")
      try checkSDU(payload.count - 2, before)
    case .assembled(let sdu):
      try checkSDU(sdu.count, before)
      channels.recycle(sdu, on: id)
    case .partial:
      try require(before.map { payload.count <= $0.receiveMPS && $0.receiveCredits > 0 } ?? false, "a frame too many")
    case .discarded, .violation, .unknownChannel: break
    }
  }

  private func checkSDU(_ count: Int, _ before: ChannelStatus?) throws(Violation) {
    guard let before else { throw Violation(description: "an SDU on no channel") }
    try require(count <= before.receiveMTU, "an SDU of \(count) octets where \(before.receiveMTU) are taken")
    try require(before.receiveCredits > 0, "an SDU without a credit")
  }

  // MARK: To the peer

  /// Sends the next frame; false when there is none.
  private mutating func send() throws(Violation) -> Bool {
    let before = channels.all
    let isExpected = channels.hasPDU
    var buffer = OctetBuffer()
    let hasWritten = channels.writePDU(at: now, into: &buffer, events: &events)
    try require(hasWritten == isExpected && buffer.isEmpty != hasWritten, "a frame is announced and not written")
    guard hasWritten else { return false }
    let frame = buffer.copy()
    try require(frame.count > 4 && frame.count == 4 + Int(frame[0]) | Int(frame[1]) << 8, "a frame that is none")
    let channel = ChannelID(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
    guard channel != .signalling else { return true }
    let fitting = before.filter { $0.remote == channel && $0.sendCredits > 0 && frame.count - 4 <= $0.sendMPS }
    try require(!fitting.isEmpty, "a frame of \(frame.count - 4) octets that no channel may send")
    let credits = { (all: [ChannelStatus]) in all.reduce(0) { $0 + ($1.remote == channel ? $1.sendCredits : 0) } }
    let left = channels.all
    if left.contains(where: { $0.remote == channel }) {
      try require(credits(left) == credits(before) - 1, "a frame that takes no credit")
    }
    return true
  }

  // MARK: What holds

  private mutating func check() throws(Violation) {
    try require(events.count <= Self.eventLimit, "\(events.count) events in a step")
    try follow()
    let all = channels.all
    try require(Set(all.map(\.id)).count == all.count, "a CID twice")
    for status in all {
      try require((0x0040...0x007F).contains(status.id.rawValue), "a CID of \(status.id.rawValue)")
      try require((0...65_535).contains(status.sendCredits), "\(status.sendCredits) credits to send")
      try require((0...65_535).contains(status.receiveCredits), "\(status.receiveCredits) credits to receive")
      try require(status.queuedOctets <= 1000 + 65_535 || status.isIncoming, "\(status.queuedOctets) octets wait")
      try require(status.queuedOctets <= 65_536 + 65_535, "\(status.queuedOctets) octets wait")
    }
    let remotes = all.filter(\.isOpen).map(\.remote)
    try require(Set(remotes).count == remotes.count, "the peer's CID twice")
    try require(open.isSubset(of: all.map(\.id)), "an open channel is gone without a word")
  }

  /// A channel is opened at most once before it ends, and ends once.
  private mutating func follow() throws(Violation) {
    for event in events {
      switch event {
      case .opened(let status):
        try require(open.insert(status.id).inserted, "opened twice")
        requested.remove(status.id)
      case .closed(let id, _, _, _):
        try require(open.remove(id) != nil || requested.remove(id) != nil, "\(id.rawValue) ends and was not there")
      case .maySend(let id), .reconfigured(let id, _, _):
        try require(open.contains(id), "something happens to a channel that is not open")
      case .authorizationAsked(_, let ticket):
        asked.append(ticket)
        try require(asked == channels.tickets, "\(asked.count) answers are waited for")
      case .reconfigurationAnswered, .peerRefused: break
      }
    }
    events = []
  }
}

extension L2CAPTarget {
  package static var seeds: [Seed] { L2CAPSeeds.all }
}
