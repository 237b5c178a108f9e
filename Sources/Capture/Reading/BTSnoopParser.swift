import BLEHCI

/// Parses btsnoop files, version 1, with data links for HCI packets: 1001 (without type), 1002 (H4) and 2001 (btmon).
struct BTSnoopParser: RecordParsing {
  private enum Link: UInt32 {
    case unencapsulated = 1001
    case h4 = 1002
    case monitor = 2001
  }

  private let link: Link

  var format: CaptureFormat { link == .monitor ? .monitor : .btsnoop }

  static func begins(_ octets: Span<UInt8>) -> Bool {
    octets.count >= 8 && octets.extracting(..<8).array == BTSnoopFormat.magic
  }

  init(_ octets: Span<UInt8>) throws(CaptureFault) {
    guard octets.count >= BTSnoopFormat.headerLength else { throw .truncated(offset: 0) }
    let version = octets.long(at: 8, isBigEndian: true)
    guard version == BTSnoopFormat.version else { throw .version(.btsnoop, version) }
    let number = octets.long(at: 12, isBigEndian: true)
    guard let link = Link(rawValue: number) else { throw .dataLink(.btsnoop, number) }
    self.link = link
  }

  mutating func step(
    _ octets: Span<UInt8>, at position: UInt64, into record: inout CaptureRecord
  ) throws(CaptureFault) -> ParsingStep {
    let head = BTSnoopFormat.recordHeadLength
    guard octets.count >= head else { return .needs(head) }
    let original = Int(octets.long(at: 0, isBigEndian: true))
    let included = Int(octets.long(at: 4, isBigEndian: true))
    guard included <= original, included <= CaptureParser.recordLimit - head else { throw .corrupt(offset: position) }
    guard octets.count >= head + included else { return .needs(head + included) }
    let flags = octets.long(at: 8, isBigEndian: true)
    let time = Int64(bitPattern: octets.quad(at: 16, isBigEndian: true))
    let nanoseconds = time.elapsed(since: BTSnoopFormat.epochOffset).nanoseconds(inUnitsOf: 1000)
    let packet = octets.extracting(head..<head + included)
    switch link {
    case .h4:
      guard included > 0 else { return .passed(head) }
      record.fill(.hci(Self.direction(flags)), nanoseconds: nanoseconds, source: 0, packet)
    case .unencapsulated:
      record.fill(.hci(Self.direction(flags)), nanoseconds: nanoseconds, source: 0, packet)
      let known = BTSnoopFormat.Flags(rawValue: flags)
      let type: H4PacketType =
        known.contains(.commandOrEvent) ? (known.contains(.received) ? .event : .command) : .acl
      record.octets.insert(type.rawValue, at: 0)
    case .monitor:
      record.fillMonitor(
        opcode: UInt16(truncatingIfNeeded: flags), index: flags >> 16, nanoseconds: nanoseconds, packet)
    }
    record.originalLength = record.octets.count + original - included
    record.droppedPackets = UInt64(octets.long(at: 12, isBigEndian: true))
    return .record(head + included)
  }

  private static func direction(_ flags: UInt32) -> CapturedPacket.Direction {
    flags & 1 == 0 ? .hostToController : .controllerToHost
  }
}
