/// Parses pcap files: a header of 24 octets in the byte order of the writer, and records with a header of 16 octets.
struct PcapParser: RecordParsing {
  static let headerLength = 24

  private let isBigEndian: Bool
  private let countsNanoseconds: Bool
  private let link: LinkType

  private static let microseconds: UInt32 = 0xA1B2_C3D4
  private static let nanoseconds: UInt32 = 0xA1B2_3C4D

  /// Returns the byte order of a file that starts with these octets; nil if it is not a pcap file.
  static func byteOrder(_ octets: Span<UInt8>) -> Bool? {
    guard octets.count >= 4 else { return nil }
    return [true, false].first { isBigEndian in
      [microseconds, nanoseconds].contains(octets.long(at: 0, isBigEndian: isBigEndian))
    }
  }

  init(_ octets: Span<UInt8>, isBigEndian: Bool) throws(CaptureFault) {
    guard octets.count >= Self.headerLength else { throw .truncated(offset: 0) }
    self.isBigEndian = isBigEndian
    countsNanoseconds = octets.long(at: 0, isBigEndian: isBigEndian) == Self.nanoseconds
    let version = octets.word(at: 4, isBigEndian: isBigEndian)
    guard version == 2 else { throw .version(.pcap, UInt32(version)) }
    // The upper bits concern an Ethernet frame check sequence.
    link = LinkType(number: octets.long(at: 20, isBigEndian: isBigEndian) & 0xFFFF)
    guard link.isKnown else { throw .dataLink(.pcap, link.number) }
  }

  mutating func step(
    _ octets: Span<UInt8>, at position: UInt64, into record: inout CaptureRecord
  ) throws(CaptureFault) -> ParsingStep {
    guard octets.count >= 16 else { return .needs(16) }
    let seconds = Int64(octets.long(at: 0, isBigEndian: isBigEndian))
    let fraction = Int64(octets.long(at: 4, isBigEndian: isBigEndian))
    let included = Int(octets.long(at: 8, isBigEndian: isBigEndian))
    let original = Int(octets.long(at: 12, isBigEndian: isBigEndian))
    guard included <= CaptureParser.recordLimit - 16 else { throw .corrupt(offset: position) }
    let end = 16 + included
    guard octets.count >= end else { return .needs(end) }
    let isFilled = link.fill(
      &record, nanoseconds: seconds * 1_000_000_000 + fraction * (countsNanoseconds ? 1 : 1000), source: 0,
      isReceived: nil, octets.extracting(16..<end))
    guard isFilled else { return .passed(end) }
    record.originalLength = max(record.originalLength, record.octets.count + original - included)
    return .record(end)
  }
}
