import BLECore
import BLEHCI
import Testing

@Suite struct H4DeframerTests {
  struct Packet: Equatable, CustomStringConvertible {
    var type: H4PacketType
    var octets: [UInt8]
    var h4: [UInt8] { [type.rawValue] + octets }
    var description: String { h4.hexadecimal }
  }

  private static func packet(_ h4: [UInt8]) -> Packet {
    Packet(type: H4PacketType(rawValue: h4[0]), octets: Array(h4.dropFirst()))
  }

  /// Returns an ACL packet with an L2CAP frame of `length` octets of payload.
  static func acl(_ length: Int, _ boundary: PacketBoundary = .firstFromController) -> [UInt8] {
    var buffer = OctetBuffer()
    let header = ACLHeader(connectionHandle: ConnectionHandle(rawValue: 0x40), boundary: boundary, length: length + 4)
    header.encodeH4(into: &buffer)
    buffer.append(littleEndian: UInt16(length))
    buffer.append(littleEndian: UInt16(4))
    for index in 0..<length { buffer.append(UInt8(truncatingIfNeeded: index)) }
    return buffer.copy()
  }

  static let mixed: [Packet] = [
    HCICommandComplete(HCIReset.self, StatusReturn()).h4,
    acl(0),
    LEConnectionComplete().h4,
    acl(23),
    [0x03, 0x40, 0x00, 0x02, 0xAA, 0xBB],
    HCINumberOfCompletedPackets { $0.completed = [CompletedPackets(.zero, count: 1)] }.h4,
    [0x05, 0x40, 0x20, 0x03, 0x00, 1, 2, 3],
    acl(247),
    LEScanTimeout().h4,
    [0x04, 0x6E, 0x00],
    [0x02, 0x40, 0x10, 0x00, 0x00],
    HCIDisconnectionComplete().h4,
  ].map(packet)

  private static func feed(_ deframer: inout H4Deframer, _ octets: [UInt8], into packets: inout [Packet]) {
    deframer.push(octets.span) { type, packet in
      packets.append(Packet(type: type, octets: packet.indices.map { packet[$0] }))
    }
  }

  private static func deframe(
    _ stream: [UInt8], side: H4Deframer.Side = .host, limit: Int = 4096, chunks: [Int]
  ) -> (packets: [Packet], deframer: H4Deframer) {
    var deframer = H4Deframer(side: side, maximumDataLength: limit)
    var packets: [Packet] = []
    var start = 0
    for chunk in chunks where start < stream.count {
      let end = min(stream.count, start + chunk)
      feed(&deframer, Array(stream[start..<end]), into: &packets)
      start = end
    }
    feed(&deframer, Array(stream[start...]), into: &packets)
    return (packets, deframer)
  }

  @Test("A stream split anywhere in two gives the same packets")
  func everySplit() {
    let stream = Self.mixed.flatMap(\.h4)
    for split in 0...stream.count {
      let (packets, deframer) = Self.deframe(stream, chunks: [split])
      #expect(packets == Self.mixed, "split at \(split)")
      #expect(deframer.skippedOctets == 0)
      #expect(deframer.pendingOctets == 0)
    }
  }

  @Test("A stream in pieces of one size gives the same packets")
  func everyChunkSize() {
    let stream = Self.mixed.flatMap(\.h4)
    for size in 1...stream.count {
      let (packets, deframer) = Self.deframe(stream, chunks: Array(repeating: size, count: stream.count / size))
      #expect(packets == Self.mixed, "pieces of \(size)")
      #expect(deframer.isSynchronized)
    }
  }

  @Test("A stream in random pieces gives the same packets", arguments: 0..<50)
  func randomChunks(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let packets = (0..<40).compactMap { _ in Self.mixed.randomElement(using: &random) }
    let stream = packets.flatMap(\.h4)
    let chunks = (0..<stream.count).map { _ in Int.random(in: 0...40, using: &random) }
    #expect(Self.deframe(stream, chunks: chunks).packets == packets)
  }

  @Test("Whole packets are passed on in place")
  func inPlace() {
    let stream = Self.mixed[0].h4 + Self.mixed[1].h4
    var deframer = H4Deframer(side: .host)
    var offset = 0
    #expect(deframer.next(in: stream.span, at: &offset)?.place == .given(1..<7))
    #expect(deframer.next(in: stream.span, at: &offset)?.place == .given(8..<stream.count))
    #expect(deframer.next(in: stream.span, at: &offset) == nil)
    #expect(offset == stream.count)
  }

