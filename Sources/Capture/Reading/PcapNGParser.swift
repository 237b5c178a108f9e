/// Parses pcapng files (draft-ietf-opsawg-pcapng), in either byte order, with several sections and interfaces.
///
/// Ignores interfaces with link types other than Bluetooth's.
struct PcapNGParser: RecordParsing {
  private struct Interface {
    var link: LinkType
    /// The number of units of its clock per second.
    var unitsPerSecond: UInt64 = 1_000_000
    /// The offset of its clock, in seconds.
    var secondsOffset: Int64 = 0
    var droppedPackets: UInt64 = 0
  }

  /// The maximum number of interfaces. More of them are corrupt.
  private static let interfaceLimit = 4096

  private var isBigEndian = false
  private var interfaces: [Interface] = []
  /// The number of interfaces in earlier sections. Sources are numbered through the whole file.
  private var earlierInterfaces = 0

  static func begins(_ octets: Span<UInt8>) -> Bool {
    octets.count >= 4 && octets.long(at: 0, isBigEndian: false) == PcapNGFormat.Block.sectionHeader.rawValue
  }

  mutating func step(
    _ octets: Span<UInt8>, at position: UInt64, into record: inout CaptureRecord
  ) throws(CaptureFault) -> ParsingStep {
    guard octets.count >= 12 else { return .needs(12) }
    // The section's block type is the same in both byte orders. Its magic determines the order.
    if Self.begins(octets) { try beginSection(octets, position) }
    let type = octets.long(at: 0, isBigEndian: isBigEndian)
    let length = Int(octets.long(at: 4, isBigEndian: isBigEndian))
    guard length >= 12, length % 4 == 0, length <= CaptureParser.recordLimit else { throw .corrupt(offset: position) }
    guard octets.count >= length else { return .needs(length) }
    guard octets.long(at: length - 4, isBigEndian: isBigEndian) == UInt32(length) else {
      throw .corrupt(offset: position)
    }
    let body = octets.extracting(8..<length - 4)
    switch type {
    case PcapNGFormat.Block.interfaceDescription.rawValue: try describe(body, position)
    case PcapNGFormat.Block.enhancedPacket.rawValue, 2:
      if try read(body, isObsolete: type == 2, position, into: &record) { return .record(length) }
    case 3: if try readSimple(body, position, into: &record) { return .record(length) }
    default: break
    }
    return .passed(length)
  }

  private mutating func beginSection(_ octets: Span<UInt8>, _ position: UInt64) throws(CaptureFault) {
    switch octets.long(at: 8, isBigEndian: false) {
    case PcapNGFormat.byteOrderMagic: isBigEndian = false
    case PcapNGFormat.byteOrderMagic.byteSwapped: isBigEndian = true
    default: throw .corrupt(offset: position)
    }
    // A step without enough octets is repeated, and has already started the section.
    earlierInterfaces += interfaces.count
    interfaces = []
    if octets.count >= 16 {
      let major = octets.word(at: 12, isBigEndian: isBigEndian)
      guard major == PcapNGFormat.version.major else { throw .version(.pcapng, UInt32(major)) }
    }
  }

  private mutating func describe(_ body: Span<UInt8>, _ position: UInt64) throws(CaptureFault) {
    guard body.count >= 8, interfaces.count < Self.interfaceLimit else { throw .corrupt(offset: position) }
    var interface = Interface(link: LinkType(number: UInt32(body.word(at: 0, isBigEndian: isBigEndian))))
    forEachOption(body.extracting(8...)) { code, value in
      switch code {
      case PcapNGFormat.Option.timestampResolution where value.count >= 1:
        interface.unitsPerSecond = Self.unitsPerSecond(value[0])
      case 14 where value.count >= 8:
        interface.secondsOffset = Int64(bitPattern: value.quad(at: 0, isBigEndian: isBigEndian))
      default: break
      }
    }
    interfaces.append(interface)
  }

  /// Returns the units per second: a power of ten, or of two if the highest bit is set. An impossible resolution counts as microseconds.
  private static func unitsPerSecond(_ resolution: UInt8) -> UInt64 {
    let exponent = Int(resolution & 0x7F)
    if resolution & 0x80 != 0 { return exponent < 63 ? 1 << UInt64(exponent) : 1_000_000 }
    return exponent <= 18 ? (0..<exponent).reduce(1) { power, _ in power * 10 } : 1_000_000
  }

