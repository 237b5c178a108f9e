import Capture

/// The uppermost layer that a record was decoded to.
package enum PacketLayer: String, Hashable, Sendable, CaseIterable {
  /// An HCI command.
  case command
  /// An HCI event.
  case event
  /// ACL data that completes no PDU.
  case acl
  /// Synchronous data.
  case sco
  /// Isochronous data.
  case iso
  /// An L2CAP PDU of an unknown channel.
  case l2cap
  /// L2CAP signalling.
  case signalling
  /// A K-frame of a credit-based channel.
  case channel
  /// The Attribute Protocol, on its fixed channel or an enhanced bearer.
  case att
  /// The Security Manager Protocol.
  case smp
  /// The Service Discovery Protocol.
  case sdp
  /// RFCOMM.
  case rfcomm
  /// The Audio/Video Distribution Transport Protocol: its signals, and media.
  case avdtp
  /// The Audio/Video Control Transport Protocol, and AVRCP in it.
  case avctp
  /// The Human Interface Device Profile.
  case hid
  /// The Bluetooth Network Encapsulation Protocol.
  case bnep
  /// A packet on the advertising channels.
  case advertising
  /// A link-layer control PDU.
  case linkControl = "ll"
  /// A link-layer data PDU that completes nothing: empty, a fragment, repeated, or encrypted.
  case linkData = "lldata"
  /// A message about the capture.
  case message
  /// Not a known packet.
  case unknown
}

extension PacketLayer {
  /// Whether it is ACL data on HCI, or something in it.
  package var isACL: Bool {
    switch self {
    case .acl, .l2cap, .signalling, .channel, .att, .smp, .sdp, .rfcomm, .avdtp, .avctp, .hid, .bnep: true
    case .command, .event, .sco, .iso, .advertising, .linkControl, .linkData, .message, .unknown: false
    }
  }

  /// Whether it is a protocol above L2CAP that only BR/EDR has.
  package var isClassic: Bool {
    switch self {
    case .sdp, .rfcomm, .avdtp, .avctp, .hid, .bnep: true
    default: false
    }
  }
}

/// The sender of a packet: on HCI the host or its controller; on the air the central (or the advertiser's peer) or the peripheral.
package enum PacketSender: Int, Hashable, Sendable {
  /// The host; on a connection on the air, the central.
  case host = 0
  /// The controller, and therefore mostly the peer; on a connection on the air, the peripheral.
  case peer = 1

  /// The other sender.
  package var other: PacketSender { self == .host ? .peer : .host }
}

/// The numeric summary of a record: cheap enough for every packet of a long capture. `PacketDecoder` creates texts and trees from it.
package struct PacketSummary: Sendable {
  /// The location of octets.
  package enum Place: Hashable, Sendable {
    /// In the record's octets.
    case record(Range<Int>)
    /// Assembled from several packets.
    case assembled([UInt8])
  }

  /// A fault of a packet.
  package enum Fault: String, Hashable, Sendable {
    /// It is too short or too long for its layer, or its lengths are inconsistent.
    case malformed
    /// Its PDU could not be reassembled: a part is missing, or there are too many octets.
    case recombination
    /// A response without a request, or to a different request.
    case unexpectedResponse
    /// Its CRC is wrong.
    case crc
  }

  /// The number, counted from 1.
  package var number = 0
  /// The wall clock: nanoseconds since 1970-01-01 00:00 UTC.
  package var nanoseconds: Int64 = 0
  /// The controller or interface.
  package var source: UInt32 = 0
  /// The uppermost layer.
  package var layer = PacketLayer.unknown
  /// The sender.
  package var sender = PacketSender.host
  /// Whether it was on the air, not between a host and its controller.
  package var isOnAir = false
  /// The connection on HCI.
  package var handle: UInt16?
  /// The access address on the air.
  package var accessAddress: UInt32?
  /// The peer's address, 48 bits, or an advertiser's.
  package var address: UInt64?
  /// The number of the PDU, command or event in its layer; for LE Meta events the subevent, with 0x3E00.
  package var opcode: UInt16 = 0
  /// For Command Complete and Command Status, the command; for an Error Response, the request.
  package var command: UInt16?
  /// A status, error or reason, if it has one.
  package var status: UInt8?
  /// The L2CAP channel.
  package var channel: UInt16?
  /// The attribute's handle.
  package var attribute: UInt16?
  /// The attribute in a known database, if any.
  package var attributeIndex: AttributePlace?
  /// The octets of the uppermost PDU.
  package var pdu = Place.record(0..<0)
  /// The range of the attribute's value, or of a K-frame's or SDU's data, in the PDU.
  package var value = 0..<0
  /// The number of its request, command or pairing.
  package var request: Int?
  /// The time since that request or command.
  package var latency: Int64?
  /// A whole SDU that this K-frame completes, or the whole attribute lists of an SDP response.
  package var sdu: [UInt8]?
  /// The fault.
  package var fault: Fault?

  /// Whether the host or the central sent it.
  package var isSent: Bool { sender == .host }

  /// Returns the uppermost PDU's octets, given its record.
  package func octets(in record: CaptureRecord) -> ArraySlice<UInt8> {
    switch pdu {
    case .record(let range): record.octets[range.clamped(to: record.octets.indices)]
    case .assembled(let octets): octets[...]
    }
  }

  /// Returns the octets of the attribute's value, or of the channel's data.
  package func valueOctets(in record: CaptureRecord) -> ArraySlice<UInt8> {
    let octets = octets(in: record)
    let start = octets.startIndex + min(value.lowerBound, octets.count)
    return octets[start..<octets.startIndex + min(value.upperBound, octets.count)]
  }
}

/// The position of a known attribute: its database and its handle.
package struct AttributePlace: Hashable, Sendable {
  var table: Int
  package var handle: UInt16
}
