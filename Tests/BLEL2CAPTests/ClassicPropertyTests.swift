import BLECore
import BLEL2CAP
import Testing

/// Two ends of an ACL-U link that exchange packets.
private struct ClassicPair {
  /// One end: its channels, and its output and input.
  struct End {
    var channels = ClassicChannels()
    var events: [ClassicChannelEvent] = []
    var received: [ChannelID: [[UInt8]]] = [:]
    /// Packets in transit to the other end.
    var line: [[UInt8]] = []

    mutating func flush(at now: Instant, limit: Int) {
      var buffer = OctetBuffer()
      for _ in 0..<limit {
        buffer.removeAll()
        guard channels.writePDU(at: now, into: &buffer, events: &events) else { return }
        line.append(buffer.copy())
      }
    }

    mutating func receive(_ pdu: [UInt8], published: [PublishedClassicChannel], at now: Instant) throws {
      let (header, size) = try BasicHeader.decodePrefix(of: pdu.span)
      let payload = Array(pdu[size...])
      guard header.channel == .classicSignalling else {
        if channels.receiveFrame(header.channel, payload.span, at: now) == .sdu {
          received[header.channel, default: []].append(payload)
        }
        return
      }
      _ = channels.receiveSignalling(
        payload.span, published: published, security: .open, at: now, events: &events)
    }

    mutating func advance(to now: Instant) { channels.advance(to: now, events: &events) }

    mutating func close(_ id: ChannelID, at now: Instant) { channels.close(id, at: now, events: &events) }

    var open: [ClassicChannelStatus] { channels.all.filter(\.isOpen) }
  }

  var ends = [End(), End()]
  var published: [PublishedClassicChannel]
  var now = Instant(nanoseconds: 1)

  /// Passes packets in both directions, in random portions, until none are left; `loses` selects those that are lost.
  mutating func exchange(_ random: inout SplitMix64, loses: (inout SplitMix64) -> Bool = { _ in false }) throws {
    for _ in 0..<100_000 {
      let order = random.chance(oneIn: 2) ? [0, 1] : [1, 0]
      for end in order { ends[end].flush(at: now, limit: random.below(4)) }
      guard ends.contains(where: { !$0.line.isEmpty }) || hasPDU else { return }
      for end in order {
        let portion = random.below(ends[end].line.count + 1)
        for pdu in ends[end].line.prefix(portion) where !loses(&random) {
          try ends[1 - end].receive(pdu, published: published, at: now)
        }
        ends[end].line.removeFirst(portion)
      }
    }
    Issue.record("the ends never fall silent")
  }

  private var hasPDU: Bool {
    mutating get { ends[0].channels.hasPDU || ends[1].channels.hasPDU }
  }

  /// Processes what is due at both ends, until nothing is.
  mutating func settle(_ random: inout SplitMix64, loses: (inout SplitMix64) -> Bool) throws {
    for _ in 0..<1000 {
      try exchange(&random, loses: loses)
      guard let deadline = Instant.earliest(ends[0].channels.nextDeadline, ends[1].channels.nextDeadline) else {
        return
      }
      now = max(now, deadline)
      for end in 0...1 { ends[end].advance(to: now) }
    }
    Issue.record("something is due for ever")
  }
}

@Suite("Channels on BR/EDR at random")
struct ClassicPropertyTests {
  private static func pair(_ random: inout SplitMix64) -> ClassicPair {
    ClassicPair(published: [
      PublishedClassicChannel(psm: .serviceDiscovery, parameters: parameters(&random)),
      PublishedClassicChannel(psm: .rfcomm, parameters: parameters(&random), maximumChannels: 2),
    ])
  }

  private static func parameters(_ random: inout SplitMix64) -> ClassicChannelParameters {
    let lengths = [0, 48, 49, 100, 672, 1000, 65_535]
    return ClassicChannelParameters(mtu: lengths[random.below(lengths.count)], queueLimit: 1 + random.below(3000))
  }

