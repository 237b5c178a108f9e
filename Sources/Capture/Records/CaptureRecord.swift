/// A record of a capture file of any format: a packet, or a message about the capture.
///
/// Readers reuse one record, so that a record costs no allocation as long as nobody keeps a copy.
package struct CaptureRecord: Hashable, Sendable {
  /// The contents of a record.
  package enum Content: Hashable, Sendable {
    /// A packet between a host and its controller, starting with its H4 type (Core 5.4 Vol 4 Part A 2).
    case hci(CapturedPacket.Direction)
    /// A packet on the air: the PDU, starting with its header of two octets, without access address and CRC.
    case air(AirReception)
    /// A message about the capture. Its text is UTF-8, unless its writer violated that.
    case message(Message)
  }

  /// The subject of a message.
  package enum Message: Hashable, Sendable {
    /// A remark of a person who made or read the capture.
    case note
    /// A log entry of a system or program.
    case log
    /// A failure.
    case error
    /// Power states.
    case power
    /// The configuration of the capture or the host.
    case configuration
    /// A controller appeared, disappeared, or was opened or closed.
    case controller
    /// Another subject, with its number in the format.
    case other(UInt16)
  }

  /// The wall clock: nanoseconds since 1970-01-01 00:00 UTC.
  package var nanoseconds: Int64 = 0
  /// The controller or interface. Handles of different sources are unrelated.
  package var source: UInt32 = 0
  /// The kind of contents.
  package var content = Content.message(.note)
  /// The packet or the text, as far as it was stored.
  package var octets: [UInt8] = []
  /// The original length of the packet in octets, including its H4 type or PDU header. Larger than the stored length if the capture
  /// truncates packets.
  package var originalLength = 0
  /// The number of the source's packets lost so far, if the format has it.
  package var droppedPackets: UInt64 = 0
  /// The comment on the packet. Several comments have a line each.
  package var comment: String?
  /// Whether the packet is flagged, to find it again.
  package var isFlagged = false
  /// The syslog priority of a logged message (RFC 5424 6.2.1), if the format has one.
  package var priority: UInt8?
  /// pcapng's `epb_flags` of the packet: direction, kind of reception, link-layer errors; 0 for none.
  package var flags: UInt32 = 0

  /// Creates a record without octets.
  package init() {}

  /// Creates a record of octets.
  package init(_ content: Content, nanoseconds: Int64 = 0, source: UInt32 = 0, octets: [UInt8], comment: String? = nil)
  {
    self.content = content
    self.nanoseconds = nanoseconds
    self.source = source
    self.octets = octets
    self.comment = comment
    originalLength = octets.count
  }

  /// Creates a record of a packet between a host and its controller.
  package init(_ packet: CapturedPacket) {
    self.init(
      .hci(packet.direction), nanoseconds: packet.microseconds.nanoseconds(inUnitsOf: 1000), octets: packet.octets)
  }

  /// Fills the record with `octets`, without any other data about them.
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

/// The reception data of a packet on the air.
package struct AirReception: Hashable, Sendable {
  /// The kind of the packet; nil if it is on a connection and its sender is unknown.
  package var kind: CapturedAirPacket.Kind?
  /// The RF channel: k for 2402 + 2 k MHz (Core 5.4 Vol 6 Part A 2); nil if unknown.
  package var rfChannel: UInt8?
  /// The physical layer: 1 for LE 1M, 2 for LE 2M, 3 for LE Coded.
  package var phy: UInt8 = 1
  /// Whether LE Coded uses S=2 instead of S=8.
  package var isCodedWithS2 = false
  /// The received signal strength, in dBm, if known.
  package var signalStrength: Int8?
  /// The access address.
  package var accessAddress: UInt32 = 0
  /// The CRC after the PDU, 24 bits, least significant octet first.
  package var crc: UInt32 = 0
  /// Whether the CRC is valid; nil if it was not checked.
  package var isCRCValid: Bool?
  /// Whether it was encrypted on the air, and the octets are the plain text without its message integrity check.
  package var isDecrypted = false

  /// The access address of all advertising except periodic advertising (Core 5.4 Vol 6 Part B 2.1.2).
  package static let advertisingAccessAddress: UInt32 = 0x8E89_BED6

  /// Creates a packet on LE 1M with this access address.
  package init(accessAddress: UInt32, kind: CapturedAirPacket.Kind? = nil) {
    self.accessAddress = accessAddress
    self.kind = kind ?? (accessAddress == Self.advertisingAccessAddress ? .advertising : nil)
  }
}
