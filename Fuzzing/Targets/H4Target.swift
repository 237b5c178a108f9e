import BLECore
import BLEHCI

/// The deframer (Core 5.4 Vol 4 Part A), on both sides, with any octets in any chunks.
package enum H4Target: FuzzTarget {
  package static let name = "h4"
  package static let maximumLength = 4096

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    let mode = input.octet()
    let side: H4Deframer.Side = mode & 1 == 0 ? .host : .controller
    var chunks = SplitMix64(seed: UInt64(input.word()))
    if mode & 2 == 0 {
      try runStream(input.rest(), side, &chunks)
    } else {
      try runPackets(&input, side, &chunks)
    }
  }

  /// A deframer, with an account of where all octets have gone.
  private struct Bench {
    /// The most data of a packet. The deframer holds back at most one packet: a header of 5 octets, and this many.
    static let maximumDataLength = 1024
    var deframer: H4Deframer
    let side: H4Deframer.Side
    var given = 0
    var framed = 0
    var frames: [[UInt8]] = []

    init(_ side: H4Deframer.Side) {
      deframer = H4Deframer(side: side, maximumDataLength: Self.maximumDataLength)
      self.side = side
    }

    mutating func give(_ octets: [UInt8]) throws(Violation) {
      given += octets.count
      var offset = 0
      while let frame = deframer.next(in: octets.span, at: &offset) {
        switch frame.place {
        case .given(let range):
          try require(range.upperBound <= octets.count && range.lowerBound > 0, "a frame outside the octets")
          try keep(frame.type, Array(octets[range]))
        case .collected(let packet): try keep(frame.type, packet)
        }
      }
      try require(offset == octets.count, "\(octets.count - offset) octets were not taken")
      try balance()
    }

    mutating func giveUp() throws(Violation) {
      let before = deframer.pendingOctets
      deframer.giveUpPending()
      try give([])
      try require(deframer.pendingOctets < before || before == 0, "giving up makes no progress")
    }

    private mutating func keep(_ type: H4PacketType, _ packet: [UInt8]) throws(Violation) {
      framed += packet.count + 1
      let isWhole =
        switch type {
        case .event: packet.count >= 2 && packet.count == 2 + Int(packet[1])
        case .command: (try? CommandPacket(packet.span)) != nil
        case .acl: (try? ACLHeader(packet.span)) != nil
        case .sync: packet.count >= 3 && packet.count == 3 + Int(packet[2])
        case .iso: packet.count >= 4 && packet.count == 4 + Int(packet[2]) + Int(packet[3]) << 8
        default: false
        }
      try require(isWhole, "a packet of type \(type.rawValue) that is not valid: \(packet.hexadecimal)")
      try require(type != (side == .host ? .command : .event), "a packet for the other side")
      frames.append([type.rawValue] + packet)
    }

    private func balance() throws(Violation) {
      try require(
        framed + deframer.skippedOctets + deframer.pendingOctets == given,
        "\(given) octets in, \(framed) in packets, \(deframer.skippedOctets) skipped, \(deframer.pendingOctets) held")
      try require(deframer.pendingOctets < Self.maximumDataLength + 5, "\(deframer.pendingOctets) octets held back")
      try require(deframer.losses <= deframer.skippedOctets, "losses are counted, but no octet was skipped")
    }
  }

  private static func chunk(_ octets: [UInt8], _ random: inout SplitMix64) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var rest = octets[...]
    while !rest.isEmpty {
      let longest = random.next() & 1 == 0 ? 3 : 300
      let count = min(rest.count, 1 + Int(random.upTo(UInt64(longest))))
      chunks.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return chunks
  }

  /// Runs with any octets: each octet is in a packet, skipped, or held back.
  private static func runStream(
    _ octets: [UInt8], _ side: H4Deframer.Side, _ random: inout SplitMix64
  ) throws(Violation) {
    var bench = Bench(side)
    for chunk in chunk(octets, &random) {
      try bench.give(chunk)
      if random.upTo(15) == 0 { try bench.giveUp() }
    }
    while bench.deframer.pendingOctets > 0 { try bench.giveUp() }
    var whole = Bench(side)
    try whole.give(octets)
    whole.deframer.reset()
    try require(whole.deframer.pendingOctets == 0, "octets held back after a reset")
  }

  /// Runs with packets that the specification knows: each is found, no matter how the chunks are cut.
  private static func runPackets(
    _ input: inout FuzzInput, _ side: H4Deframer.Side, _ random: inout SplitMix64
  ) throws(Violation) {
    var packets: [[UInt8]] = []
    while !input.isAtEnd {
      let handle = input.word() % 0x0F00
      var payload = input.run()
      switch (input.below(3), side) {
      case (0, .host):
        if payload.isEmpty { payload = [0x01] }
        packets.append([H4PacketType.event.rawValue, EventCode.leMeta.rawValue, UInt8(payload.count)] + payload)
      case (0, .controller):
        let opcode = UInt16(0x2000) | handle
        packets.append(
          [H4PacketType.command.rawValue, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(payload.count)] + payload)
      default:
        let first: PacketBoundary = side == .host ? .firstFromController : .firstFromHost
        let header = ACLHeader(
          connectionHandle: ConnectionHandle(rawValue: handle), boundary: input.flag() ? .continuing : first,
          length: payload.count)
        var buffer = OctetBuffer()
        header.encodeH4(into: &buffer)
        buffer.append(payload)
        packets.append(buffer.copy())
      }
    }
    var bench = Bench(side)
    for chunk in chunk(packets.flatMap { $0 }, &random) { try bench.give(chunk) }
    try require(bench.deframer.skippedOctets == 0, "octets of good packets were skipped")
    try require(bench.frames == packets, "the packets that came out are not those that went in")
  }
}

extension H4Target {
  package static var seeds: [Seed] {
    let events = [
      HCIHardwareError { $0.hardwareCode = 1 }.h4,
      LEEnhancedConnectionComplete { $0.connectionHandle.rawValue = 1 }.h4,
      HCICommandComplete {
        $0.opcode = .reset; $0.returnParameters = [0]
      }.h4,
    ]
    let commands = [HCIReset().h4, LESetAdvertisingEnable { $0.enable = true }.h4]
    let fromController: [UInt8] = [0x02, 0x01, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]
    let fromHost: [UInt8] = [0x02, 0x01, 0x00, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]
    var packets: [UInt8] = []
    for kind in UInt8(0)..<3 { packets += [1, 0, 5, 1, 2, 3, 4, 5, kind, 1] }
    return [
      Seed("events", [0, 1, 0] + events.flatMap { $0 }),
      Seed("events-and-data", [0, 2, 0] + events[1] + fromController + events[0]),
      Seed("noise-before-data", [0, 3, 0, 0xFF, 0x00, 0x04] + fromController + fromController),
      Seed("damaged-length", [0, 4, 0] + [0x04, 0x3E, 200, 2] + fromController + events[2]),
      Seed("iso-and-sync", [0, 5, 0, 0x05, 1, 0, 2, 0, 9, 9, 0x03, 1, 0, 2, 9, 9] + events[0]),
      Seed("commands", [1, 6, 0] + commands.flatMap { $0 } + fromHost),
      Seed("packets-to-host", [2, 7, 0] + packets),
      Seed("packets-to-controller", [3, 8, 0] + packets),
    ]
  }
}
