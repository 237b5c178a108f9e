import BLECore

/// What happened to the channels of a link. A channel is named by its end on this side, from `opened` or
/// `LinkChannels.open` on to its one `closed`.
public enum ChannelEvent: Hashable, Sendable {
  /// A channel is open, by the peer's request or ours.
  case opened(ChannelStatus)
  /// A channel has ended, or could not be opened; `unsent` octets of SDUs that were to be sent were not.
  case closed(ChannelID, psm: SPSM, ChannelClosure, unsent: Int)
  /// A channel whose queue was full takes SDUs again.
  case maySend(ChannelID)
  /// The peer takes SDUs and K-frames of these lengths now, in octets.
  case reconfigured(ChannelID, mtu: Int, mps: Int)
  /// The peer has answered our request for other lengths; nil when it did not answer, or does not know the request.
  case reconfigurationAnswered([ChannelID], ReconfigureResult?)
  /// The peer wants to open channels to a PSM that needs authorization; the application answers later by that ticket.
  case authorizationAsked(ChannelAuthorizationRequest, AnswerTicket)
  /// Channels that the peer wanted were refused.
  case peerRefused(psm: SPSM, CreditBasedResult, channels: Int)
}

/// Why a channel has ended, or was never open.
public enum ChannelClosure: Hashable, Sendable {
  /// This side closed it.
  case local
  /// This side withdrew what was published.
  case unpublished
  /// The peer closed it.
  case remote
  /// The link has ended.
  case linkLost
  /// The peer broke the protocol; this side closed the channel.
  case violation(ChannelViolation)
  /// The peer did not open it.
  case refused(ChannelOpeningRefusal)

  /// Whether the peer is at fault.
  public var isViolation: Bool {
    if case .violation = self { true } else { false }
  }
}

/// How a peer broke the protocol of one channel; the channel is closed, and nothing else.
public enum ChannelViolation: Hashable, Sendable {
  /// A K-frame came that no credit was left for (Core 5.4 Vol 3 Part A 10.1).
  case noCredits
  /// A K-frame has more octets of an SDU than our MPS (Core 5.4 Vol 3 Part A 3.4.3).
  case frameTooLong(octets: Int)
  /// The first K-frame of an SDU has no whole SDU length.
  case missingSDULength
  /// An SDU has more octets than our MTU (Core 5.4 Vol 3 Part A 3.4.3).
  case sduTooLong(octets: Int)
  /// The K-frames of an SDU have more octets than the SDU's length says (Core 5.4 Vol 3 Part A 3.4.3).
  case sduOverflow
  /// More than 65,535 credits (Core 5.4 Vol 3 Part A 10.1).
  case creditOverflow
  /// A response opens a channel with values that the specification does not allow.
  case unacceptableResponse
  /// A response gives a new channel an end that another channel has (Core 5.4 Vol 3 Part A 4.23, 4.26).
  case duplicateDestination
}

/// Why a peer did not open a channel.
public enum ChannelOpeningRefusal: Hashable, Sendable {
  /// It says so.
  case result(CreditBasedResult)
  /// It does not know the request.
  case notUnderstood
  /// It did not answer in time.
  case unanswered
}

/// What a peer wants to open that needs authorization.
public struct ChannelAuthorizationRequest: Hashable, Sendable {
  /// What is to be opened.
  public var psm: SPSM
  /// How many channels.
  public var channels: Int

  /// A request for that many channels.
  public init(psm: SPSM, channels: Int) {
    self.psm = psm
    self.channels = channels
  }
}

/// The answer to the question whether a peer may open channels.
public enum ChannelAuthorizationAnswer: Hashable, Sendable {
  /// It may.
  case granted
  /// It may not: refused with Insufficient Authorization.
  case refused
  /// Somebody is asked, and the answer comes by that ticket (`LinkChannels.answer`); until then the peer waits.
  case ask(AnswerTicket)
}

/// What became of an SDU that was given to a channel.
public enum SDUSubmission: Hashable, Sendable {
  /// It will be sent.
  case queued
  /// It was not taken: enough waits already. `ChannelEvent.maySend` says when there is room.
  case full
  /// It was not taken: the peer takes at most so many octets.
  case tooLong(limit: Int)
  /// It was not taken: there is no such channel, it is not open yet, or it is being closed.
  case notOpen
}

/// What a K-frame led to.
public enum FrameOutcome: Hashable, Sendable {
  /// Part of an SDU that is not complete.
  case partial
  /// The frame is a whole SDU: its octets from `KFrame.sduLengthOctetCount` on.
  case whole
  /// The last part of an SDU. Give the array back with `LinkChannels.recycle` when it is no longer needed.
  case assembled([UInt8])
  /// The channel is being closed, and what comes in is discarded (Core 5.4 Vol 3 Part A 4.6).
  case discarded
  /// The channel is closed because of this frame.
  case violation(ChannelViolation)
  /// There is no such channel.
  case unknownChannel
}

/// A channel as it is now.
public struct ChannelStatus: Hashable, Sendable {
  /// Its end on this side, which names it.
  public var id: ChannelID
  /// Its end on the peer's side; 0 before it is open.
  public var remote: ChannelID
  /// What it is opened to.
  public var psm: SPSM
  /// Whether the peer opened it.
  public var isIncoming: Bool
  /// Whether it was opened by an enhanced request, so that it can be reconfigured.
  public var isEnhanced: Bool
  /// Whether SDUs can be given to it.
  public var isOpen: Bool
  /// The longest SDU this side takes, in octets.
  public var receiveMTU: Int
  /// The longest payload of a K-frame this side takes, in octets.
  public var receiveMPS: Int
  /// The longest SDU the peer takes, in octets.
  public var sendMTU: Int
  /// The longest payload of a K-frame the peer takes, in octets.
  public var sendMPS: Int
  /// How many K-frames may still be sent.
  public var sendCredits: Int
  /// How many K-frames the peer may still send.
  public var receiveCredits: Int
  /// How many octets of SDUs wait to be sent.
  public var queuedOctets: Int
  /// What went over it so far.
  public var sent: ChannelTraffic
  /// What came in over it so far.
  public var received: ChannelTraffic
}

/// What went one way over a channel.
public struct ChannelTraffic: Hashable, Sendable {
  /// How many SDUs, all of their octets.
  public var sdus = 0
  /// How many K-frames.
  public var frames = 0
  /// How many octets of SDUs.
  public var octets = 0

  /// Nothing yet.
  public init() {}
}
