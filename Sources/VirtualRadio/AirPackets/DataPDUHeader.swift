import BLECore

/// The header of a PDU on a connection (Core 5.4 Vol 6 Part B 2.4).
struct DataPDUHeader: OctetLayout, Hashable {
  /// LLID, two bits.
  struct Kind: OpenCode {
    var rawValue: UInt8
    /// The continuation of an L2CAP message, or an empty PDU.
    static let continuation = Kind(rawValue: 0b01)
    /// The start of an L2CAP message.
    static let start = Kind(rawValue: 0b10)
    /// An LL Control PDU.
    static let control = Kind(rawValue: 0b11)
  }

  var kind = Kind.continuation
  /// NESN.
  var nextExpected = false
  /// SN.
  var sequence = false
  /// MD.
  var hasMoreData = false
  var length: UInt8 = 0

  init() {}

  init(_ packet: LinkPacket) {
    switch packet.payload {
    case .data(let fragment): kind = fragment.isStart ? .start : .continuation
    case .control: kind = .control
    case .empty: kind = .continuation
    }
    nextExpected = packet.expected
    sequence = packet.sequence
    hasMoreData = packet.moreData
    length = UInt8(clamping: packet.payload.length)
  }

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var first = kind.rawValue & 0b11
    if nextExpected { first |= 1 << 2 }
    if sequence { first |= 1 << 3 }
    if hasMoreData { first |= 1 << 4 }
    try fields.integer("LLID, NESN, SN, MD", &first)
    kind = Kind(rawValue: first & 0b11)
    nextExpected = first & 1 << 2 != 0
    sequence = first & 1 << 3 != 0
    hasMoreData = first & 1 << 4 != 0
    try fields.integer("Length", &length)
  }
}

extension LinkPacket {
  /// The PDU as sent on the air.
  var pdu: [UInt8] {
    let header = DataPDUHeader(self).encoded
    switch payload {
    case .empty: return header
    case .data(let fragment): return header + fragment.octets
    case .control(let pdu): return header + pdu.octets
    }
  }
}
