import BLECore

/// A connection-oriented channel (Core 5.4 Vol 3 Part A 6.1): its state, its configuration in both directions, and data to send.
struct ClassicChannel: Sendable {
  /// Its CID on this side.
  let local: ChannelID
  /// Its CID on the peer's side; 0 until the peer has sent it.
  var remote: ChannelID
  let psm: PSM
  let isIncoming: Bool
  /// The identifier of the peer's request; 0 on channels of this side.
  var identifier: UInt8 = 0
  let parameters: ClassicChannelParameters
  var state: State
  /// The reason why it closes.
  var closure: ClassicChannelClosure?
  /// Whether it has been reported as open.
  var isReported = false

  /// The configuration of what this side receives, which it requests.
  var inbound = InboundConfiguration()
  /// The configuration of what this side sends, which the peer requests.
  var outbound = OutboundConfiguration()
  /// When the configuration must be complete.
  var configurationDeadline: Instant?
  /// When this side sends its request, although it does not know yet which mode the peer asks for; nil once it has.
  var requestDeadline: Instant?
  /// The mode that this side asks for, or that both have agreed on.
  var mode: ChannelMode
  var negotiation: RetransmissionNegotiation
  /// The state of Enhanced Retransmission Mode; nil in Basic Mode, and unless the channel carries data.
  var retransmission: EnhancedRetransmission?

  var receiveMTU: Int
  var sendMTU = Int(MTUOption.defaultMTU)
  private var queue = SDUQueue()
  /// Whether the queue has been full and has not drained enough since.
  private var isFull = false
  private(set) var sent = ChannelTraffic()
  var received = ChannelTraffic()

  /// The state of a channel (Core 5.4 Vol 3 Part A 6.1).
  enum State: Hashable {
    /// This side has requested it, and the peer has not answered (WAIT_CONNECT_RSP).
    case connecting
    /// The peer has requested it, and the application decides (WAIT_CONNECT).
    case authorizing(AnswerTicket)
    /// Both sides agree on its configuration (CONFIG).
    case configuring
    case open
    /// It closes when its queue is empty, or at this instant.
    case draining(until: Instant)
    /// The peer has been asked to close it (WAIT_DISCONNECT).
    case disconnecting
  }

  /// This side's Configuration Request.
  struct InboundConfiguration: Sendable {
    var isAccepted = false
    /// How often it has been refused.
    var refusals = 0
    /// Whether the request has the MTU option.
    var statesMTU = true
    /// The value of the MTU option that the peer proposes.
    var proposal: UInt16?
  }

  /// The peer's Configuration Requests.
  struct OutboundConfiguration: Sendable {
    var isAccepted = false
    /// How often one has been refused.
    var refusals = 0
    /// Whether another mode than this side's has been refused.
    var hasRefusedMode = false
    /// The options of requests that say that others follow.
    var options: [ConfigurationOption] = []
  }

  init(local: ChannelID, remote: ChannelID, psm: PSM, isIncoming: Bool, parameters: ClassicChannelParameters) {
    self.local = local
    self.remote = remote
    self.psm = psm
    self.isIncoming = isIncoming
    self.parameters = parameters
    state = .connecting
    mode = parameters.mode == .retransmission ? .enhancedRetransmission : .basic
    negotiation = RetransmissionNegotiation(parameters.retransmission)
    receiveMTU = parameters.mtu
  }

  /// Whether it carries data to the peer.
  var isCarrying: Bool {
    switch state {
    case .open, .draining: true
    case .connecting, .authorizing, .configuring, .disconnecting: false
    }
  }

  /// Whether Configuration Requests of the peer are welcome.
  var isConfigurable: Bool {
    switch state {
    case .configuring, .open, .draining: true
    case .connecting, .authorizing, .disconnecting: false
    }
  }

  // MARK: - Sending

  /// Queues an SDU.
  mutating func submit(_ sdu: Span<UInt8>) -> SDUSubmission {
    // While an open channel is configured again, SDUs wait.
    guard state == .open || (state == .configuring && isReported) else { return .notOpen }
    guard sdu.count <= sendMTU else { return .tooLong(limit: sendMTU) }
    guard queue.footprint < parameters.queueLimit else {
      isFull = true
      return .full
    }
    queue.append(sdu)
    return .queued
  }

  var queuedOctets: Int { queue.octetCount }

  var canSendFrame: Bool {
    guard isCarrying else { return false }
    return retransmission?.hasFrame(hasData: !queue.isEmpty) ?? !queue.isEmpty
  }

  /// Whether all queued data has been sent, and acknowledged if the mode has that.
  var isDrained: Bool { queue.isEmpty && retransmission?.isAcknowledged ?? true }

  /// Appends the next SDU as a B-frame, or the next frame of Enhanced Retransmission Mode. Returns true if the queue was full and has room
  /// again.
  mutating func writeFrame(at now: Instant, into buffer: inout OctetBuffer) -> Bool {
    if retransmission != nil {
      guard let progress = retransmission?.writeFrame(from: &queue, to: remote, at: now, into: &buffer) else {
        return false
      }
      count(progress.octets, endsSDU: progress.endsSDU)
    } else {
      count(queue.takeWhole(to: remote, into: &buffer), endsSDU: true)
    }
    guard isFull, queue.footprint <= parameters.queueLimit / 2 else { return false }
    isFull = false
    return state == .open
  }

  /// Counts a frame with content. Frames that are sent again do not count.
  private mutating func count(_ octets: Int, endsSDU: Bool) {
    sent.frames += 1
    sent.octets += octets
    if endsSDU { sent.sdus += 1 }
  }

  // MARK: - The end

  /// Stops data in both directions.
  mutating func stop(_ closure: ClassicChannelClosure) {
    if self.closure == nil { self.closure = closure }
    state = .disconnecting
    configurationDeadline = nil
    requestDeadline = nil
    retransmission = nil
    outbound.options = []
  }

  var status: ClassicChannelStatus {
    ClassicChannelStatus(
      id: local, remote: remote, psm: psm, isIncoming: isIncoming, isOpen: state == .open, mode: mode,
      receiveMTU: receiveMTU, sendMTU: sendMTU, queuedOctets: queuedOctets, sent: sent, received: received)
  }
}
