import BLECore
import BLEL2CAP
import Testing

/// Two ends of an ACL-U link with one channel in Enhanced Retransmission Mode, and a line between them that loses frames of the channel.
private struct RetransmissionPair {
  struct End {
    var channels = ClassicChannels()
    var events: [ClassicChannelEvent] = []
    var sent: [[UInt8]] = []
    var received: [[UInt8]] = []
    /// Packets in transit to the other end.
    var line: [[UInt8]] = []
    var id: ChannelID?

    mutating func send(_ sdu: [UInt8]) {
      guard let id else { return }
      let submission = channels.send(sdu.span, on: id)
      if submission == .queued { sent.append(sdu) }
    }

    mutating func advance(to now: Instant) { channels.advance(to: now, events: &events) }

    mutating func signal(_ payload: [UInt8], _ published: PublishedClassicChannel, at now: Instant) {
      _ = channels.receiveSignalling(
        payload.span, published: [published], security: .open, at: now, events: &events)
    }

    /// Writes the next packet on the line, and returns it.
    mutating func flush(at now: Instant) -> [UInt8]? {
      var buffer = OctetBuffer()
      guard channels.writePDU(at: now, into: &buffer, events: &events) else { return nil }
      line.append(buffer.copy())
      return line.last
    }

    var closure: ClassicChannelClosure? {
      events.lazy.compactMap { if case .closed(_, _, let closure, _) = $0 { closure } else { nil } }.first
    }
  }

  var ends = [End(), End()]
  let published: PublishedClassicChannel
  let window: Int
  var now = Instant(nanoseconds: 1)
  /// One of so many frames of the channel is lost; 0: none.
  var loss = 0
  /// The highest number of frames of each end that were unacknowledged.
  var outstanding = [0, 0]
  private var observed = [(next: 0, acknowledged: 0), (next: 0, acknowledged: 0)]

  init(_ random: inout SplitMix64, maximumTransmissions: Int) throws {
    let windows = [1, 2, 5, 32, 63]
    window = windows[random.below(windows.count)]
    let retransmission = RetransmissionParameters(
      window: window, maximumTransmissions: maximumTransmissions, mps: 20 + random.below(200),
      frameCheck: random.chance(oneIn: 2) ? .none : .crc16)
    let parameters = ClassicChannelParameters(
      mtu: 48 + random.below(1000), queueLimit: 5000, mode: .basicOrRetransmission, retransmission: retransmission)
    published = PublishedClassicChannel(psm: .serviceDiscovery, parameters: parameters)
    ends[0].id = ends[0].channels.open(
      .serviceDiscovery,
      parameters: ClassicChannelParameters(
        mtu: 48 + random.below(1000), queueLimit: 5000, mode: .retransmission, retransmission: retransmission))
    try exchange(&random)
    ends[1].id = ends[1].channels.all.first?.id
    for end in 0...1 {
      let status = try #require(ends[end].channels.all.first)
      try #require(status.isOpen && status.mode == .enhancedRetransmission)
    }
  }

  /// Passes packets in both directions, in random portions, until none are left.
  mutating func exchange(_ random: inout SplitMix64) throws {
    for _ in 0..<100_000 {
      for end in random.chance(oneIn: 2) ? [0, 1] : [1, 0] {
        for _ in 0..<random.below(6) {
          guard let pdu = ends[end].flush(at: now) else { break }
          try observe(pdu, of: end)
        }
        let portion = random.below(ends[end].line.count + 1)
        for _ in 0..<portion { try pass(ends[end].line.removeFirst(), from: end, &random) }
      }
      if ends[0].line.isEmpty, ends[1].line.isEmpty, !ends[0].channels.hasPDU, !ends[1].channels.hasPDU { return }
    }
    Issue.record("the ends never fall silent")
  }

  private mutating func pass(_ pdu: [UInt8], from end: Int, _ random: inout SplitMix64) throws {
    let (header, size) = try BasicHeader.decodePrefix(of: pdu.span)
    let payload = Array(pdu[size...])
    guard header.channel != .classicSignalling else {
      return ends[1 - end].signal(payload, published, at: now)
    }
    if loss > 0, random.chance(oneIn: loss) { return }
    observed[1 - end].acknowledged = Int(try Self.control(of: payload).reqSeq)
    if case .assembled(let sdu) = ends[1 - end].channels.receiveFrame(header.channel, payload.span, at: now) {
      ends[1 - end].received.append(sdu)
    }
  }

  private static func control(of payload: [UInt8]) throws -> EnhancedControl {
    try ControlledHead<EnhancedControl>.decodePrefix(of: payload.span).value.control
  }