  @Test("Two ends open their channels, agree on MTUs, and carry data both ways", arguments: 0..<60 as Range<UInt64>)
  func open(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var pair = Self.pair(&random)
    for end in 0...1 {
      for _ in 0..<1 + random.below(4) {
        _ = pair.ends[end].channels.open(.serviceDiscovery, parameters: Self.parameters(&random))
      }
    }
    let count = pair.ends[0].channels.all.count + pair.ends[1].channels.all.count
    try pair.exchange(&random)
    #expect(pair.ends[0].open.count == count && pair.ends[1].open.count == count)
    for channel in pair.ends[0].open {
      let other = try #require(pair.ends[1].channels.status(channel.remote))
      #expect(other.remote == channel.id && other.psm == channel.psm && other.isIncoming != channel.isIncoming)
      #expect(other.sendMTU == channel.receiveMTU && other.receiveMTU == channel.sendMTU)
    }
    var sent: [[UInt8]] = []
    let channel = try #require(pair.ends[0].open.first)
    for _ in 0..<20 {
      let sdu = random.octets(random.below(min(channel.sendMTU, 2000) + 1))
      let submission = pair.ends[0].channels.send(sdu.span, on: channel.id)
      if submission == .queued { sent.append(sdu) }
      try pair.exchange(&random)
    }
    #expect(pair.ends[1].received[channel.remote] == sent && !sent.isEmpty)
    for end in 0...1 {
      #expect(pair.ends[end].channels.all.count == count)
      #expect(pair.ends[end].channels.nextDeadlineCopy == nil)
    }
  }

  @Test(
    "Whatever is opened, closed and lost, both ends have the same channels in the end, or none",
    arguments: 0..<60 as Range<UInt64>)
  func chaos(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var pair = Self.pair(&random)
    let losses = seed.isMultiple(of: 2) ? 0 : 20
    let loses = { (random: inout SplitMix64) in losses > 0 && random.chance(oneIn: losses) }
    for _ in 0..<60 {
      let end = random.below(2)
      let ids = pair.ends[end].channels.all.map(\.id)
      switch random.below(6) {
      case 0, 1:
        let psms: [PSM] = [.serviceDiscovery, .rfcomm, .hidControl]
        _ = pair.ends[end].channels.open(psms[random.below(3)], parameters: Self.parameters(&random))
      case 2: if !ids.isEmpty { pair.ends[end].close(ids[random.below(ids.count)], at: pair.now) }
      case 3:
        if !ids.isEmpty {
          let sdu = random.octets(random.below(200))
          _ = pair.ends[end].channels.send(sdu.span, on: ids[random.below(ids.count)])
        }
      case 4: pair.now += .milliseconds(random.below(5000))
      default: try pair.exchange(&random, loses: loses)
      }
      for end in 0...1 { pair.ends[end].advance(to: pair.now) }
    }
    try pair.settle(&random, loses: loses)
    for end in 0...1 {
      #expect(pair.ends[end].open.count == pair.ends[end].channels.all.count)
      checkEvents(pair.ends[end])
    }
    guard losses == 0 else { return }
    #expect(pair.ends[0].open.map(\.id.rawValue).sorted() == pair.ends[1].open.map(\.remote.rawValue).sorted())
  }

  /// Checks that each channel is opened once at most before it ends, and ends once, with the rest still open.
  private func checkEvents(_ end: ClassicPair.End) {
    var open: Set<ChannelID> = []
    var ended: Set<ChannelID> = []
    for event in end.events {
      switch event {
      case .opened(let status): #expect(open.insert(status.id).inserted && !ended.contains(status.id))
      case .closed(let id, _, _, _):
        open.remove(id)
        #expect(ended.insert(id).inserted)
      case .maySend(let id): #expect(open.contains(id))
      case .reconfigured(let status): #expect(open.contains(status.id))
      case .authorizationAsked, .authorizationWithdrawn, .peerRefused, .informed: break
      }
    }
    #expect(open == Set(end.open.map(\.id)))
  }
}

extension ClassicChannels {
  /// `nextDeadline` for expectations, which cannot call mutating accessors.
  fileprivate var nextDeadlineCopy: Instant? {
    var copy = self
    return copy.nextDeadline
  }
}
