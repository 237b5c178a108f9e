import BLECore
import BLEHCI
import Capture
import Testing

@Suite struct BTSnoopFormatTests {
  /// The header of every file: magic, version 1, data link 1002.
  static let header: [UInt8] = [
    0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x03, 0xEA,
  ]

  /// HCI Reset and its Command Complete.
  static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  static let resetComplete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

  static let samples: [CapturedPacket] = [
    CapturedPacket(.hostToController, microseconds: 1_700_000_000_000_000, octets: reset),
    CapturedPacket(.controllerToHost, microseconds: 1_700_000_000_000_001, octets: resetComplete),
    CapturedPacket(.controllerToHost, microseconds: 0, octets: [0x02, 0x40, 0x20, 0x05, 0x00, 1, 0, 4, 0, 0x1E]),
    CapturedPacket(.hostToController, microseconds: -1, octets: [0x02, 0x40, 0x00, 0x00, 0x00]),
    CapturedPacket(.hostToController, microseconds: 5, octets: [0x05, 0x40, 0x00, 0x00, 0x00]),
  ]

  static func file(_ packets: [CapturedPacket], dropped: UInt32 = 0) -> [UInt8] {
    var encoder = BTSnoopEncoder()
    encoder.droppedPackets = dropped
    var buffer = OctetBuffer()
    encoder.beginFile(into: &buffer)
    for packet in packets {
      encoder.record(
        packet.direction, H4PacketType(rawValue: packet.octets[0]), packet.octets.span.extracting(1...),
        microseconds: packet.microseconds, into: &buffer)
    }
    return buffer.copy()
  }

  /// Returns everything that can be read, and the reason for the end.
  static func read(_ octets: [UInt8]) throws -> ([BTSnoopReader.Record], BTSnoopReader.Fault?) {
    var reader = try BTSnoopReader(octets)
    var records: [BTSnoopReader.Record] = []
    while let record = reader.next() { records.append(record) }
    return (records, reader.fault)
  }

  @Test("A record has the octets worked out by hand")
  func golden() {
    // 2000-01-01 00:00 UTC is 946,684,800 s after 1970; the format's description gives its value in the file as
    // 0x00E03AB44A676000.
    let packet = CapturedPacket(
      .controllerToHost, microseconds: 946_684_800_000_000, octets: Self.resetComplete)
    let record: [UInt8] = [
      0x00, 0x00, 0x00, 0x07,  // original length
      0x00, 0x00, 0x00, 0x07,  // included length
      0x00, 0x00, 0x00, 0x03,  // received, event
      0x00, 0x00, 0x00, 0x02,  // dropped so far
      0x00, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0x00,  // microseconds since 0 AD
      0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00,
    ]
    #expect(Self.file([packet], dropped: 2) == Self.header + record)
  }

  @Test(
    "Flags show the direction, and whether it is a command or an event",
    arguments: [
      (CapturedPacket.Direction.hostToController, H4PacketType.command, UInt8(2)),
      (.controllerToHost, .event, 3),
      (.hostToController, .acl, 0),
      (.controllerToHost, .acl, 1),
      (.hostToController, .iso, 0),
      (.controllerToHost, .iso, 1),
    ])
  func flags(direction: CapturedPacket.Direction, type: H4PacketType, expected: UInt8) {
    let packet = CapturedPacket(direction, microseconds: 0, octets: [type.rawValue, 0, 0, 0, 0])
    let octets = Self.file([packet])
    #expect(Array(octets[24..<28]) == [0, 0, 0, expected])
  }

  @Test("Packets round trip")
  func roundTrip() throws {
    let (records, fault) = try Self.read(Self.file(Self.samples, dropped: 7))
    #expect(records.map(\.packet) == Self.samples)
    #expect(records.allSatisfy { $0.droppedPackets == 7 })
    #expect(records.map(\.originalLength) == Self.samples.map(\.octets.count))
    #expect(fault == nil)
  }

  @Test("A file without packets is valid")
  func empty() throws {
    let (records, fault) = try Self.read(Self.header)
    #expect(records.isEmpty)
    #expect(fault == nil)
  }

  @Test("A truncated packet has its original length")
  func cutPacket() throws {
    var octets = Self.file([Self.samples[0]])
    octets[19] = 200
    let (records, fault) = try Self.read(octets)
    #expect(records.map(\.originalLength) == [200])
    #expect(records.map(\.packet.octets) == [Self.reset])
    #expect(fault == nil)
  }

  @Test("A file that is truncated anywhere gives the packets before that position")
  func truncated() throws {
    let whole = Self.file(Self.samples)
    var ends = [Self.header.count]
    for packet in Self.samples { ends.append(ends[ends.count - 1] + 24 + packet.octets.count) }
    for length in 0..<whole.count {
      let octets = Array(whole[..<length])
      guard length >= Self.header.count else {
        #expect(throws: BTSnoopReader.Fault.notBTSnoop) { try BTSnoopReader(octets) }
        continue
      }
      let (records, fault) = try Self.read(octets)
      let before = ends.filter { $0 <= length }
      #expect(records.count == before.count - 1)
      let expected = before.last == length ? nil : before.last.map { BTSnoopReader.Fault.truncated(offset: $0) }
      #expect(fault == expected)
    }
  }

  @Test(
    "Other files are refused",
    arguments: [
      (0, UInt8(0x42), BTSnoopReader.Fault.notBTSnoop),
      (7, 0x01, .notBTSnoop),
      (11, 0x02, .version(2)),
      (8, 0xFF, .version(0xFF00_0001)),
      (15, 0xE9, .dataLink(1001)),
    ])
  func otherFiles(offset: Int, octet: UInt8, fault: BTSnoopReader.Fault) {
    var octets = Self.file(Self.samples)
    octets[offset] = octet
    #expect(throws: fault) { try BTSnoopReader(octets) }
  }

  @Test(
    "An invalid record ends the reading there",
    arguments: [
      (20, [UInt8](repeating: 0xFF, count: 4), BTSnoopReader.Fault.corrupt(offset: 16)),
      (20, [0, 0, 0, 0], .corrupt(offset: 16)),
      (20, [0, 0, 0, 5], .corrupt(offset: 16)),
      (16, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .corrupt(offset: 16)),
      (16, [0, 1, 0, 4, 0, 1, 0, 4], .truncated(offset: 16)),
      (16, [0, 1, 0, 5, 0, 1, 0, 5], .corrupt(offset: 16)),
    ])
  func corruptLengths(offset: Int, patch: [UInt8], expected: BTSnoopReader.Fault) throws {
    var octets = Self.file(Self.samples)
    octets.replaceSubrange(offset..<offset + patch.count, with: patch)
    let (records, fault) = try Self.read(octets)
    #expect(records.isEmpty)
    #expect(fault == expected)
  }

  @Test("Times at the ends of the range neither trap nor change", arguments: [Int64.min, .max])
  func extremeTimes(microseconds: Int64) throws {
    let packet = CapturedPacket(.hostToController, microseconds: microseconds, octets: Self.reset)
    #expect(try Self.read(Self.file([packet])).0.map(\.packet) == [packet])
  }

  @Test("Random octets after a header, and random changes to a file, are read without a trap", arguments: 1...20)
  func random(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for _ in 0..<200 {
      let noise = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
      let (records, _) = try Self.read(Self.header + noise)
      #expect(records.count <= noise.count / 25)
      var changed = Self.file(Self.samples)
      changed[Int.random(in: 16..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
      #expect(try Self.read(changed).0.count <= Self.samples.count)
    }
  }
}

/// SplitMix64, so that a failing seed fails again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
