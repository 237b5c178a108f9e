import BLECore

/// All credit-based channels of one link, and its signalling channel (Core 5.4 Vol 3 Part A 4, 10.1, 10.2). It is the same for the side
/// that listens and the side that opens.
///
/// `receiveSignalling` and `receiveFrame` process the peer's data. Sending is pull-based: while the owner has room for a packet and
/// `hasPDU` is true, `writePDU` appends the next B-frame: signalling first, then one K-frame of each channel in turn. So no channel takes
/// more of the controller's buffers than the owner allows:
///
/// ```swift
/// while scheduler.isReady(handle), channels.hasPDU {
///   let mark = scheduler.beginPDU(handle, into: &octets)
///   _ = channels.writePDU(at: now, into: &octets, events: &events)
///   scheduler.endPDU(mark, in: &octets)
/// }
/// ```
public struct LinkChannels: Sendable {
  /// The maximum number of channels on a link: one for each dynamic CID of LE.
  public static let maximumChannels = ChannelID.dynamicRange.count
  /// The time that a closing channel waits for credits to send the rest of its data.
  public static let drainLimit = Duration.seconds(30)
  /// The maximum number of the peer's requests that wait for the application's answer.
  static let maximumAuthorizations = 4

  /// Whether the link is over BR/EDR (ACL-U). There, all channels are opened by enhanced requests, and the signalling channel is shared with
  /// `ClassicChannels`.
  public let isClassic: Bool
  /// The CIDs on the peer's side that are not free, because connection-oriented channels of the link use them.
  public var foreignRemotes: [ChannelID] = []
  /// The link's signalling channel.
  public internal(set) var signalling: SignallingChannel
  var channels: [CreditBasedChannel] = []
  /// The requests of this side, in order: those not yet sent, and those that wait for their response.
  var requests: [PendingRequest] = []
  /// The peer's requests that wait for the application's answer.
  var authorizations: [OpenAuthorization] = []
  /// The responses to answered requests that have not been sent.
  var responses: [ReadyResponse] = []
  /// Whether the signalling channel may have something to send.
  var hasSignalling = false
  /// The channel whose turn it is to send.
  var turn = 0

  /// Creates a link without channels.
  public init(role: SignallingChannel.Role = .peripheral, isClassic: Bool = false) {
    signalling = SignallingChannel(role: role)
    self.isClassic = isClassic
  }

  /// The identifiers of this side's signalling packets.
  public var identifiers: SignallingIdentifiers {
    get { signalling.identifiers }
    set { signalling.identifiers = newValue }
  }

  // MARK: - Status

  /// The channels that are open, being opened, or being closed.
  public var all: [ChannelStatus] { channels.lazy.filter { !$0.isReported }.map(\.status) }

  /// Returns the current state of a channel; nil if there is none with this CID.
  public func status(_ id: ChannelID) -> ChannelStatus? {
    index(of: id).flatMap { channels[$0].isReported ? nil : channels[$0].status }
  }

  /// Returns the number of SDU octets that wait to be sent on a channel.
  public func queuedOctets(_ id: ChannelID) -> Int { index(of: id).map { channels[$0].queuedOctets } ?? 0 }

  /// The tickets of the application's outstanding answers.
  public var tickets: [AnswerTicket] { authorizations.map(\.ticket) }

  /// When `advance` next has something to do. The getter is mutating although it changes nothing: it runs after every read, and Swift
  /// copies large values that are only read.
  public var nextDeadline: Instant? {
    mutating get {
      var deadline = signalling.deadline
      for request in requests { deadline = Instant.earliest(deadline, request.deadline) }
      for index in channels.indices {
        if case .draining(let until) = channels[index].state { deadline = Instant.earliest(deadline, until) }
      }
      return deadline
    }
  }

  /// The CIDs on the peer's side.
  public var remotes: [ChannelID] { channels.map(\.remote) }

  // MARK: - Requests

  /// Opens a channel (Core 5.4 Vol 3 Part A 4.22). `opened` or `closed` reports the result. Nil if no CID is free.
  public mutating func open(_ psm: SPSM, parameters: ChannelParameters) -> ChannelID? {
    guard !isClassic else { return openEnhanced(psm, count: 1, parameters: parameters).first }
    guard let id = add(psm, isIncoming: false, isEnhanced: false, parameters: parameters) else { return nil }
    request(.open, for: [id])
    return id
  }

