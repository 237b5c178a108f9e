import BLECore
import BLEL2CAP
import Testing

@Suite("Channels at random")
struct ChannelPropertyTests {
  private static let psm = SPSM(rawValue: 0x0080)

  private static func parameters(_ random: inout SplitMix64) -> ChannelParameters {
    let lengths = [23, 64, 65, 100, 247, 1000, 4096, 65_533]
    let credits: CreditPolicy =
      random.chance(oneIn: 2) ? .frames(1 + random.below(20)) : .window(octets: random.below(5000))
    return ChannelParameters(
      mtu: lengths[random.below(lengths.count)], mps: lengths[random.below(lengths.count)], credits: credits,
      queueLimit: 1 + random.below(3000))
  }

  @Test(
    "SDUs of any length arrive unchanged, in order, whatever the limits", arguments: 0..<60 as Range<UInt64>)
  func intact(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var pair = ChannelPair()
    pair.two.published = [PublishedChannel(psm: Self.psm, parameters: Self.parameters(&random))]
    for _ in 0..<3 {
      if random.chance(oneIn: 2) {
        _ = pair.one.channels.open(Self.psm, parameters: Self.parameters(&random))
      } else {
        _ = pair.one.channels.openEnhanced(
          Self.psm, count: 1 + random.below(3), parameters: Self.parameters(&random))
      }
    }
    try pair.exchange()
    #expect(pair.one.open.count >= 3)
    #expect(pair.one.open.map(\.remote) == pair.two.open.map(\.id))
    for _ in 0..<40 {
      for _ in 0..<4 {
        Self.send(&pair.one, &random)
        Self.send(&pair.two, &random)
      }
      if random.chance(oneIn: 3) { Self.holdSome(&pair.one, &random) }
      if random.chance(oneIn: 3) { Self.holdSome(&pair.two, &random) }
      try pair.exchange(limit: 1 + random.below(5))
    }
    for status in pair.one.open {
      pair.one.channels.hold(status.id, false)
      pair.two.channels.hold(status.remote, false)
    }
    try pair.exchange()
    for status in pair.one.open {
      #expect(pair.two.received[status.remote, default: []] == pair.one.sent[status.id, default: []])
      #expect(pair.one.received[status.id, default: []] == pair.two.sent[status.remote, default: []])
      #expect(status.queuedOctets == 0)
      let other = try #require(pair.two.channels.status(status.remote))
      #expect(status.sent == other.received && status.received == other.sent)
      #expect(status.sendCredits == other.receiveCredits && status.receiveCredits == other.sendCredits)
    }
    #expect(pair.one.received.values.contains { !$0.isEmpty })
  }

  private static func send(_ end: inout ChannelPair.End, _ random: inout SplitMix64) {
    let open = end.open
    guard !open.isEmpty else { return }
    let status = open[random.below(open.count)]
    let longest = min(status.sendMTU, 3000)
    let length = [0, 1, longest, random.below(longest + 1)][random.below(4)]
    let sdu = random.octets(length)
    if end.channels.send(sdu.span, on: status.id) == .queued { end.sent[status.id, default: []].append(sdu) }
  }

  private static func holdSome(_ end: inout ChannelPair.End, _ random: inout SplitMix64) {
    for status in end.open { end.channels.hold(status.id, random.chance(oneIn: 3)) }
  }

  @Test("If packets are lost, both sides detect an end, and each channel ends once", arguments: 0..<60 as Range<UInt64>)
  func losses(seed: UInt64) throws {
    var random = SplitMix64(seed: seed, stream: 1)
    var losses = SplitMix64(seed: seed, stream: 2)
    let isLossy = { losses.chance(oneIn: 8) }
    var pair = ChannelPair()
    pair.one.published = [PublishedChannel(psm: Self.psm, parameters: Self.parameters(&random))]
    pair.two.published = pair.one.published
    for _ in 0..<60 {
      Self.request(&pair.one, &random, at: pair.now)
      Self.request(&pair.two, &random, at: pair.now)
      try pair.exchange(limit: 1 + random.below(5), loses: isLossy)
      if random.chance(oneIn: 10) { try pair.settle(loses: isLossy) }
    }
    for status in pair.one.channels.all { pair.one.channels.close(status.id, at: pair.now, events: &pair.one.events) }
    for status in pair.two.channels.all { pair.two.channels.close(status.id, at: pair.now, events: &pair.two.events) }
    try pair.settle()
    #expect(pair.one.channels.all.isEmpty && pair.two.channels.all.isEmpty)
    Self.checkLives(pair.one.events)
    Self.checkLives(pair.two.events)
  }

