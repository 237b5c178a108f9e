import BLEHCI

/// Parses the files of Apple's PacketLogger, in either byte order.
///
/// There is no header. A record has its length without these four octets, seconds and microseconds since 1970 of four octets each, a type,
/// and the packet or text. A note that directly follows another record, has the same time and starts with `# ` is a comment on that record.
struct PacketLoggerParser: RecordParsing {
  private let isBigEndian: Bool
  private var hasEnded = false
  static let headLength = 13

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  /// Returns the byte order of octets that may start such a file; nil if they cannot. The length of the first record, which is below
  /// 65,536, shows it, and the rest of the record must be valid.
  static func byteOrder(_ octets: Span<UInt8>) -> Bool? {
    guard octets.count >= headLength else { return nil }
    for isBigEndian in [true, false] {
      let length = octets.long(at: 0, isBigEndian: isBigEndian)
      let microseconds = octets.long(at: 8, isBigEndian: isBigEndian)
      guard (9..<65_536).contains(length), microseconds < 1_000_000 else { continue }
      if PacketLoggerType.canBeFirst(octets[12]) { return isBigEndian }
    }
    return nil
  }

  mutating func end() { hasEnded = true }

  mutating func step(
    _ octets: Span<UInt8>, at position: UInt64, into record: inout CaptureRecord
  ) throws(CaptureFault) -> ParsingStep {
    guard octets.count >= 4 else { return .needs(4) }
    let length = Int(octets.long(at: 0, isBigEndian: isBigEndian))
    guard length >= 9, length < CaptureParser.recordLimit - 4 else { throw .corrupt(offset: position) }
    guard octets.count >= 4 + length else { return .needs(4 + length) }
    let rest = octets.extracting((4 + length)...)
    if rest.count < Self.headLength, !hasEnded { return .needs(4 + length + Self.headLength) }
    var noteLength = noteLength(rest, beside: octets)
    if let needed = noteLength, rest.count < needed {
      if !hasEnded { return .needs(4 + length + needed) }
      noteLength = nil
    }
    let seconds = Int64(octets.long(at: 4, isBigEndian: isBigEndian))
    let microseconds = Int64(octets.long(at: 8, isBigEndian: isBigEndian))
    let nanoseconds = seconds * 1_000_000_000 + microseconds * 1000
    let content = octets.extracting(Self.headLength..<4 + length)
    if let (type, direction) = PacketLoggerType.packet(octets[12]) {
      record.fill(.hci(direction), nanoseconds: nanoseconds, source: 0, content)
      record.octets.insert(type.rawValue, at: 0)
      record.originalLength += 1
    } else {
      record.fill(.message(PacketLoggerType.message(octets[12])), nanoseconds: nanoseconds, source: 0, content)
      while record.octets.last == 0 { record.octets.removeLast() }
      record.originalLength = record.octets.count
    }
    if let noteLength {
      let start = Self.headLength + PacketLoggerType.commentMark.count
      let text = rest.extracting(start..<noteLength).array.prefix { $0 != 0 }
      record.take(remarks: String(decoding: text, as: UTF8.self))
      return .record(4 + length + noteLength)
    }
    return .record(4 + length)
  }

  /// Returns the length of the next record, if it is a comment on this one as far as its octets exist.
  private func noteLength(_ next: Span<UInt8>, beside octets: Span<UInt8>) -> Int? {
    guard next.count >= Self.headLength, next[12] == PacketLoggerType.note else { return nil }
    let length = Int(next.long(at: 0, isBigEndian: isBigEndian))
    let mark = PacketLoggerType.commentMark
    guard (9 + mark.count..<65_536).contains(length), (4..<12).allSatisfy({ next[$0] == octets[$0] }) else {
      return nil
    }
    for (place, octet) in mark.enumerated() where Self.headLength + place < next.count {
      if next[Self.headLength + place] != octet { return nil }
    }
    return 4 + length
  }
}

/// The record types of PacketLogger.
enum PacketLoggerType {
  private static let packets: [(UInt8, H4PacketType, CapturedPacket.Direction)] = [
    (0x00, .command, .hostToController), (0x01, .event, .controllerToHost), (0x02, .acl, .hostToController),
    (0x03, .acl, .controllerToHost), (0x08, .sync, .hostToController), (0x09, .sync, .controllerToHost),
  ]

  /// The start of a note that is a comment on the preceding packet. The format has no comments of its own.
  static let commentMark = Array("# ".utf8)

  private static let messages: [(UInt8, CaptureRecord.Message)] = [
    (0xFC, .note), (0xF7, .log), (0xF8, .log), (0xF9, .log), (0xFA, .error), (0xFB, .power), (0xFD, .configuration),
    (0xFE, .controller),
  ]

  static func packet(_ type: UInt8) -> (H4PacketType, CapturedPacket.Direction)? {
    // The four types of nearly all records come first.
    switch type {
    case 0x00: (.command, .hostToController)
    case 0x01: (.event, .controllerToHost)
    case 0x02: (.acl, .hostToController)
    case 0x03: (.acl, .controllerToHost)
    default: packets.first { $0.0 == type }.map { ($0.1, $0.2) }
    }
  }

  static func message(_ type: UInt8) -> CaptureRecord.Message {
    messages.first { $0.0 == type }?.1 ?? .other(UInt16(type))
  }

  /// Returns the type of a packet; nil if the format has none for it.
  static func of(_ type: H4PacketType, _ direction: CapturedPacket.Direction) -> UInt8? {
    packets.first { $0.1 == type && $0.2 == direction }?.0
  }

  static let note: UInt8 = 0xFC

  /// Returns whether a file may start with a record of this type.
  static func canBeFirst(_ type: UInt8) -> Bool { packet(type) != nil || type == 0x0A || type == 0x0B || type >= 0xF7 }

  /// Returns the type of a message. A message of another format has a number that means nothing here, or even a packet, and becomes a note;
  /// so does one of an unknown type that would be the first record.
  static func of(_ message: CaptureRecord.Message, isFirst: Bool) -> UInt8 {
    guard case .other(let number) = message else { return messages.first { $0.1 == message }?.0 ?? note }
    guard let type = UInt8(exactly: number), packet(type) == nil, !isFirst || canBeFirst(type) else { return note }
    return type
  }
}
