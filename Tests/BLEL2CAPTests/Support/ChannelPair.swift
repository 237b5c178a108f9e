import BLECore
import BLEL2CAP
import Testing

/// Two ends of a link that exchange packets.
struct ChannelPair {
  /// One end: its channels, and its output and input.
  struct End {
    var channels = LinkChannels()
    var published: [PublishedChannel] = []
    var events: [ChannelEvent] = []
    var received: [ChannelID: [[UInt8]]] = [:]
    /// The data for the other end, by this end's channel.
    var sent: [ChannelID: [[UInt8]]] = [:]
    /// Packets in transit to the other end.
    var line: [[UInt8]] = []

    /// Sends what the specification permits.
    mutating func flush(at now: Instant, limit: Int) {
      var buffer = OctetBuffer()
      for _ in 0..<limit {
        buffer.removeAll()
        guard channels.writePDU(at: now, into: &buffer, events: &events) else { return }
        line.append(buffer.copy())
      }
    }

    /// Receives a packet of the other end.
    mutating func receive(_ pdu: [UInt8], at now: Instant) throws {
      let (header, size) = try BasicHeader.decodePrefix(of: pdu.span)
      #expect(Int(header.length) == pdu.count - size)
      let payload = Array(pdu[size...])
      if header.channel == .signalling {
        var reply = OctetBuffer()
        _ = channels.receiveSignalling(
          payload.span, published: published, security: .open, at: now, reply: &reply, events: &events)
        if !reply.isEmpty {
          var frame = BasicHeader()
          frame.channel = .signalling
          frame.length = UInt16(reply.count)
          line.append(frame.encoded + reply.copy())
        }
        return
      }
      switch channels.receiveFrame(header.channel, payload.span) {
      case .whole: received[header.channel, default: []].append(Array(payload[KFrame.sduLengthOctetCount...]))
      case .assembled(let sdu):
        received[header.channel, default: []].append(sdu)
        channels.recycle(sdu, on: header.channel)
      case .partial, .discarded, .violation, .unknownChannel: break
      }
    }

    /// The channels that were reported open, and their last events.
    var open: [ChannelStatus] { channels.all.filter(\.isOpen) }
  }

  var one = End()
  var two = End()
  var now = Instant(nanoseconds: 1)

  /// Passes packets in both directions until none are left; `loses` selects those that are lost.
  mutating func exchange(limit: Int = 3, loses: () -> Bool = { false }) throws {
    for _ in 0..<100_000 {
      one.flush(at: now, limit: limit)
      two.flush(at: now, limit: limit)
      guard !one.line.isEmpty || !two.line.isEmpty else { return }
      let (there, back) = (one.line, two.line)
      (one.line, two.line) = ([], [])
      for pdu in there where !loses() { try two.receive(pdu, at: now) }
      for pdu in back where !loses() { try one.receive(pdu, at: now) }
    }
    Issue.record("the ends never fall silent")
  }

  /// Processes what is due at both ends, until nothing is.
  mutating func settle(loses: () -> Bool = { false }) throws {
    for _ in 0..<1000 {
      try exchange(loses: loses)
      guard let deadline = Instant.earliest(one.channels.nextDeadline, two.channels.nextDeadline) else { return }
      now = max(now, deadline)
      _ = one.channels.advance(to: now, events: &one.events)
      _ = two.channels.advance(to: now, events: &two.events)
    }
    Issue.record("something is due for ever")
  }
}

extension SplitMix64 {
  mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  mutating func below(_ bound: Int) -> Int { Int(upTo(UInt64(max(bound, 1) - 1))) }

  mutating func chance(oneIn count: Int) -> Bool { below(count) == 0 }
}
