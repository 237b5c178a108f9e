/// Reads the packets of a btsnoop file from its octets, one after the other.
///
/// It accepts any octets. It rejects everything that is not a btsnoop file; a truncated or corrupt file yields the packets before that
/// place, and then `fault`.
///
/// ```swift
/// var reader = try BTSnoopReader(octets)
/// while let record = reader.next() { print(record.packet) }
/// if let fault = reader.fault { print("the file ends early: \(fault)") }
/// ```
package struct BTSnoopReader: Sendable {
  /// A packet with its data in the file.
  package struct Record: Hashable, Sendable {
    /// The packet.
    package var packet: CapturedPacket
    /// The original length of the packet in octets. Larger than the stored length if the capture truncates packets.
    package var originalLength: Int
    /// The number of packets lost so far.
    package var droppedPackets: UInt32
  }

  /// The reason why octets cannot be read. Offsets are counted from the start of the file.
  package enum Fault: Error, Hashable, Sendable {
    /// The octets do not start like a btsnoop file.
    case notBTSnoop
    /// The file has another version of the format.
    case version(UInt32)
    /// The file has packets other than HCI UART (1002).
    case dataLink(UInt32)
    /// The file ends inside the record that starts at `offset`.
    case truncated(offset: Int)
    /// The record that starts at `offset` is invalid.
    case corrupt(offset: Int)
  }

  /// The maximum length of a packet: the longest H4 packet has a header of 5 octets and 65,535 octets of content.
  private static let longestPacket = 65_540

  /// The reason why reading ended, after `next` has returned nil; nil at the end of a complete file.
  package private(set) var fault: Fault?

  private let octets: [UInt8]
  private var offset = BTSnoopFormat.headerLength

  /// Starts reading a file, given all its octets.
  package init(_ octets: [UInt8]) throws(Fault) {
    self.octets = octets
    guard octets.starts(with: BTSnoopFormat.magic), octets.count >= BTSnoopFormat.headerLength else {
      throw .notBTSnoop
    }
    let version: UInt32 = integer(at: 8)
    guard version == BTSnoopFormat.version else { throw .version(version) }
    let dataLink: UInt32 = integer(at: 12)
    guard dataLink == BTSnoopFormat.dataLink else { throw .dataLink(dataLink) }
  }

  /// Returns the next record; nil at the end of the file or of its readable part.
  package mutating func next() -> Record? {
    guard fault == nil, offset < octets.count else { return nil }
    let head = offset
    let start = head + BTSnoopFormat.recordHeadLength
    guard start <= octets.count else { return fail(.truncated(offset: head)) }
    let original: UInt32 = integer(at: head)
    let included: UInt32 = integer(at: head + 4)
    guard included >= 1, included <= original, included <= Self.longestPacket else {
      return fail(.corrupt(offset: head))
    }
    let end = start + Int(included)
    guard end <= octets.count else { return fail(.truncated(offset: head)) }
    let flags = BTSnoopFormat.Flags(rawValue: integer(at: head + 8))
    let time: Int64 = integer(at: head + 16)
    offset = end
    return Record(
      packet: CapturedPacket(
        flags.contains(.received) ? .controllerToHost : .hostToController,
        microseconds: time &- BTSnoopFormat.epochOffset, octets: Array(octets[start..<end])),
      originalLength: Int(original), droppedPackets: integer(at: head + 12))
  }

  private mutating func fail(_ fault: Fault) -> Record? {
    self.fault = fault
    return nil
  }

  /// Returns a big-endian integer, whose octets must exist.
  private func integer<Value: FixedWidthInteger>(at offset: Int) -> Value {
    octets[offset..<offset + MemoryLayout<Value>.size].reduce(0) { $0 << 8 | Value($1) }
  }
}
