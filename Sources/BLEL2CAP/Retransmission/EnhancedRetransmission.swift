import BLECore

/// The state of an open channel in Enhanced Retransmission Mode (Core 5.4 Vol 3 Part A 8.6). Frames that the peer has not acknowledged are
/// kept, and sent again if it rejects them or does not have them when this side asks. This side is never busy. Of frames that are
/// missing it rejects the first (REJ), never single ones.
struct EnhancedRetransmission: Sendable {
  let rules: Rules

  /// What both sides have agreed on.
  struct Rules: Sendable {
    /// The number of I-frames of this side, and of the peer, that may be unacknowledged.
    var sendWindow: Int
    var receiveWindow: Int
    /// How often an I-frame is sent, or an acknowledgement asked for; 0: without limit.
    var maximumTransmissions: Int
    var retransmissionTimeout: Duration
    var monitorTimeout: Duration
    /// The longest information payload of this side's I-frames, and of the peer's.
    var sendMPS: Int
    var receiveMPS: Int
    /// The longest SDU that this side accepts.
    var mtu: Int
    /// Whether frames have a check sequence.
    var hasCheck: Bool
  }

  /// An I-frame that has been sent and not acknowledged.
  struct SentFrame: Sendable {
    var segment: FrameSegment
    var sduLength: UInt16
    var payload: [UInt8]
    var transmissions = 0
    /// Whether it is to be sent again.
    var isDue = false
  }

  // MARK: The transmitter

  /// The unacknowledged I-frames, the oldest first.
  var unacknowledged: [SentFrame] = []
  /// The number of the oldest unacknowledged I-frame (ExpectedAckSeq).
  var expectedAck: UInt8 = 0
  /// Whether the peer accepts no I-frames for now (RemoteBusy).
  var isRemoteBusy = false
  /// When this side asks for an acknowledgement (RetransTimer).
  var retransmissionDeadline: Instant?
  /// The poll that waits for its answer (the state WAIT_F).
  var poll: Poll?

  /// A question for an acknowledgement.
  struct Poll: Sendable {
    /// How often it has been asked (RetryCount).
    var count = 1
    /// Whether it is to be sent, for the first time or again.
    var isDue = true
    /// Whether it has been sent at all.
    var isSent = false
    /// When it is asked again (MonitorTimer).
    var deadline: Instant
    /// Whether the peer's REJ during the poll has been carried out, so that its answer is no reason to send everything again (RejActioned).
    var hasActedOnReject = false
    /// The frame that an SREJ during the poll has requested (SrejActioned, SrejSaveReqSeq).
    var selectivelyRejected: UInt8?
  }

  // MARK: The receiver

  /// The number of the next I-frame of the peer (ExpectedTxSeq).
  var expectedTxSeq: UInt8 = 0
  /// Whether the peer is to learn what has been received.
  var isAcknowledgementDue = false
  /// Whether the peer's poll is to be answered.
  var isFinalDue = false
  /// Whether frames are missing and the peer has been told, or will be (the state REJ_SENT).
  var isRejecting = false
  /// Whether the peer has yet to be told.
  var isRejectDue = false
  /// The SDU that is assembled, and its length; nil between SDUs.
  var sdu: [UInt8] = []
  var sduLength: Int?

  init(_ rules: Rules) { self.rules = rules }

  /// Whether the peer has acknowledged everything.
  var isAcknowledged: Bool { unacknowledged.isEmpty }

  // MARK: - Timers

  /// When `advance` next has something to do.
  var nextDeadline: Instant? { Instant.earliest(retransmissionDeadline, poll?.deadline) }

  /// Asks the peer for an acknowledgement if one is overdue (Core 5.4 Vol 3 Part A 8.6.5.6), and gives up after having asked too often.
  mutating func advance(to now: Instant) -> RetransmissionFault? {
    if let deadline = retransmissionDeadline, deadline <= now {
      retransmissionDeadline = nil
      poll = Poll(deadline: now + rules.monitorTimeout)
    } else if let poll, poll.deadline <= now {
      guard rules.maximumTransmissions == 0 || poll.count < rules.maximumTransmissions else { return .unacknowledged }
      self.poll?.count += 1
      self.poll?.isDue = true
      self.poll?.deadline = now + rules.monitorTimeout
    }
    return nil
  }

  /// Starts the timer for the oldest frame, or stops it if there is none. While a poll waits, its own timer counts.
  mutating func restartTimer(at now: Instant) {
    let isNeeded = !unacknowledged.isEmpty && poll == nil && !isRemoteBusy
    retransmissionDeadline = isNeeded ? now + rules.retransmissionTimeout : nil
  }
}