  /// Performs a random action of an owner.
  private static func request(_ end: inout ChannelPair.End, _ random: inout SplitMix64, at now: Instant) {
    let ids = end.channels.all.map(\.id)
    let some = ids.isEmpty ? ChannelID(rawValue: 0x0040) : ids[random.below(ids.count)]
    switch random.below(12) {
    case 0: _ = end.channels.open(psm, parameters: parameters(&random))
    case 1: _ = end.channels.openEnhanced(psm, count: random.below(7), parameters: parameters(&random))
    case 2: end.channels.close(some, at: now, events: &end.events)
    case 3: end.channels.abort(some, at: now, events: &end.events)
    case 4: _ = end.channels.reconfigure([some], mtu: random.below(70_000), mps: random.below(70_000))
    case 5: end.channels.giveCredits(random.below(70_000), on: some)
    case 6: end.channels.hold(some, random.chance(oneIn: 2))
    case 7: end.channels.closeIncoming(psm, at: now, events: &end.events)
    default: send(&end, &random)
    }
  }

  /// Checks that a channel is opened at most once before it ends, and everything else is in between.
  private static func checkLives(_ events: [ChannelEvent]) {
    var open: Set<ChannelID> = []
    for event in events {
      switch event {
      case .opened(let status): #expect(open.insert(status.id).inserted)
      case .closed(let id, _, _, _): open.remove(id)
      case .maySend(let id), .reconfigured(let id, _, _): #expect(open.contains(id))
      case .reconfigurationAnswered, .authorizationAsked, .peerRefused: break
      }
    }
    #expect(open.isEmpty)
  }

  @Test("Random frames are survived, and answered at most once", arguments: 0..<60 as Range<UInt64>)
  func hostile(seed: UInt64) throws {
    var random = SplitMix64(seed: seed, stream: 3)
    var peer = ChannelPeer([
      .test(), .test(psm: 0x0081, requirement: .init(needsAuthorization: true), authorization: .asked),
      .test(psm: 0x0082, mtu: 65_535, mps: 65_533, maximum: 3),
    ])
    for _ in 0..<500 {
      switch random.below(8) {
      case 0: peer.frame(ChannelID(rawValue: 0x0040 + UInt16(random.below(8))), random.octets(random.below(60)))
      case 1: _ = peer.channels.open(Self.psm, parameters: Self.parameters(&random))
      case 2: _ = peer.channels.openEnhanced(Self.psm, count: 2, parameters: Self.parameters(&random))
      case 3: peer.wait(.seconds(random.below(20)))
      case 4: peer.close(ChannelID(rawValue: 0x0040 + UInt16(random.below(8))))
      default:
        let frame = Self.frame(&random)
        let reply = [UInt8](hexadecimal: peer.signal(frame.hexadecimal)) ?? []
        #expect(reply.isEmpty || reply[1] == frame[1])
        #expect(reply.isEmpty || reply.count == Int(reply[2]) + SignallingHeader.octetCount)
        #expect(reply.count <= SignallingChannel.signallingMTU)
      }
      for case .authorizationAsked(_, let ticket) in peer.takeEvents() where random.chance(oneIn: 2) {
        let isAwaited = peer.answer(ticket, isAuthorized: random.chance(oneIn: 2))
        #expect(isAwaited)
      }
      for pdu in peer.allPDUs(limit: 1 + random.below(4)) { #expect(pdu.count == Int(pdu[0]) | Int(pdu[1]) << 8 + 4) }
      #expect(peer.channels.all.count <= LinkChannels.maximumChannels)
      #expect(Set(peer.channels.all.map(\.id)).count == peer.channels.all.count)
    }
  }

  /// Returns a C-frame that is often almost valid.
  private static func frame(_ random: inout SplitMix64) -> [UInt8] {
    let codes: [UInt8] = [0x01, 0x06, 0x07, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A]
    let code = random.chance(oneIn: 10) ? UInt8(truncatingIfNeeded: random.next()) : codes[random.below(codes.count)]
    let lengths = [
      0x06: 4, 0x07: 4, 0x12: 8, 0x13: 2, 0x14: 10, 0x15: 10, 0x16: 4, 0x17: 12, 0x18: 12, 0x19: 6, 0x1A: 2,
    ]
    let length = random.chance(oneIn: 10) ? random.below(20) : lengths[Int(code)] ?? 2
    // Words that have a meaning somewhere: PSMs, CIDs, lengths, results.
    let words: [UInt16] = [
      0, 1, 2, 0x0F, 0x40, 0x41, 0x42, 0x43, 0x50, 0x51, 0x7F, 0x80, 0x81, 0x82, 64, 100, 200, 1000, 0xFFFD, 0xFFFF,
    ]
    var data: [UInt8] = []
    while data.count < length {
      let word = words[random.below(words.count)]
      data += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
    }
    data.removeLast(data.count - length)
    let said = random.chance(oneIn: 20) ? random.below(30) : length
    return [code, UInt8(1 + random.below(12)), UInt8(said), 0] + data
  }
}
