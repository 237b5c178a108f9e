import BLEHCI

/// A request that waits for its response.
struct OpenRequest: Sendable {
  var opcode: UInt8
  var number: Int
  var nanoseconds: Int64
  /// The attribute, or the first of a range.
  var attribute: UInt16
  /// The type searched for, if it has a 16-bit form.
  var type: UInt16?
  /// The whole type in a Read By Type Request.
  var typeOctets: [UInt8] = []
  /// The value of a Find By Type Value Request.
  var soughtValue: [UInt8] = []
}

/// The state of an ATT bearer: each side may have a request and an indication open.
struct BearerState: Sendable {
  /// The requests by sender.
  var requests: [OpenRequest?] = [nil, nil]
  /// The indications by sender.
  var indications: [OpenRequest?] = [nil, nil]
}

/// The state of one direction of a credit-based or connection-oriented channel.
struct ChannelState: Sendable {
  var psm: UInt16
  /// The bearer, if it is one: the CID on the side that requested it. The same for both directions.
  var bearer: UInt32
  var mtu: UInt16
  /// The length of the SDU being assembled, and its octets so far.
  var sduLength = 0
  var sdu: [UInt8] = []

  /// The protocol on a channel of BR/EDR; nil for unknown ones, and for credit-based channels.
  var classic: ClassicProtocol?
  /// The frames of a channel of BR/EDR; nil for credit-based channels.
  var frames: ClassicFrames?
  /// The other direction of the channel.
  var other: UInt32
  /// The parts of attribute lists so far, if they are answered in several.
  var parts: [UInt8] = []

  var isATT: Bool { psm == 0x0027 }

  init(psm: UInt16, bearer: UInt32, mtu: UInt16, other: UInt32) {
    self.psm = psm
    self.bearer = bearer
    self.mtu = mtu
    self.other = other
  }

  /// The octets that are kept of its data.
  var kept: Int { sdu.count + parts.count }
}

/// The frames of a connection-oriented channel of BR/EDR, as its sides have configured them (Core 5.4 Vol 3 Part A 3.1, 3.3).
struct ClassicFrames: Sendable {
  /// Whether frames have a control field: in every mode except Basic Mode.
  var hasControl = false
  /// Whether the control field has four octets.
  var isExtended = false
  /// Whether the host and the peer do without a check sequence.
  var isHostCheckless = false
  var isPeerCheckless = false

  /// Whether frames with a control field end with a check sequence.
  var hasCheck: Bool { !isHostCheckless || !isPeerCheckless }
}

/// A request to open channels that waits for its response.
struct ChannelRequest: Sendable {
  var psm: UInt16
  var mtu: UInt16
  var sources: [UInt16]
  var number: Int
  var nanoseconds: Int64
}

/// The state of one connection. Everything in it is bounded.
struct LinkState: Sendable {
  static let channelLimit = 256
  /// The maximum total size of a link's incomplete SDUs, in octets.
  static let sduLimit = 1 << 20
  static let requestLimit = 32

  var key: UInt64
  /// The peer's address, on HCI.
  var address: UInt64?
  /// The number of the last packet.
  var lastNumber = 0
  var recombiners = [ACLRecombiner(), ACLRecombiner()]
  /// The position of each side's server database.
  var tables: [Int]
  var bearer = BearerState()
  var bearers: [UInt32: BearerState] = [:]
  /// The channels by receiver and the receiver's CID.
  var channels: [UInt32: ChannelState] = [:]
  /// The total octets of incomplete SDUs.
  var sduOctets = 0
  /// The requests by sender and identifier.
  var channelRequests: [UInt16: ChannelRequest] = [:]
  var signallingRequests: [UInt16: (number: Int, nanoseconds: Int64)] = [:]
  /// The open transactions of protocols of BR/EDR, by channel, asker and transaction.
  var transactions: [UInt64: (number: Int, nanoseconds: Int64)] = [:]
  /// The position of the current pairing in the list of all.
  var pairing: Int?
  /// On the air: the last PDU of each side, to detect retransmissions.
  var lastSequence: [(bit: UInt8, octets: [UInt8])?] = [nil, nil]
  var isEncrypted = false
  /// The response of the ANCS Data Source to the latest request.
  var response: SplicedResponse?
  /// On the air, if receivers do not report the sender: the last sender, and the end of its packet.
  var lastOnAir: (sender: PacketSender, end: Int64)?

  init(key: UInt64, tables: [Int]) {
    self.key = key
    self.tables = tables
  }

  static func channelKey(_ receiver: PacketSender, _ cid: UInt16) -> UInt32 {
    UInt32(receiver.rawValue) << 16 | UInt32(cid)
  }
  static func requestKey(_ asker: PacketSender, _ identifier: UInt8) -> UInt16 {
    UInt16(asker.rawValue) << 8 | UInt16(identifier)
  }
}
