import BLECore

/// An event of a link's channels. A channel is identified by its CID on this side, from `opened` or `LinkChannels.open` until its single
/// `closed`.
public enum ChannelEvent: Hashable, Sendable {
  /// A channel is open, requested by the peer or this side.
  case opened(ChannelStatus)
  /// A channel has ended, or could not be opened; `unsent` octets of queued SDUs were not sent.
  case closed(ChannelID, psm: SPSM, ChannelClosure, unsent: Int)
  /// A channel whose queue was full accepts SDUs again.
  case maySend(ChannelID)
  /// The peer now accepts SDUs and K-frames of these lengths, in octets.
  case reconfigured(ChannelID, mtu: Int, mps: Int)
  /// The peer has answered a request of this side for other lengths; nil if it did not answer or does not support the request.
  case reconfigurationAnswered([ChannelID], ReconfigureResult?)
  /// The peer requests channels to a PSM that needs authorization. The application answers later with this ticket.
  case authorizationAsked(ChannelAuthorizationRequest, AnswerTicket)
  /// Channels that the peer requested were refused.
  case peerRefused(psm: SPSM, CreditBasedResult, channels: Int)
}

/// The reason why a channel has ended or was not opened.
public enum ChannelClosure: Hashable, Sendable {
  /// This side closed it.
  case local
  /// This side no longer publishes the PSM.
  case unpublished
  /// The peer closed it.
  case remote
  /// The link has ended.
  case linkLost
  /// The peer violated the protocol, and this side closed the channel.
  case violation(ChannelViolation)
  /// The peer did not open it.
  case refused(ChannelOpeningRefusal)

  /// Whether it is a protocol violation by the peer.
  public var isViolation: Bool {
    if case .violation = self { true } else { false }
  }
}

/// A protocol violation by a peer on one channel. Only that channel is closed.
public enum ChannelViolation: Hashable, Sendable {
  /// A K-frame arrived without credits (Core 5.4 Vol 3 Part A 10.1).
  case noCredits
  /// A K-frame has more SDU octets than this side's MPS (Core 5.4 Vol 3 Part A 3.4.3).
  case frameTooLong(octets: Int)
  /// The first K-frame of an SDU has an incomplete SDU length.
  case missingSDULength
  /// An SDU has more octets than this side's MTU (Core 5.4 Vol 3 Part A 3.4.3).
  case sduTooLong(octets: Int)
  /// The K-frames of an SDU exceed the SDU length (Core 5.4 Vol 3 Part A 3.4.3).
  case sduOverflow
  /// More than 65,535 credits (Core 5.4 Vol 3 Part A 10.1).
  case creditOverflow
  /// A response opens a channel with invalid values.
  case unacceptableResponse
  /// A response gives a new channel the CID of another (Core 5.4 Vol 3 Part A 4.23, 4.26).
  case duplicateDestination
}

/// The reason why a peer did not open a channel.
public enum ChannelOpeningRefusal: Hashable, Sendable {
  /// The result in its response.
  case result(CreditBasedResult)
  /// It does not support the request.
  case notUnderstood
  /// It did not answer in time.
  case unanswered
}

/// A peer's request for channels that needs authorization.
public struct ChannelAuthorizationRequest: Hashable, Sendable {
  /// The requested PSM.
  public var psm: SPSM
  /// The number of channels.
  public var channels: Int

  /// Creates a request for this many channels.
  public init(psm: SPSM, channels: Int) {
    self.psm = psm
    self.channels = channels
  }
}

/// The answer to a peer's request to open channels.
public enum ChannelAuthorizationAnswer: Hashable, Sendable {
  /// Granted.
  case granted
  /// Refused with Insufficient Authorization.
  case refused
  /// Someone is being asked, and the answer follows with this ticket (`LinkChannels.answer`). Until then the peer waits.
  case ask(AnswerTicket)
}

/// The result of passing an SDU to a channel.
public enum SDUSubmission: Hashable, Sendable {
  /// It will be sent.
  case queued
  /// It was not accepted because enough data is queued. `ChannelEvent.maySend` follows when there is room.
  case full
  /// It was not accepted because it exceeds the peer's limit in octets.
  case tooLong(limit: Int)
  /// It was not accepted because there is no such channel, or it is not yet open or is being closed.
  case notOpen
}

/// The result of a K-frame.
public enum FrameOutcome: Hashable, Sendable {
  /// A part of an incomplete SDU.
  case partial
  /// The frame is a whole SDU: the octets from `KFrame.sduLengthOctetCount` on.
  case whole
  /// The last part of an SDU. Return the array with `LinkChannels.recycle` when it is no longer needed.
  case assembled([UInt8])
  /// The channel is being closed, and received data is discarded (Core 5.4 Vol 3 Part A 4.6).
  case discarded
  /// The channel is closed because of this frame.
  case violation(ChannelViolation)
  /// There is no such channel.
  case unknownChannel
}

/// The current state of a channel.
public struct ChannelStatus: Hashable, Sendable {
  /// Its CID on this side, which identifies it.
  public var id: ChannelID
  /// Its CID on the peer's side; 0 until it is open.
  public var remote: ChannelID
  /// Its PSM.
  public var psm: SPSM
  /// Whether the peer opened it.
  public var isIncoming: Bool
  /// Whether it was opened by an enhanced request, and so can be reconfigured.
  public var isEnhanced: Bool
  /// Whether it accepts SDUs.
  public var isOpen: Bool
  /// The longest SDU that this side accepts, in octets.
  public var receiveMTU: Int
  /// The longest K-frame payload that this side accepts, in octets.
  public var receiveMPS: Int
  /// The longest SDU that the peer accepts, in octets.
  public var sendMTU: Int
  /// The longest K-frame payload that the peer accepts, in octets.
  public var sendMPS: Int
  /// The number of K-frames that may still be sent.
  public var sendCredits: Int
  /// The number of K-frames that the peer may still send.
  public var receiveCredits: Int
  /// The number of SDU octets that wait to be sent.
  public var queuedOctets: Int
  /// The data sent so far.
  public var sent: ChannelTraffic
  /// The data received so far.
  public var received: ChannelTraffic
}

/// The data sent in one direction on a channel.
public struct ChannelTraffic: Hashable, Sendable {
  /// The number of complete SDUs.
  public var sdus = 0
  /// The number of K-frames.
  public var frames = 0
  /// The number of SDU octets.
  public var octets = 0

  /// Creates zero counts.
  public init() {}
}
