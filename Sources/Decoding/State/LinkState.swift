import BLEHCI

/// A request that waits for its response.
struct OpenRequest: Sendable {
  var opcode: UInt8
  var number: Int
  var nanoseconds: Int64
  /// The attribute, or the first of a range.
  var attribute: UInt16
  /// The type of what is looked for, as far as it has a 16-bit form.
  var type: UInt16?
  /// The whole type of a Read By Type Request, in octets.
  var typeOctets: [UInt8] = []
  /// The value of a Find By Type Value Request.
  var soughtValue: [UInt8] = []
}

/// One ATT bearer: each side may have a request and an indication open.
struct BearerState: Sendable {
  /// By who asked.
  var requests: [OpenRequest?] = [nil, nil]
  /// By who indicated.
  var indications: [OpenRequest?] = [nil, nil]
}

/// One direction of a credit-based channel.
struct ChannelState: Sendable {
  var psm: UInt16
  /// The bearer that it is of, where it is one: the end of whoever asked for it. Of both directions the same.
  var bearer: UInt32
  var mtu: UInt16
  /// How long the SDU is that is put together, and what there is of it.
  var sduLength = 0
  var sdu: [UInt8] = []

  var isATT: Bool { psm == 0x0027 }
}

/// A request to open channels that waits for its answer.
struct ChannelRequest: Sendable {
  var psm: UInt16
  var mtu: UInt16
  var sources: [UInt16]
  var number: Int
  var nanoseconds: Int64
}

/// What is kept of one connection. Everything in it is bounded.
struct LinkState: Sendable {
  static let channelLimit = 256
  /// All SDUs of a link that are not whole yet take at most so many octets.
  static let sduLimit = 1 << 20
  static let requestLimit = 32

  var key: UInt64
  /// The peer, on HCI.
  var address: UInt64?
  /// When it was last heard of, in packets.
  var lastNumber = 0
  var recombiners = [ACLRecombiner(), ACLRecombiner()]
  /// The place of the database of either side's server.
  var tables: [Int]
  var bearer = BearerState()
  var bearers: [UInt32: BearerState] = [:]
  /// By who receives it and its channel's number there.
  var channels: [UInt32: ChannelState] = [:]
  /// How many octets of SDUs that are not whole yet there are.
  var sduOctets = 0
  /// By who asked and the identifier.
  var channelRequests: [UInt16: ChannelRequest] = [:]
  var signallingRequests: [UInt16: (number: Int, nanoseconds: Int64)] = [:]
  /// The place of the pairing that goes on in the list of all.
  var pairing: Int?
  /// On the air: what was sent last by either side, to know repetitions.
  var lastSequence: [(bit: UInt8, octets: [UInt8])?] = [nil, nil]
  var isEncrypted = false
  /// What the ANCS Data Source answers to the last request.
  var response: SplicedResponse?
  /// On the air, where receivers do not say who sends: who sent last, and when that ended.
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