  /// Opens one to five channels with one request (Core 5.4 Vol 3 Part A 4.25), which peers support since Core 5.2. Each is reported
  /// separately. Opens fewer than requested if CIDs run out.
  public mutating func openEnhanced(_ psm: SPSM, count: Int, parameters: ChannelParameters) -> [ChannelID] {
    var ids: [ChannelID] = []
    for _ in 0..<min(max(count, 0), CreditBasedConnectionRequest.maximumChannels) {
      guard let id = add(psm, isIncoming: false, isEnhanced: true, parameters: parameters.enhanced) else { break }
      ids.append(id)
    }
    if !ids.isEmpty { request(.openEnhanced, for: ids) }
    return ids
  }

  /// Queues an SDU on a channel. The octets are copied.
  public mutating func send(_ sdu: Span<UInt8>, on id: ChannelID) -> SDUSubmission {
    guard let index = index(of: id) else { return .notOpen }
    return channels[index].submit(sdu)
  }

  /// Returns whether an SDU queued on a channel now would be sent without delay: the peer's credits suffice, and little data is queued.
  public func hasRoom(_ id: ChannelID) -> Bool { index(of: id).map { channels[$0].hasRoom } ?? false }

  /// Holds the peer back: it can use its remaining credits, but gets no more until it is released.
  public mutating func hold(_ id: ChannelID, _ isHeld: Bool = true) {
    guard let index = index(of: id) else { return }
    channels[index].hold(isHeld)
    if channels[index].wantsCreditsReturned { hasSignalling = true }
  }

  /// Gives the peer more credits than its channel's policy, at once and permanently.
  public mutating func giveCredits(_ frames: Int, on id: ChannelID) {
    guard let index = index(of: id), channels[index].isCarrying else { return }
    channels[index].widen(by: frames)
    if channels[index].wantsCreditsReturned { hasSignalling = true }
  }

  /// Takes back the array of an SDU (`FrameOutcome.assembled`), so that the next one needs no allocation.
  public mutating func recycle(_ sdu: consuming [UInt8], on id: ChannelID) {
    guard let index = index(of: id) else { return }
    channels[index].recycle(sdu)
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

  /// The CIDs of these channels on this side.
  var ownCIDs: ClosedRange<UInt16> { isClassic ? ChannelID.classicCreditBasedRange : ChannelID.dynamicRange }

  /// Returns whether a channel with this CID on this side is one of these, if there is one.
  public func owns(_ local: ChannelID) -> Bool { ownCIDs.contains(local.rawValue) }

  /// Returns whether a CID of the peer is a dynamic one of the link's transport.
  func isDynamic(_ remote: ChannelID) -> Bool { isClassic ? remote.isClassicDynamic : remote.isDynamic }

  /// Adds a channel with the lowest free CID.
  mutating func add(
    _ psm: SPSM, remote: ChannelID = ChannelID(rawValue: 0), isIncoming: Bool, isEnhanced: Bool,
    parameters: ChannelParameters
  ) -> ChannelID? {
    let free = ownCIDs.first { index(of: ChannelID(rawValue: $0)) == nil }
    guard let local = free.map({ ChannelID(rawValue: $0) }) else { return nil }
    channels.append(
      CreditBasedChannel(
        local: local, remote: remote, psm: psm, isIncoming: isIncoming, isEnhanced: isEnhanced, parameters: parameters))
    return local
  }

  /// Removes a channel and reports its end, unless it has been reported.
  mutating func remove(_ index: Int, _ closure: ChannelClosure, events: inout [ChannelEvent]) {
    let channel = channels.remove(at: index)
    if index < turn { turn -= 1 }
    for place in requests.indices where !requests[place].isSent || requests[place].kind == .disconnect {
      requests[place].channels.removeAll { $0 == channel.local }
    }
    requests.removeAll { $0.channels.isEmpty }
    report(channel, closure, events: &events)
  }

  func report(_ channel: CreditBasedChannel, _ closure: ChannelClosure, events: inout [ChannelEvent]) {
    guard !channel.isReported else { return }
    events.append(
      .closed(channel.local, psm: channel.psm, channel.closure ?? closure, unsent: channel.queuedOctets))
  }
}
