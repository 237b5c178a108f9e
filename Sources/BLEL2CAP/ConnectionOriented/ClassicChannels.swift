import BLECore

/// All connection-oriented channels of one ACL-U link, and its signalling channel (Core 5.4 Vol 3 Part A 4 to 7). Channels are in Basic
/// Mode, in which each SDU is a B-frame, or in Enhanced Retransmission Mode. It is the same for the side that listens and the side that
/// opens.
///
/// `receiveSignalling` and `receiveFrame` process the peer's data. Sending is pull-based, as in `LinkChannels`: while the owner has room
/// for a packet and `hasPDU` is true, `writePDU` appends the next B-frame: signalling first, with the responses, then one SDU of each
/// channel in turn.
public struct ClassicChannels: Sendable {
  /// The maximum number of channels on a link.
  public static let maximumChannels = 32
  /// The longest C-frame that this side accepts, in octets (Core 5.4 Vol 3 Part A 4: MTUsig, at least 48).
  public static let signallingMTU = 672
  /// The longest C-frame that every peer accepts, in octets.
  static let minimumSignallingMTU = 48
  /// The time within which both sides must agree on a channel's configuration.
  public static let configurationTimeout = Duration.seconds(120)
  /// The time that the peer has to say which mode it asks for, on a channel that it opens and that allows several. Peers say so at once.
  static let modeTimeout = Duration.milliseconds(500)
  /// The number of refused Configuration Requests of either side after which a channel is closed.
  static let maximumRefusals = 4
  /// The number of responses that wait to be sent. While there are so many, further requests of the peer are ignored.
  static let maximumResponses = 64
  /// The number of the peer's requests that wait for the application's answer.
  static let maximumAuthorizations = 4

  /// The CIDs of these channels on this side.
  private static let ownCIDs =
    ChannelID.classicDynamicRange.lowerBound...ChannelID.classicCreditBasedRange.lowerBound - 1

  /// What this side answers to Information Requests.
  public var information: ClassicInformation

  var channels: [ClassicChannel] = []
  /// The requests of this side, in order: those not yet sent, and those that wait for their response.
  var requests: [ClassicRequest] = []
  /// Whole packets that answer the peer and have not been sent.
  var responses: [[UInt8]] = []
  /// The identifiers of this side's signalling packets.
  public var identifiers = SignallingIdentifiers()
  /// The CIDs on the peer's side that are not free, because credit-based channels of the link use them.
  public var foreignRemotes: [ChannelID] = []
  /// The channel whose turn it is to send.
  var turn = 0
  private var lastCID = Self.ownCIDs.upperBound

  /// Creates a link without channels.
  public init(information: ClassicInformation = ClassicInformation()) { self.information = information }

  // MARK: - Status

  /// The channels that are open, being opened, or being closed.
  public var all: [ClassicChannelStatus] { channels.map(\.status) }

  /// Returns the current state of a channel; nil if there is none with this CID.
  public func status(_ id: ChannelID) -> ClassicChannelStatus? { index(of: id).map { channels[$0].status } }

  /// The tickets of the application's outstanding answers.
  public var tickets: [AnswerTicket] {
    channels.compactMap { if case .authorizing(let ticket) = $0.state { ticket } else { nil } }
  }

  /// When `advance` next has something to do. The getter is mutating although it changes nothing: it runs after every read, and Swift
  /// copies large values that are only read.
  public var nextDeadline: Instant? {
    mutating get {
      var deadline: Instant?
      for request in requests { deadline = Instant.earliest(deadline, request.deadline) }
      for index in channels.indices {
        deadline = Instant.earliest(deadline, channels[index].configurationDeadline)
        deadline = Instant.earliest(deadline, channels[index].requestDeadline)
        deadline = Instant.earliest(deadline, channels[index].retransmission?.nextDeadline)
        if case .draining(let until) = channels[index].state { deadline = Instant.earliest(deadline, until) }
      }
      return deadline
    }
  }

  /// The CIDs on the peer's side.
  public var remotes: [ChannelID] { channels.map(\.remote) }

  // MARK: - Requests

