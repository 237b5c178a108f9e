import BLECore
import BLEHCI

/// Encodes packets as blocks of a pcapng file, which Wireshark reads.
///
/// It does no input or output: it appends octets to a buffer. The caller supplies the time and writes the buffer.
package struct PcapNGEncoder: Sendable {
  /// Creates an encoder. It has no state, so one is enough for any number of files.
  package init() {}

  /// Appends the Section Header Block at the start of a file.
  ///
  /// - Parameters:
  ///   - application: The program that writes the file.
  package func beginSection(application: String, comment: String? = nil, into buffer: inout OctetBuffer) {
    block(.sectionHeader, into: &buffer) { buffer in
      buffer.append(littleEndian: PcapNGFormat.byteOrderMagic)
      buffer.append(littleEndian: PcapNGFormat.version.major)
      buffer.append(littleEndian: PcapNGFormat.version.minor)
      buffer.append(littleEndian: PcapNGFormat.unknownSectionLength)
      options(into: &buffer) { buffer in
        option(PcapNGFormat.Option.comment, comment, into: &buffer)
        option(PcapNGFormat.Option.userApplication, application, into: &buffer)
      }
    }
  }

  /// Appends the Interface Description Block of the next interface. Interfaces are counted from 0.
  package func describeInterface(
    _ name: String, _ kind: PcapNGInterfaceKind, comment: String? = nil, into buffer: inout OctetBuffer
  ) {
    block(.interfaceDescription, into: &buffer) { buffer in
      buffer.append(littleEndian: kind.linkType)
      let reserved: UInt16 = 0
      buffer.append(littleEndian: reserved)
      buffer.append(littleEndian: PcapNGFormat.noSnapLength)
      options(into: &buffer) { buffer in
        option(PcapNGFormat.Option.comment, comment, into: &buffer)
        option(PcapNGFormat.Option.interfaceName, name, into: &buffer)
        option(PcapNGFormat.Option.timestampResolution, [PcapNGFormat.timestampResolution], into: &buffer)
      }
    }
  }

  /// Appends the Enhanced Packet Block of a packet between a host and its controller.
  ///
  /// - Parameters:
  ///   - type: The packet's H4 type.
  ///   - packet: The packet without its type.
  ///   - interface: The number of an interface for HCI.
  ///   - nanoseconds: The wall clock, in nanoseconds since 1970-01-01 00:00 UTC.
  ///   - lost: The number of packets of the interface that were lost since the previous one.
  package func record(
    _ direction: CapturedPacket.Direction, _ type: H4PacketType, _ packet: Span<UInt8>, interface: UInt32,
    nanoseconds: Int64, lost: UInt64 = 0, into buffer: inout OctetBuffer
  ) {
    record(interface: interface, nanoseconds: nanoseconds, lost: lost, comments: [], into: &buffer) { buffer in
      let flow: UInt32 = direction == .controllerToHost ? 1 : 0
      buffer.append(littleEndian: flow.bigEndian)
      buffer.append(type.rawValue)
      buffer.append(packet)
    }
  }

  /// Appends the Enhanced Packet Block of a packet on the air.
  ///
  /// - Parameters:
  ///   - interface: The number of an interface for the air.
  ///   - lost: The number of packets of the interface that were lost since the previous one.
  package func record(
    _ packet: CapturedAirPacket, interface: UInt32, lost: UInt64 = 0, into buffer: inout OctetBuffer
  ) {
    record(
      interface: interface, nanoseconds: packet.nanoseconds, lost: lost, comments: packet.comment.map { [$0] } ?? [],
      into: &buffer
    ) { packet.encode(into: &$0) }
  }

  /// Appends an Enhanced Packet Block with what `content` appends. `cut` is the number of further octets that were not stored.
  func record(
    interface: UInt32, nanoseconds: Int64, lost: UInt64, comments: [String], flags: UInt32 = 0, cut: Int = 0,
    into buffer: inout OctetBuffer,
    _ content: (inout OctetBuffer) -> Void
  ) {
    block(.enhancedPacket, into: &buffer) { buffer in
      buffer.append(littleEndian: interface)
      let time = UInt64(bitPattern: nanoseconds)
      buffer.append(littleEndian: UInt32(truncatingIfNeeded: time >> 32))
      buffer.append(littleEndian: UInt32(truncatingIfNeeded: time))
      // The captured and the original length, which are known only after the content.
      let lengths = buffer.count
      buffer.append(littleEndian: UInt64(0))
      content(&buffer)
      let length = UInt32(clamping: buffer.count - lengths - 8)
      buffer.patch(littleEndian: length, at: lengths)
      buffer.patch(littleEndian: UInt32(clamping: Int(length) + cut), at: lengths + 4)
      pad(&buffer, from: lengths)
      guard lost > 0 || !comments.isEmpty || flags != 0 else { return }
      options(into: &buffer) { buffer in
        for comment in comments { option(PcapNGFormat.Option.comment, comment, into: &buffer) }
        if flags != 0 { option(PcapNGFormat.Option.flags, Self.octets(UInt64(flags), 4), into: &buffer) }
        if lost > 0 { option(PcapNGFormat.Option.dropCount, Self.octets(lost, 8), into: &buffer) }
      }
    }
  }

  // MARK: Parts

  /// Returns a number, little endian.
  private static func octets(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  private func block(
    _ type: PcapNGFormat.Block, into buffer: inout OctetBuffer, _ body: (inout OctetBuffer) -> Void
  ) {
    let start = buffer.count
    buffer.append(littleEndian: type.rawValue)
    buffer.append(littleEndian: UInt32(0))
    body(&buffer)
    let total = UInt32(clamping: buffer.count - start + 4)
    buffer.patch(littleEndian: total, at: start + 4)
    buffer.append(littleEndian: total)
  }

  private func options(into buffer: inout OctetBuffer, _ body: (inout OctetBuffer) -> Void) {
    body(&buffer)
    buffer.append(littleEndian: PcapNGFormat.Option.endOfOptions)
    buffer.append(littleEndian: UInt16(0))
  }

  private func option(_ code: UInt16, _ text: String?, into buffer: inout OctetBuffer) {
    if let text { option(code, Array(text.utf8), into: &buffer) }
  }

  /// Appends an option, truncated to 65,535 octets.
  private func option(_ code: UInt16, _ value: [UInt8], into buffer: inout OctetBuffer) {
    let kept = value.prefix(Int(UInt16.max))
    buffer.append(littleEndian: code)
    buffer.append(littleEndian: UInt16(kept.count))
    let start = buffer.count
    buffer.append(kept)
    pad(&buffer, from: start)
  }

  /// Pads to a multiple of 32 bits, counted from `start`.
  private func pad(_ buffer: inout OctetBuffer, from start: Int) {
    while (buffer.count - start) % 4 != 0 { buffer.append(0) }
  }
}

extension OctetBuffer {
  /// Overwrites four existing octets at `offset` with an integer, little endian.
  mutating func patch(littleEndian value: UInt32, at offset: Int) {
    patch(littleEndian: UInt16(truncatingIfNeeded: value), at: offset)
    patch(littleEndian: UInt16(truncatingIfNeeded: value >> 16), at: offset + 2)
  }
}
