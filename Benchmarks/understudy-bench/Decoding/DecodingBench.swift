import BLECore
import Capture
import Decoding
import Viewing

/// A measurement of how fast captures are read, decoded, filtered and shown. The capture is a btsnoop file in memory.
struct DecodingBench {
  /// What the packets of a capture are.
  enum Traffic: String, CaseIterable {
    /// A connection full of notifications, with writes, their responses, events about buffers, and advertising reports.
    case notifications
    /// Commands and events: a controller is brought up, and has a connection, again and again.
    case bringUp = "bring-up"

    /// Returns the packet with that number.
    func record(_ number: Int) -> CaptureRecord {
      switch self {
      case .notifications: DecodingBench.record(number)
      case .bringUp: BringUpTraffic.record(number)
      }
    }
  }

  /// What is made of each packet.
  enum Output: String, CaseIterable {
    /// Counters, as for `--stats`.
    case statistics
    /// A line, as for `understudy capture FILE`.
    case text
    /// A line of JSON.
    case json = "JSON"
    /// A line of JSON with all fields.
    case tree = "JSON with fields"
  }

  /// The result of a measurement.
  struct Result: Sendable {
    /// How many packets there were.
    var packets = 0
    /// How many packets the filter accepted.
    var accepted = 0
    /// How long it took.
    var duration = Duration.zero

    /// The packets per second.
    var rate: Double { Double(packets) / max(duration / .seconds(1), 1e-9) }
  }

  /// The file.
  let octets: [UInt8]
  /// How many octets come at a time, as from a disk, and are written at a time.
  private static let (run, block) = (262_144, 65_536)

  /// Makes a file with that many packets.
  init(_ traffic: Traffic, packets: Int) {
    var encoder = CaptureEncoder(.btsnoop)
    var buffer = OctetBuffer(minimumCapacity: packets * 48)
    encoder.begin(into: &buffer)
    for number in 0..<packets {
      _ = encoder.append(traffic.record(number), into: &buffer)
    }
    octets = buffer.copy()
  }

  /// Decodes every packet, and filters it if there is a filter.
  func measure(_ filter: PacketFilter? = nil) throws(CaptureFault) -> Result {
    try measure { summary, record, decoder in filter?.accepts(summary, record, decoder) ?? true }
  }

  /// Decodes every packet and makes this of it.
  func measure(_ output: Output) throws(CaptureFault) -> Result {
    var statistics = CaptureStatistics()
    var block = OctetBuffer(minimumCapacity: Self.block * 2)
    return try measure { summary, record, decoder in
      switch output {
      case .statistics: statistics.count(summary, record)
      case .text:
        PacketWords.writeColumns(of: summary, to: &block)
        decoder.write(summary, in: record, to: &block)
        PacketWords.writeRemarks(on: record, to: &block)
      case .json, .tree: decoder.writeJSON(of: summary, in: record, withTree: output == .tree, to: &block)
      }
      if block.count >= Self.block { block.removeAll() }
      return true
    }
  }

  /// Decodes every packet, and counts those for which `body` returns true.
  private func measure(
    _ body: (PacketSummary, CaptureRecord, borrowing PacketDecoder) -> Bool
  ) throws(CaptureFault) -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    var parser = CaptureParser()
    var decoder = PacketDecoder()
    var record = CaptureRecord()
    var result = Result()
    for place in stride(from: 0, to: octets.count, by: Self.run) {
      parser.push(octets.span.extracting(place..<min(octets.count, place + Self.run)))
      while try parser.next(into: &record) {
        let summary = decoder.receive(record)
        result.packets += 1
        if body(summary, record, decoder) { result.accepted += 1 }
      }
    }
    result.duration = clock.now - start
    return result
  }

  /// Keeps every packet in a ring of that many octets, as a running accessory does.
  func measureRing(limit: Int) throws(CaptureFault) -> Result {
    var parser = CaptureParser()
    var record = CaptureRecord()
    var records: [CaptureRecord] = []
    parser.push(octets.span.extracting(..<min(octets.count, Self.run)))
    while try parser.next(into: &record) { records.append(record) }
    let clock = ContinuousClock()
    let start = clock.now
    var ring = PacketRing(limit: limit)
    var result = Result()
    let wanted = octets.count / 32
    while result.packets < wanted {
      for record in records {
        ring.record(.controllerToHost, record.octets.span, nanoseconds: record.nanoseconds)
      }
      result.packets += records.count
    }
    result.duration = clock.now - start
    result.accepted = result.packets
    return result
  }

  /// Returns the packet with that number of a connection full of notifications.
  static func record(_ number: Int) -> CaptureRecord {
    let octet = UInt8(truncatingIfNeeded: number)
    let time = Int64(number) * 100_000
    func att(_ direction: CapturedPacket.Direction, _ pdu: [UInt8]) -> CaptureRecord {
      let count = UInt8(pdu.count)
      let head: [UInt8] = [2, 0x40, direction == .hostToController ? 0 : 0x20, count + 4, 0, count, 0, 4, 0]
      return CaptureRecord(.hci(direction), nanoseconds: time, octets: head + pdu)
    }
    switch number % 12 {
    case 3, 7: return CaptureRecord(.hci(.controllerToHost), nanoseconds: time, octets: [4, 0x13, 5, 1, 0x40, 0, 2, 0])
    case 9: return att(.controllerToHost, [0x12, 5, 0, octet])
    case 10: return att(.hostToController, [0x13])
    case 11:
      let report: [UInt8] = [2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, 9, 2, 1, 6, 5, 9, 66, 69, 76, 84, 0xC0]
      return CaptureRecord(.hci(.controllerToHost), nanoseconds: time, octets: [4, 0x3E, UInt8(report.count)] + report)
    default: return att(.hostToController, [0x1B, 3, 0] + [UInt8](repeating: octet, count: 20))
    }
  }
}