  /// Opens a channel (Core 5.4 Vol 3 Part A 4.2). `opened` or `closed` reports the result. Nil if there are too many channels.
  public mutating func open(
    _ psm: PSM, parameters: ClassicChannelParameters = ClassicChannelParameters()
  ) -> ChannelID? {
    guard let id = add(psm, isIncoming: false, parameters: parameters) else { return nil }
    requests.append(ClassicRequest(kind: .connect, channel: id))
    return id
  }

  /// Queues an SDU on a channel. The octets are copied.
  public mutating func send(_ sdu: Span<UInt8>, on id: ChannelID) -> SDUSubmission {
    guard let index = index(of: id) else { return .notOpen }
    return channels[index].submit(sdu)
  }

  /// Asks the peer for information (Core 5.4 Vol 3 Part A 4.10). `informed` reports the answer. Returns false if this request is already
  /// waiting for its answer.
  public mutating func requestInformation(_ type: InformationType) -> Bool {
    guard !requests.contains(where: { $0.kind == .information(type) }) else { return false }
    requests.append(ClassicRequest(kind: .information(type)))
    return true
  }

  // MARK: - Bookkeeping

  /// Returns the index of a channel. A link has few channels, so a linear search is faster than any table.
  func index(of id: ChannelID) -> Int? {
    for index in channels.indices where channels[index].local == id { return index }
    return nil
  }

  /// Returns the index of the channel with this CID on the peer's side.
  func index(ofRemote id: ChannelID) -> Int? {
    for index in channels.indices where channels[index].remote == id { return index }
    return nil
  }

  /// Adds a channel with the next CID, so that a CID is not used again soon: a late packet for a former channel finds none.
  mutating func add(
    _ psm: PSM, remote: ChannelID = ChannelID(rawValue: 0), isIncoming: Bool, parameters: ClassicChannelParameters
  ) -> ChannelID? {
    guard channels.count < Self.maximumChannels else { return nil }
    repeat {
      lastCID = lastCID == Self.ownCIDs.upperBound ? Self.ownCIDs.lowerBound : lastCID + 1
    } while index(of: ChannelID(rawValue: lastCID)) != nil
    let local = ChannelID(rawValue: lastCID)
    channels.append(
      ClassicChannel(local: local, remote: remote, psm: psm, isIncoming: isIncoming, parameters: parameters))
    return local
  }

  /// Removes a channel with its requests, and reports its end.
  mutating func remove(_ index: Int, _ closure: ClassicChannelClosure, events: inout [ClassicChannelEvent]) {
    let channel = channels.remove(at: index)
    if index < turn { turn -= 1 }
    requests.removeAll { $0.channel == channel.local }
    // A request that waits for an answer has not become a channel.
    if case .authorizing = channel.state { return }
    events.append(
      .closed(channel.local, psm: channel.psm, channel.closure ?? closure, unsent: channel.queuedOctets))
  }

  /// Queues a response.
  mutating func respond(_ packet: some SignallingPacket, _ identifier: UInt8) {
    var buffer = OctetBuffer(minimumCapacity: 64)
    packet.encodePacket(identifier: identifier, into: &buffer)
    responses.append(buffer.copy())
  }

  /// Removes and returns this side's request with that identifier, if it is of this kind.
  mutating func takeRequest(_ kind: ClassicRequest.Kind, _ channel: ChannelID?, _ identifier: UInt8) -> Bool {
    guard let place = requests.firstIndex(where: { $0.matches(kind, channel, identifier) }) else { return false }
    requests.remove(at: place)
    return true
  }
}

/// A request of this side (Core 5.4 Vol 3 Part A 6.2).
struct ClassicRequest: Sendable {
  let kind: Kind
  /// The channel concerned, by its CID on this side.
  var channel: ChannelID?
  /// The identifier that the peer returns; 0 until it is sent.
  var identifier: UInt8 = 0
  /// When the wait for its response ends; nil until it is sent.
  var deadline: Instant?

  enum Kind: Hashable {
    case connect, configure, disconnect
    case information(InformationType)
  }

  /// Whether it has been sent.
  var isSent: Bool { identifier != 0 }

  /// Returns whether a response of this kind with this identifier belongs to this request.
  func matches(_ kind: Kind, _ channel: ChannelID?, _ identifier: UInt8) -> Bool {
    isSent && self.kind == kind && self.channel == channel && self.identifier == identifier
  }
}