  @Test("A controller accepts commands and data, and no events")
  func controllerSide() {
    let packets = [
      HCIReset().h4, Self.acl(5, .firstFromHost), LESetAdvertisingEnable { $0.enable = true }.h4,
      [0x01, 0x01, 0xFC, 0x00],
    ].map(Self.packet)
    let stream = packets.flatMap(\.h4)
    #expect(Self.deframe(stream, side: .controller, chunks: []).packets == packets)
    let event = LEScanTimeout().h4
    let (seen, deframer) = Self.deframe(event + stream, side: .controller, chunks: [])
    #expect(seen == packets)
    #expect(deframer.skippedOctets == event.count)
    #expect(Self.deframe(HCIReset().h4 + LEScanTimeout().h4, chunks: []).packets == [Self.packet(LEScanTimeout().h4)])
  }

  static let garbage: [String] = [
    "00", "FF FF FF", "A5 5A 00 77", "01 03 0C 00", "04 00 00", "04 0F 09 00", "04 13 03 00", "02 40 20 FF FF",
    "02 02 02 02", "04 04 04 04 04", "05 05 05", "06 07 08 09 0A 0B", "04 6E 05", "03 01 00 00",
  ]

  @Test("Garbage before and between packets is skipped and counted", arguments: garbage)
  func skipsGarbage(_ text: String) throws {
    let garbage = try #require([UInt8](hexadecimal: text))
    // Packets that their contents confirm are found even with garbage directly after them.
    let packets = [
      HCICommandComplete(HCIReset.self, StatusReturn()).h4, Self.acl(23), HCIDisconnectionComplete().h4,
      HCICommandStatus(.disconnect, .success).h4,
      HCINumberOfCompletedPackets { $0.completed = [CompletedPackets(.zero, count: 1)] }.h4,
    ].map(Self.packet)
    // The first octet cannot begin a packet, so that the following ones are not accepted as rare but permitted.
    let stream: [UInt8] = packets.reduce(into: []) { $0 += [0xFF] + garbage + $1.h4 }
    for chunk in 1...stream.count {
      let (seen, deframer) = Self.deframe(stream, chunks: Array(repeating: chunk, count: stream.count / chunk))
      #expect(seen == packets, "pieces of \(chunk)")
      #expect(deframer.skippedOctets == packets.count * (garbage.count + 1))
      #expect(deframer.losses == packets.count)
    }
  }

  @Test("Lost octets cost at most the packets that they affect", arguments: 0..<40)
  func lostOctets(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let before = (0..<10).map { _ in Self.packet(Self.acl(Int.random(in: 0...60, using: &random))) }
    let after = (0..<40).map { index in
      index % 2 == 0
        ? Self.packet(HCINumberOfCompletedPackets { $0.completed = [CompletedPackets(.zero, count: 1)] }.h4)
        : Self.packet(Self.acl(Int.random(in: 0...60, using: &random)))
    }
    var stream = before.flatMap(\.h4)
    stream.remove(at: Int.random(in: 0..<stream.count, using: &random))
    stream += after.flatMap(\.h4)
    let chunks = (0..<stream.count).map { _ in Int.random(in: 1...100, using: &random) }
    // The limit is the amount that a wrong length can consume.
    let (seen, deframer) = Self.deframe(stream, limit: 251, chunks: chunks)
    #expect(deframer.isSynchronized)
    #expect(seen.suffix(20).map(\.h4) == after.suffix(20).map(\.h4))
  }

