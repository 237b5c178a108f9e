/// Reads the packets of a btsnoop file, one after the other, from its octets.
///
/// It takes any octets: what is no btsnoop file is refused, and a file that is cut off or corrupt gives the packets before
/// that place and then `fault`.
///
/// ```swift
/// var reader = try BTSnoopReader(octets)
/// while let record = reader.next() { print(record.packet) }
/// if let fault = reader.fault { print("the file ends early: \(fault)") }
/// ```
package struct BTSnoopReader: Sendable {
  /// A packet and what the file says about it besides.
  package struct Record: Hashable, Sendable {
    /// The packet.
    package var packet: CapturedPacket
    /// How many octets the packet had; more than are kept when the capture was told to cut packets.
    package var originalLength: Int
    /// How many packets had been lost up to then.
    package var droppedPackets: UInt32
  }

  /// Why octets cannot be read. Offsets count from the beginning of the file.
  package enum Fault: Error, Hashable, Sendable {
    /// The octets do not begin as a btsnoop file does.
    case notBTSnoop
    /// The file is of another version of the format.
    case version(UInt32)
    /// The file holds packets of another kind than HCI UART (1002).
    case dataLink(UInt32)
    /// The file ends inside the record that begins at `offset`.
    case truncated(offset: Int)
    /// The record that begins at `offset` says what cannot be.
    case corrupt(offset: Int)
  }

  /// A record's packet is never longer than this: the longest H4 packet has 5 octets of head and 65,535 of content.
  private static let longestPacket = 65_540

  /// Why reading ended, once `next` has returned nil; nil after a file that is whole.
  package private(set) var fault: Fault?

  private let octets: [UInt8]
  private var offset = BTSnoopFormat.headerLength

  /// Begins to read a file, given all of it.
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

  /// The next record, or nil at the end of the file or of what can be read of it.
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

  /// A big-endian integer; its octets must be there.
  private func integer<Value: FixedWidthInteger>(at offset: Int) -> Value {
    octets[offset..<offset + MemoryLayout<Value>.size].reduce(0) { $0 << 8 | Value($1) }
  }
}
