import BLECore
import BLEHCI

/// Encodes records of any source as a capture file.
///
/// It does no input or output: it appends octets to a buffer, which the caller writes.
package struct CaptureEncoder: Sendable {
  /// The format of the file.
  package let format: CaptureFormat
  /// The name of the program that writes the file, if the format has it.
  private let application: String
  /// The pcapng interfaces described so far.
  private var interfaces: [Interface] = []
  private let pcapng = PcapNGEncoder()
  /// Whether a PacketLogger file has a record, by whose type readers know the format.
  private var hasRecord = false

  private struct Interface: Hashable, Sendable {
    var source: UInt32
    var kind: PcapNGInterfaceKind
  }

  /// Creates an encoder for a format.
  package init(_ format: CaptureFormat, application: String = "understudy") {
    self.format = format
    self.application = application
  }

  /// Appends the header of a file. PacketLogger files have none.
  package func begin(into buffer: inout OctetBuffer) {
    switch format {
    case .btsnoop: BTSnoopEncoder().beginFile(into: &buffer)
    case .monitor:
      buffer.append(BTSnoopFormat.magic)
      buffer.append(littleEndian: BTSnoopFormat.version.bigEndian)
      buffer.append(littleEndian: BTSnoopFormat.monitorLink.bigEndian)
    case .pcapng: pcapng.beginSection(application: application, into: &buffer)
    case .pcap:
      // Nanoseconds, version 2.4, no clock offset, packets of up to 256 KiB.
      buffer.append(littleEndian: UInt32(0xA1B2_3C4D))
      buffer.append(littleEndian: UInt16(2))
      buffer.append(littleEndian: UInt16(4))
      buffer.append(littleEndian: UInt64(0))
      buffer.append(littleEndian: UInt32(262_144))
      buffer.append(littleEndian: LinkType.h4WithDirection)
    case .packetLogger: break
    }
  }

  /// Appends a record. Returns false, and appends nothing, if the format does not support it: packets on the air in all formats except
  /// pcapng, and messages in btsnoop and pcap. Omits remarks on the packet if the format does not store them.
  package mutating func append(_ record: CaptureRecord, into buffer: inout OctetBuffer) -> Bool {
    if case .hci = record.content, record.octets.isEmpty { return false }
    switch format {
    case .btsnoop: return Self.appendBTSnoop(record, into: &buffer)
    case .monitor: return Self.appendMonitor(record, into: &buffer)
    case .pcapng:
      appendPcapNG(record, into: &buffer)
      return true
    case .pcap: return Self.appendPcap(record, into: &buffer)
    case .packetLogger: return appendPacketLogger(record, into: &buffer)
    }
  }

  // MARK: btsnoop

  private static func appendBTSnoop(_ record: CaptureRecord, into buffer: inout OctetBuffer) -> Bool {
    guard case .hci(let direction) = record.content else { return false }
    let flags = BTSnoopFormat.Flags(direction, H4PacketType(rawValue: record.octets[0])).rawValue
    appendBTSnoopHead(record, length: record.octets.count, flags: flags, into: &buffer)
    buffer.append(record.octets)
    return true
  }

  private static func appendMonitor(_ record: CaptureRecord, into buffer: inout OctetBuffer) -> Bool {
    guard let (opcode, content) = monitor(record) else { return false }
    appendBTSnoopHead(
      record, length: content.count, flags: record.source << 16 | UInt32(opcode), into: &buffer)
    buffer.append(content)
    return true
  }

  /// Returns the monitor's opcode and contents for a record; nil if the monitor has none for it.
  private static func monitor(_ record: CaptureRecord) -> (UInt16, [UInt8])? {
    switch record.content {
    case .hci(let direction):
      guard let opcode = MonitorOpcode.of(H4PacketType(rawValue: record.octets[0]), direction) else { return nil }
      return (opcode, Array(record.octets.dropFirst()))
    case .air: return nil
    case .message(.other(let opcode)): return (opcode, record.octets)
    case .message(.note): return (MonitorOpcode.systemNote, record.octets + [0])
    // Priority 6 is information. The program has no name.
    case .message: return (MonitorOpcode.userLogging, [6, 0] + record.octets + [0])
    }
  }

  private static func appendBTSnoopHead(
    _ record: CaptureRecord, length: Int, flags: UInt32, into buffer: inout OctetBuffer
  ) {
    let original = length + max(0, record.originalLength - record.octets.count)
    buffer.append(littleEndian: UInt32(clamping: original).bigEndian)
    buffer.append(littleEndian: UInt32(clamping: length).bigEndian)
    buffer.append(littleEndian: flags.bigEndian)
    buffer.append(littleEndian: UInt32(clamping: record.droppedPackets).bigEndian)
    let microseconds = record.nanoseconds.dividedDown(by: 1000)
    buffer.append(littleEndian: (microseconds &+ BTSnoopFormat.epochOffset).bigEndian)
  }

  // MARK: pcapng and pcap

  private mutating func appendPcapNG(_ record: CaptureRecord, into buffer: inout OctetBuffer) {
    let kind: PcapNGInterfaceKind =
      switch record.content {
      case .hci: .hci
      case .air: .air
      case .message: .monitor
      }
    let number = interface(Interface(source: record.source, kind: kind), into: &buffer)
    pcapng.record(
      interface: number, nanoseconds: record.nanoseconds, lost: 0, comments: record.remarks, flags: record.flags,
      cut: max(0, record.originalLength - record.octets.count), into: &buffer
    ) { buffer in
      switch record.content {
      case .hci(let direction):
        buffer.append(littleEndian: UInt32(direction == .controllerToHost ? 1 : 0).bigEndian)
        buffer.append(record.octets)
      case .air(let reception): reception.encode(record.octets, into: &buffer)
      case .message:
        let (opcode, content) = Self.monitor(record) ?? (MonitorOpcode.systemNote, [])
        buffer.append(littleEndian: UInt16(truncatingIfNeeded: record.source).bigEndian)
        buffer.append(littleEndian: opcode.bigEndian)
        buffer.append(content)
      }
    }
  }

  private mutating func interface(_ wanted: Interface, into buffer: inout OctetBuffer) -> UInt32 {
    if let place = interfaces.firstIndex(of: wanted) { return UInt32(place) }
    let name =
      switch wanted.kind {
      case .hci: "controller \(wanted.source)"
      case .air: "air \(wanted.source)"
      case .monitor: "messages \(wanted.source)"
      }
    pcapng.describeInterface(name, wanted.kind, into: &buffer)
    interfaces.append(wanted)
    return UInt32(interfaces.count - 1)
  }

  private static func appendPcap(_ record: CaptureRecord, into buffer: inout OctetBuffer) -> Bool {
    guard case .hci(let direction) = record.content else { return false }
    let seconds = record.nanoseconds.dividedDown(by: 1_000_000_000)
    buffer.append(littleEndian: UInt32(truncatingIfNeeded: seconds))
    buffer.append(littleEndian: UInt32(truncatingIfNeeded: record.nanoseconds &- seconds &* 1_000_000_000))
    buffer.append(littleEndian: UInt32(clamping: record.octets.count + 4))
    buffer.append(littleEndian: UInt32(clamping: max(record.originalLength, record.octets.count) + 4))
    buffer.append(littleEndian: UInt32(direction == .controllerToHost ? 1 : 0).bigEndian)
    buffer.append(record.octets)
    return true
  }

  // MARK: PacketLogger

  /// Appends a record in little endian, as newer versions write it.
  private mutating func appendPacketLogger(_ record: CaptureRecord, into buffer: inout OctetBuffer) -> Bool {
    let type: UInt8
    var content = record.octets[...]
    switch record.content {
    case .hci(let direction):
      guard let known = PacketLoggerType.of(H4PacketType(rawValue: record.octets[0]), direction) else { return false }
      type = known
      content = content.dropFirst()
    case .air: return false
    case .message(let message):
      type = PacketLoggerType.of(message, isFirst: !hasRecord)
      content.append(0)
    }
    hasRecord = true
    Self.appendPacketLogger(type, record.nanoseconds, content, into: &buffer)
    // It has no comments on packets, but notes next to them.
    if !record.remarks.isEmpty {
      let note = PacketLoggerType.commentMark + Array(record.remarks.joined(separator: "\n").utf8) + [0]
      Self.appendPacketLogger(PacketLoggerType.note, record.nanoseconds, note, into: &buffer)
    }
    return true
  }

  private static func appendPacketLogger(
    _ type: UInt8, _ nanoseconds: Int64, _ content: some Collection<UInt8>, into buffer: inout OctetBuffer
  ) {
    let seconds = nanoseconds.dividedDown(by: 1_000_000_000)
    buffer.append(littleEndian: UInt32(clamping: content.count + 9))
    buffer.append(littleEndian: UInt32(truncatingIfNeeded: seconds))
    buffer.append(littleEndian: UInt32(truncatingIfNeeded: (nanoseconds &- seconds &* 1_000_000_000) / 1000))
    buffer.append(type)
    buffer.append(Array(content))
  }
}

extension Int64 {
  /// Returns the quotient rounded down, also if negative.
  func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
