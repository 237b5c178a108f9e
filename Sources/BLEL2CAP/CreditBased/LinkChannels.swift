import BLECore

/// All credit-based channels of one link, and its signalling channel (Core 5.4 Vol 3 Part A 4, 10.1, 10.2). The same for the
/// side that listens and the side that opens.
///
/// What the peer sends goes in at `receiveSignalling` and `receiveFrame`. What is to be sent is pulled: as long as the owner
/// has room for a packet and `hasPDU`, `writePDU` appends the next B-frame: signalling first, then one K-frame of each channel
/// in turn. So no channel takes more of the controller's buffers than the owner leaves it:
///
/// ```swift
/// while scheduler.isReady(handle), channels.hasPDU {
///   let mark = scheduler.beginPDU(handle, into: &octets)
///   _ = channels.writePDU(at: now, into: &octets, events: &events)
///   scheduler.endPDU(mark, in: &octets)
/// }
/// ```
public struct LinkChannels: Sendable {
  /// How many channels a link can have: one for each dynamic CID of LE.
  public static let maximumChannels = ChannelID.dynamicRange.count
  /// How long a channel that is closed waits for credits to send what is left.
  public static let drainLimit = Duration.seconds(30)
  /// How many of the peer's requests may wait for the application's answer.
  static let maximumAuthorizations = 4

  /// The link's signalling channel.
  public internal(set) var signalling: SignallingChannel
  var channels: [CreditBasedChannel] = []
  /// Our requests, in order: those that are not sent yet, and those that wait for their answer.
  var requests: [PendingRequest] = []
  /// The peer's requests that wait for the application's answer.
  var authorizations: [OpenAuthorization] = []
  /// The responses to those that have been answered, which are not sent yet.
  var responses: [ReadyResponse] = []
  /// Whether there may be something to send on the signalling channel.
  var hasSignalling = false
  /// The channel whose turn it is to send.
  var turn = 0

  /// A link without channels.
  public init(role: SignallingChannel.Role = .peripheral) { signalling = SignallingChannel(role: role) }

  // MARK: - What is there

  /// The channels that are open, being opened, or being closed.
  public var all: [ChannelStatus] { channels.lazy.filter { !$0.isReported }.map(\.status) }

  /// A channel as it is now; nil when there is none of that name.
  public func status(_ id: ChannelID) -> ChannelStatus? {
    index(of: id).flatMap { channels[$0].isReported ? nil : channels[$0].status }
  }

  /// How many octets of SDUs wait to be sent on a channel.
  public func queuedOctets(_ id: ChannelID) -> Int { index(of: id).map { channels[$0].queuedOctets } ?? 0 }

  /// The tickets of what the application answers later.
  public var tickets: [AnswerTicket] { authorizations.map(\.ticket) }

  /// When `advance` has something to do next. It changes nothing, but is asked after every read, and what is only read is copied.
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

  // MARK: - Requests

  /// Opens a channel (Core 5.4 Vol 3 Part A 4.22); `opened` or `closed` says how it went. Nil when no CID is free.
  public mutating func open(_ psm: SPSM, parameters: ChannelParameters) -> ChannelID? {
    guard let id = add(psm, isIncoming: false, isEnhanced: false, parameters: parameters) else { return nil }
    request(.open, for: [id])
    return id
  }

  /// Opens one to five channels with one request (Core 5.4 Vol 3 Part A 4.25), which peers answer since Core 5.2; each is
  /// reported on its own. Fewer than asked for when no more CIDs are free.
  public mutating func openEnhanced(_ psm: SPSM, count: Int, parameters: ChannelParameters) -> [ChannelID] {
    var ids: [ChannelID] = []
    for _ in 0..<min(max(count, 0), CreditBasedConnectionRequest.maximumChannels) {
      guard let id = add(psm, isIncoming: false, isEnhanced: true, parameters: parameters.enhanced) else { break }
      ids.append(id)
    }
    if !ids.isEmpty { request(.openEnhanced, for: ids) }
    return ids
  }

  /// Gives a channel an SDU to send. The octets are copied.
  public mutating func send(_ sdu: Span<UInt8>, on id: ChannelID) -> SDUSubmission {
    guard let index = index(of: id) else { return .notOpen }
    return channels[index].submit(sdu)
  }

  /// Whether an SDU that is given to a channel now is sent as soon as packets are: the peer's credits go so far, and little waits.
  public func hasRoom(_ id: ChannelID) -> Bool { index(of: id).map { channels[$0].hasRoom } ?? false }

  /// Holds the peer back: what it may still send comes in, but it gets no more credits until it is let go again.
  public mutating func hold(_ id: ChannelID, _ isHeld: Bool = true) {
    guard let index = index(of: id) else { return }
    channels[index].hold(isHeld)
    if channels[index].wantsCreditsReturned { hasSignalling = true }
  }

  /// Gives the peer more credits than its channel's policy says, at once and for good.
  public mutating func giveCredits(_ frames: Int, on id: ChannelID) {
    guard let index = index(of: id), channels[index].isCarrying else { return }
    channels[index].widen(by: frames)
    if channels[index].wantsCreditsReturned { hasSignalling = true }
  }

  /// Takes back the array of an SDU (`FrameOutcome.assembled`), so that the next one needs no memory.
  public mutating func recycle(_ sdu: consuming [UInt8], on id: ChannelID) {
    guard let index = index(of: id) else { return }
    channels[index].recycle(sdu)
  }

  // MARK: - Bookkeeping

  /// A link has few channels, so that looking through them is faster than any table.
  func index(of id: ChannelID) -> Int? {
    for index in channels.indices where channels[index].local == id { return index }
    return nil
  }

  /// The channel with that end on the peer's side.
  func index(ofRemote id: ChannelID) -> Int? {
    for index in channels.indices where channels[index].remote == id { return index }
    return nil
  }

  /// Adds a channel under the lowest free CID.
  mutating func add(
    _ psm: SPSM, remote: ChannelID = ChannelID(rawValue: 0), isIncoming: Bool, isEnhanced: Bool,
    parameters: ChannelParameters
  ) -> ChannelID? {
    let free = ChannelID.dynamicRange.first { index(of: ChannelID(rawValue: $0)) == nil }
    guard let local = free.map({ ChannelID(rawValue: $0) }) else { return nil }
    channels.append(
      CreditBasedChannel(
        local: local, remote: remote, psm: psm, isIncoming: isIncoming, isEnhanced: isEnhanced, parameters: parameters))
    return local
  }

  /// Takes a channel away and reports its end, unless that has been done.
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