  private mutating func read(
    _ body: Span<UInt8>, isObsolete: Bool, _ position: UInt64, into record: inout CaptureRecord
  ) throws(CaptureFault) -> Bool {
    guard body.count >= 20 else { throw .corrupt(offset: position) }
    // The obsolete block has the interface in two octets, and a count of lost packets in the other two.
    let number =
      isObsolete ? Int(body.word(at: 0, isBigEndian: isBigEndian)) : Int(body.long(at: 0, isBigEndian: isBigEndian))
    let included = Int(body.long(at: 12, isBigEndian: isBigEndian))
    let original = Int(body.long(at: 16, isBigEndian: isBigEndian))
    guard included <= body.count - 20, interfaces.indices.contains(number) else { throw .corrupt(offset: position) }
    guard interfaces[number].link.isKnown else { return false }
    var isReceived: Bool?
    var comments: [String] = []
    var flags: UInt32 = 0
    let options = 20 + (included + 3) & ~3
    if options < body.count {
      forEachOption(body.extracting(options...)) { code, value in
        switch code {
        case PcapNGFormat.Option.comment: comments.append(String(decoding: value.array, as: UTF8.self))
        case PcapNGFormat.Option.flags where value.count == 4:
          flags = value.long(at: 0, isBigEndian: isBigEndian)
          let direction = flags & 0b11
          if direction == 1 || direction == 2 { isReceived = direction == 1 }
        case PcapNGFormat.Option.dropCount where value.count == 8:
          interfaces[number].droppedPackets &+= value.quad(at: 0, isBigEndian: isBigEndian)
        default: break
        }
      }
    }
    let time =
      UInt64(body.long(at: 4, isBigEndian: isBigEndian)) << 32 | UInt64(body.long(at: 8, isBigEndian: isBigEndian))
    let isFilled = fill(
      &record, number, Self.nanoseconds(time, interfaces[number]), isReceived, body.extracting(20..<20 + included))
    guard isFilled else { return false }
    record.originalLength = max(record.originalLength, record.octets.count + original - included)
    if !comments.isEmpty { record.take(remarks: comments.joined(separator: "\n")) }
    record.flags = flags
    return true
  }

  /// Parses a Simple Packet Block: a packet of the first interface, without a time.
  private func readSimple(
    _ body: Span<UInt8>, _ position: UInt64, into record: inout CaptureRecord
  ) throws(CaptureFault) -> Bool {
    guard body.count >= 4, let first = interfaces.first else { throw .corrupt(offset: position) }
    guard first.link.isKnown else { return false }
    let original = Int(body.long(at: 0, isBigEndian: isBigEndian))
    return fill(&record, 0, 0, nil, body.extracting(4..<4 + min(original, body.count - 4)))
  }

  private func fill(
    _ record: inout CaptureRecord, _ number: Int, _ nanoseconds: Int64, _ isReceived: Bool?, _ packet: Span<UInt8>
  ) -> Bool {
    let isFilled = interfaces[number].link.fill(
      &record, nanoseconds: nanoseconds, source: UInt32(truncatingIfNeeded: earlierInterfaces + number),
      isReceived: isReceived, packet)
    record.droppedPackets = interfaces[number].droppedPackets
    return isFilled
  }

  private static func nanoseconds(_ time: UInt64, _ interface: Interface) -> Int64 {
    let (seconds, units) = time.quotientAndRemainder(dividingBy: interface.unitsPerSecond)
    let fraction = units.multipliedFullWidth(by: 1_000_000_000)
    let rest = interface.unitsPerSecond.dividingFullWidth(fraction).quotient
    // Times before 1970 are in two's complement, and therefore read with wrapping arithmetic.
    let whole = Int64(truncatingIfNeeded: seconds) &+ interface.secondsOffset
    return whole &* 1_000_000_000 &+ Int64(truncatingIfNeeded: rest)
  }

  /// Calls `body` for every complete option.
  private func forEachOption(_ octets: Span<UInt8>, _ body: (UInt16, Span<UInt8>) -> Void) {
    var offset = 0
    while offset + 4 <= octets.count {
      let code = octets.word(at: offset, isBigEndian: isBigEndian)
      let length = Int(octets.word(at: offset + 2, isBigEndian: isBigEndian))
      guard code != PcapNGFormat.Option.endOfOptions, offset + 4 + length <= octets.count else { return }
      body(code, octets.extracting(offset + 4..<offset + 4 + length))
      offset += 4 + (length + 3) & ~3
    }
  }
}
