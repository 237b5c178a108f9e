import BLECore
import Capture
import Decoding

/// A measurement of how fast captures are read, decoded and filtered. The capture is a btsnoop file in memory: a
/// connection full of notifications, with writes, their responses, events about buffers, and advertising reports.
struct DecodingBench {
  /// The result of a measurement.
  struct Result: Sendable {
    /// How many packets there were.
    var packets: Int
    /// How many packets the filter accepted.
    var accepted: Int
    /// How long it took.
    var duration: Duration

    /// The packets per second.
    var rate: Double { Double(packets) / max(duration / .seconds(1), 1e-9) }
  }

  /// The file.
  private let octets: [UInt8]
  /// How many octets come at a time, as from a disk.
  private static let run = 262_144

  /// Makes a file with about that many packets.
  init(packets: Int) {
    var encoder = CaptureEncoder(.btsnoop)
    var buffer = OctetBuffer(minimumCapacity: packets * 48)
    encoder.begin(into: &buffer)
    for number in 0..<packets {
      _ = encoder.append(Self.record(number), into: &buffer)
    }
    octets = buffer.copy()
  }

  /// Decodes every packet, and filters it if there is a filter.
  func measure(_ filter: PacketFilter? = nil) throws(CaptureFault) -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    var parser = CaptureParser()
    var decoder = PacketDecoder()
    var record = CaptureRecord()
    var result = Result(packets: 0, accepted: 0, duration: .zero)
    for place in stride(from: 0, to: octets.count, by: Self.run) {
      parser.push(octets.span.extracting(place..<min(octets.count, place + Self.run)))
      while try parser.next(into: &record) {
        let summary = decoder.receive(record)
        result.packets += 1
        if filter?.accepts(summary, record, decoder) ?? true { result.accepted += 1 }
      }
    }
    result.duration = clock.now - start
    return result
  }

  /// Decodes every packet and makes the line of text that people see.
  func measureTexts() throws(CaptureFault) -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    var parser = CaptureParser()
    var decoder = PacketDecoder()
    var record = CaptureRecord()
    var result = Result(packets: 0, accepted: 0, duration: .zero)
    for place in stride(from: 0, to: octets.count, by: Self.run) {
      parser.push(octets.span.extracting(place..<min(octets.count, place + Self.run)))
      while try parser.next(into: &record) {
        let summary = decoder.receive(record)
        result.packets += 1
        if !decoder.text(of: summary, in: record).isEmpty { result.accepted += 1 }
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
    var result = Result(packets: 0, accepted: 0, duration: .zero)
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

  /// Returns the packet with that number.
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