  @Test("Any octets are accepted and fully counted", arguments: 0..<60)
  func randomStream(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let side: H4Deframer.Side = seed % 2 == 0 ? .host : .controller
    // Small octets make many headers look valid.
    let stream = random.octets(4000).map { seed % 3 == 0 ? $0 : $0 & 0x1F }
    let chunks = (0..<400).map { _ in Int.random(in: 0...64, using: &random) }
    let (seen, deframer) = Self.deframe(stream, side: side, chunks: chunks)
    let taken = seen.reduce(0) { $0 + $1.h4.count }
    #expect(taken + deframer.skippedOctets + deframer.pendingOctets == stream.count)
    for packet in seen { #expect(packet.octets.count <= 4096 + 4) }
  }

  @Test("A header with more data than the limit is garbage")
  func hugeLengths() {
    let event = Self.packet(HCIDisconnectionComplete().h4)
    let heads: [[UInt8]] = [
      [0x02, 0x40, 0x20, 0x01, 0x10], [0x02, 0x40, 0x20, 0xFF, 0xFF], [0x05, 0x40, 0x20, 0xFF, 0x3F],
    ]
    for head in heads {
      let (seen, deframer) = Self.deframe(head + event.h4, chunks: [1, 1, 1])
      #expect(seen == [event])
      #expect(deframer.skippedOctets == head.count)
    }
    var small = H4Deframer(side: .host, maximumDataLength: 27)
    var seen: [Packet] = []
    Self.feed(&small, Self.acl(23) + Self.acl(24) + event.h4, into: &seen)
    #expect(seen.first == Self.packet(Self.acl(23)))
    #expect(seen.last == event)
    #expect(small.losses == 1)
  }

  @Test(
    "A packet with flags that LE does not have is kept if another follows, and is garbage otherwise",
    arguments: [0x00, 0x30, 0x60, 0xA0] as [UInt8])
  func oddFlags(_ flags: UInt8) {
    var odd = Self.acl(3)
    odd[2] = flags
    #expect(Self.deframe(odd + Self.acl(3), chunks: []).packets == [odd, Self.acl(3)].map(Self.packet))
    // Neither its L2CAP length nor a following packet confirms it.
    odd[5] = 9
    #expect(Self.deframe(odd + [0x77] + Self.acl(3), chunks: []).packets == [Self.packet(Self.acl(3))])
  }

  @Test("A packet whose rest never arrives is dropped, and packets in its length are found")
  func givenUp() {
    let event = Self.packet(HCIDisconnectionComplete().h4)
    var deframer = H4Deframer(side: .host)
    var seen: [Packet] = []
    Self.feed(&deframer, [0x02, 0x40, 0x20, 0xF0, 0x00] + event.h4 + event.h4, into: &seen)
    #expect(seen.isEmpty)
    deframer.giveUpPending()
    Self.feed(&deframer, [], into: &seen)
    #expect(seen == [event, event])
    #expect(deframer.isSynchronized)
    #expect(deframer.skippedOctets == 5)
  }

  @Test("The rest of a packet is awaited for half a second from its last octets")
  func patience() {
    let event = Self.packet(HCIDisconnectionComplete().h4)
    var deframer = H4Deframer(side: .host)
    var seen: [Packet] = []
    var now = Instant.zero
    for octets in [[0x02, 0x40, 0x20, 0xF0, 0x00], event.h4] {
      now = now + .milliseconds(400)
      let isOver = deframer.advance(to: now)
      #expect(!isOver)
      Self.feed(&deframer, octets, into: &seen)
      deframer.startTimer(at: now)
      #expect(deframer.nextDeadline == now + .milliseconds(500))
    }
    #expect(!deframer.hasSkipped && seen.isEmpty)
    let isOver = deframer.advance(to: now + .milliseconds(500))
    #expect(isOver)
    Self.feed(&deframer, [], into: &seen)
    deframer.startTimer(at: now + .milliseconds(500))
    #expect(seen == [event] && deframer.nextDeadline == nil)
    // It is reported once, while the sum stays the same.
    #expect(deframer.hasSkipped)
    let skipped = [deframer.takeSkipped(), deframer.takeSkipped()]
    #expect(skipped == [5, 0])
    #expect(!deframer.hasSkipped && deframer.skippedOctets == 5)
  }

  @Test("Noise with many starts of packets costs half a second once, and not for each start")
  func manyStarts() {
    let event = Self.packet(HCIDisconnectionComplete().h4)
    var deframer = H4Deframer(side: .host)
    var seen: [Packet] = []
    let start: [UInt8] = [0x02, 0x40, 0x20, 0xF0, 0x00, 0xEC, 0x00, 0x04, 0x00]
    Self.feed(&deframer, Array(repeatElement(start, count: 12).joined()), into: &seen)
    deframer.startTimer(at: .zero)
    let isOver = deframer.advance(to: .zero + .milliseconds(500))
    #expect(isOver)
    Self.feed(&deframer, [], into: &seen)
    deframer.startTimer(at: .zero + .milliseconds(500))
    #expect(deframer.pendingOctets == 0 && deframer.nextDeadline == nil)
    Self.feed(&deframer, event.h4, into: &seen)
    #expect(seen == [event])
  }

  @Test("Data from a peer on the air never costs the deframer its synchronization")
  func hostileContent() {
    // An L2CAP length that contradicts the packet, and an event in the payload.
    var hostile = Self.acl(30)
    hostile[5] = 1
    hostile.replaceSubrange(12..<19, with: HCIDisconnectionComplete().h4)
    let packets = [hostile, Self.acl(1)].map(Self.packet)
    for chunk in 1...hostile.count {
      let (seen, deframer) = Self.deframe(packets.flatMap(\.h4), chunks: Array(repeating: chunk, count: 40))
      #expect(seen == packets)
      #expect(deframer.losses == 0)
    }
  }

  @Test("The largest permitted packet is accepted in pieces")
  func largest() {
    let packet = Self.packet(Self.acl(4092))
    #expect(Self.deframe(packet.h4, chunks: Array(repeating: 100, count: 100)).packets == [packet])
  }

  @Test("A new stream starts without the beginning of an old packet")
  func reset() {
    var deframer = H4Deframer(side: .host)
    var seen: [Packet] = []
    Self.feed(&deframer, [0x02, 0x40, 0x20, 0x20], into: &seen)
    #expect(deframer.pendingOctets == 4)
    deframer.reset()
    #expect(deframer.pendingOctets == 0)
    Self.feed(&deframer, LEScanTimeout().h4, into: &seen)
    #expect(seen == [Self.packet(LEScanTimeout().h4)])
    #expect(deframer.skippedOctets == 0)
  }
}
