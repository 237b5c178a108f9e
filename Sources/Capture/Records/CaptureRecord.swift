/// One record of a capture file of any format: a packet, or a message about the capture.
///
/// Readers fill one record again and again, so that a record costs no allocation as long as nobody keeps a copy.
package struct CaptureRecord: Hashable, Sendable {
  /// What a record holds.
  package enum Content: Hashable, Sendable {
    /// A packet between a host and its controller, its H4 type in front (Core 5.4 Vol 4 Part A 2).
    case hci(CapturedPacket.Direction)
    /// A packet on the air: the PDU, its header of two octets first, without access address and CRC.
    case air(AirReception)
    /// A message about the capture; its text is UTF-8, as far as its writer kept to that.
    case message(Message)
  }

  /// What a message is about.
  package enum Message: Hashable, Sendable {
    /// A remark of whoever made or read the capture.
    case note
    /// What a system or a program logged.
    case log
    /// Something failed.
    case error
    /// Power states.
    case power
    /// How the capture or the host is configured.
    case configuration
    /// A controller came, went, was opened or closed.
    case controller
    /// Something else, with the number that its format gives it.
    case other(UInt16)
  }

  /// The wall clock: nanoseconds since 1970-01-01 00:00 UTC.
  package var nanoseconds: Int64 = 0
  /// The controller or interface that it belongs to; handles of different sources have nothing to do with each other.
  package var source: UInt32 = 0
  /// What the octets are.
  package var content = Content.message(.note)
  /// The packet or the text, as far as it was kept.
  package var octets: [UInt8] = []
  /// How many octets the packet had, with its H4 type or PDU header; more than are kept when the capture was told to cut packets.
  package var originalLength = 0
  /// How many packets of the source were lost up to then, where the format says it.
  package var droppedPackets: UInt64 = 0
  /// A remark on the packet; of several, a line for each.
  package var comment: String?
  /// Whether somebody has marked the packet, to find it again.
  package var isFlagged = false
  /// The priority of a logged message, as syslog has it (RFC 5424 6.2.1), where the format says one.
  package var priority: UInt8?
  /// What pcapng's `epb_flags` say of the packet: its way, how it was received, errors of its link layer; 0 for nothing.
  package var flags: UInt32 = 0

  /// A record without octets.
  package init() {}

  /// A record of octets.
  package init(_ content: Content, nanoseconds: Int64 = 0, source: UInt32 = 0, octets: [UInt8], comment: String? = nil)
  {
    self.content = content
    self.nanoseconds = nanoseconds
    self.source = source
    self.octets = octets
    self.comment = comment
    originalLength = octets.count
  }

  /// A packet between a host and its controller.
  package init(_ packet: CapturedPacket) {
    self.init(
      .hci(packet.direction), nanoseconds: packet.microseconds.nanoseconds(inUnitsOf: 1000), octets: packet.octets)
  }

  /// Makes it a record of `octets`, with nothing said about it besides.
  mutating func fill(_ content: Content, nanoseconds: Int64, source: UInt32, _ octets: Span<UInt8>) {
    self.content = content
    self.nanoseconds = nanoseconds
    self.source = source
    self.octets.removeAll(keepingCapacity: true)
    octets.withUnsafeBufferPointer { self.octets.append(contentsOf: $0) }
    originalLength = self.octets.count
    droppedPackets = 0
    comment = nil
    isFlagged = false
    priority = nil
    flags = 0
  }
}

/// What a receiver knows of a packet on the air.
package struct AirReception: Hashable, Sendable {
  /// Where the packet belongs; nil for one on a connection whose sender is not known.
  package var kind: CapturedAirPacket.Kind?
  /// The RF channel: k for 2402 + 2 k MHz (Core 5.4 Vol 6 Part A 2); nil when it is not known.
  package var rfChannel: UInt8?
  /// The physical layer: 1 for LE 1M, 2 for LE 2M, 3 for LE Coded.
  package var phy: UInt8 = 1
  /// Whether LE Coded is with S=2, and not with S=8.
  package var isCodedWithS2 = false
  /// How strongly it was received, in dBm, if that is known.
  package var signalStrength: Int8?
  /// The access address.
  package var accessAddress: UInt32 = 0
  /// The CRC behind the PDU, 24 bits, least significant octet first.
  package var crc: UInt32 = 0
  /// Whether the CRC is right; nil when nobody has looked.
  package var isCRCValid: Bool?
  /// Whether it was encrypted on the air and the octets are what it was before, without its message integrity check.
  package var isDecrypted = false

  /// The access address of all advertising but periodic (Core 5.4 Vol 6 Part B 2.1.2).
  package static let advertisingAccessAddress: UInt32 = 0x8E89_BED6

  /// A packet on LE 1M with that access address.
  package init(accessAddress: UInt32, kind: CapturedAirPacket.Kind? = nil) {
    self.accessAddress = accessAddress
    self.kind = kind ?? (accessAddress == Self.advertisingAccessAddress ? .advertising : nil)
  }
}