  /// Counts the frames that an end has sent, and for which it has received no acknowledgement.
  private mutating func observe(_ pdu: [UInt8], of end: Int) throws {
    let (header, size) = try BasicHeader.decodePrefix(of: pdu.span)
    guard header.channel != .classicSignalling else { return }
    let control = try Self.control(of: Array(pdu[size...]))
    guard control.isInformation, Int(control.txSeq) == observed[end].next else { return }
    observed[end].next = (observed[end].next + 1) & 63
    outstanding[end] = max(outstanding[end], (observed[end].next - observed[end].acknowledged) & 63)
  }

  /// Processes what is due at both ends, until nothing is.
  mutating func settle(_ random: inout SplitMix64) throws {
    for _ in 0..<5000 {
      try exchange(&random)
      guard let deadline = Instant.earliest(ends[0].channels.nextDeadline, ends[1].channels.nextDeadline) else {
        return
      }
      now = max(now, deadline)
      for end in 0...1 { ends[end].advance(to: now) }
    }
    Issue.record("something is due for ever")
  }
}

@Suite("Enhanced Retransmission Mode at random")
struct RetransmissionPropertyTests {
  /// Both ends send SDUs while frames are lost.
  private static func talk(_ pair: inout RetransmissionPair, _ random: inout SplitMix64) throws {
    for _ in 0..<30 {
      for end in 0...1 {
        for _ in 0..<random.below(5) {
          let limit = pair.ends[end].channels.all.first?.sendMTU ?? 0
          pair.ends[end].send(random.octets(random.below(limit + 1)))
        }
      }
      try pair.exchange(&random)
      pair.now += .milliseconds(random.below(3000))
      for end in 0...1 { pair.ends[end].advance(to: pair.now) }
    }
    try pair.settle(&random)
  }

  @Test("All SDUs arrive once and in order, whatever is lost", arguments: 0..<36 as Range<UInt64>)
  func lossyLine(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var pair = try RetransmissionPair(&random, maximumTransmissions: 0)
    pair.loss = [0, 3, 4, 5, 10, 30][Int(seed % 6)]
    try Self.talk(&pair, &random)
    for end in 0...1 {
      #expect(pair.ends[end].closure == nil)
      #expect(!pair.ends[end].sent.isEmpty && pair.ends[1 - end].received == pair.ends[end].sent)
      #expect(pair.outstanding[end] <= pair.window)
    }
  }

  @Test(
    "If a frame is lost too often the channel ends, and what has arrived is in order",
    arguments: 0..<20 as Range<UInt64>)
  func limitedTransmissions(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var pair = try RetransmissionPair(&random, maximumTransmissions: 1 + random.below(4))
    pair.loss = 2 + random.below(10)
    try Self.talk(&pair, &random)
    let closures = pair.ends.compactMap(\.closure)
    #expect(closures.isEmpty || closures.contains(.retransmission(.unacknowledged)))
    for end in 0...1 {
      let (sent, received) = (pair.ends[end].sent, pair.ends[1 - end].received)
      #expect(received == Array(sent.prefix(received.count)) && (received.count == sent.count || !closures.isEmpty))
      #expect(pair.ends[end].channels.all.isEmpty == !closures.isEmpty)
    }
  }

  @Test("Whatever frames come, memory is bounded, and the channel is open or ends", arguments: 0..<20 as Range<UInt64>)
  func hostilePeer(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      var peer = try ClassicPeer.retransmitting(RetransmissionParameters(frameCheck: .none)) { _ in }
      for _ in 0..<200 where peer.channels.status(.first) != nil {
        let control = EnhancedControl(rawValue: UInt16(truncatingIfNeeded: random.next()))
        // Numbers near the expected ones reach further.
        let isNear = random.chance(oneIn: 2)
        let frame =
          isNear
          ? (control.rawValue & 0xC0DF | UInt16(random.below(3)) << 8 | UInt16(random.below(2)) << 1).littleEndianOctets
          : random.octets(random.below(4))
        let payload = frame + random.octets(random.below(12))
        let outcome = peer.receive(ClassicPeer.checked(payload), on: .first)
        #expect(outcome != .sdu && outcome != .unknownChannel)
        if random.chance(oneIn: 3) { _ = peer.send(random.octets(random.below(300)), on: .first) }
        while peer.nextPDU() != nil {}
        if random.chance(oneIn: 5) { peer.wait(.milliseconds(random.below(15_000))) }
      }
      let status = peer.channels.status(.first)
      #expect((status?.queuedOctets ?? 0) <= 2300)
    }
  }
}
