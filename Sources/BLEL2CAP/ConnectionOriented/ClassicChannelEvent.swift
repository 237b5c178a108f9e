import BLECore

/// An event of the connection-oriented channels of an ACL-U link. A channel is identified by its CID on this side, from `opened` or
/// `ClassicChannels.open` until its single `closed`. A channel that the peer requested and that never opens has only `closed`.
public enum ClassicChannelEvent: Hashable, Sendable {
  /// A channel is open and configured, requested by the peer or this side.
  case opened(ClassicChannelStatus)
  /// A channel has ended, or could not be opened; `unsent` octets of queued SDUs were not sent.
  case closed(ChannelID, psm: PSM, ClassicChannelClosure, unsent: Int)
  /// A channel whose queue was full accepts SDUs again.
  case maySend(ChannelID)
  /// An open channel has been configured again.
  case reconfigured(ClassicChannelStatus)
  /// The peer requests a channel that needs authorization or more security. The application answers later with this ticket.
  case authorizationAsked(ClassicAuthorizationRequest, AnswerTicket)
  /// The peer no longer wants a channel about which the application has been asked with this ticket.
  case authorizationWithdrawn(AnswerTicket)
  /// A channel that the peer requested was refused.
  case peerRefused(PSM, ConnectionResult)
  /// The peer has answered an Information Request; nil if it has not.
  case informed(InformationType, InformationResponse?)
}

/// The reason why a channel on BR/EDR has ended or was not opened.
public enum ClassicChannelClosure: Hashable, Sendable {
  /// This side closed it.
  case local
  /// This side no longer publishes the PSM.
  case unpublished
  /// The peer closed it.
  case remote
  /// The link has ended.
  case linkLost
  /// The peer did not open it.
  case refused(ConnectionResult)
  /// The peer does not understand the request, or does not know the channel.
  case rejected
  /// The peer did not answer, or did not configure the channel, in time.
  case unanswered
  /// The sides do not agree on the configuration: the peer's last result, or that of this side.
  case unconfigurable(ConfigurationResult)
  /// The peer gave the channel a CID that is no dynamic one, or that of another channel.
  case invalidDestination
  /// The peer sent an SDU that is longer than this side's MTU.
  case sduTooLong(octets: Int)
  /// The peer breaks the rules of Enhanced Retransmission Mode, or does not acknowledge what this side sends.
  case retransmission(RetransmissionFault)
}

/// A peer's request for a channel that needs a decision.
public struct ClassicAuthorizationRequest: Hashable, Sendable {
  /// The requested PSM.
  public var psm: PSM
  /// What the link lacks: authorization, or security that the host can raise before it answers.
  public var shortfall: AccessRequirement.Shortfall

  /// Creates a request.
  public init(psm: PSM, shortfall: AccessRequirement.Shortfall) {
    self.psm = psm
    self.shortfall = shortfall
  }
}

/// The result of a B-frame on a dynamic channel.
public enum ClassicFrameOutcome: Hashable, Sendable {
  /// The frame is an SDU.
  case sdu
  /// The frame completes this SDU, in Enhanced Retransmission Mode.
  case assembled([UInt8])
  /// The frame completes no SDU, in Enhanced Retransmission Mode.
  case incomplete
  /// The channel is not open, and received data is discarded.
  case discarded
  /// The channel is closed because of the frame: it is longer than this side's MTU, or breaks the rules of the channel's mode.
  case violation
  /// There is no such channel.
  case unknownChannel
}

/// The current state of a channel on BR/EDR.
public struct ClassicChannelStatus: Hashable, Sendable {
  /// Its CID on this side, which identifies it.
  public var id: ChannelID
  /// Its CID on the peer's side; 0 until the peer has sent it.
  public var remote: ChannelID
  /// Its PSM.
  public var psm: PSM
  /// Whether the peer opened it.
  public var isIncoming: Bool
  /// Whether it accepts SDUs.
  public var isOpen: Bool
  /// Its mode: that of an open channel, or else the one that this side asks for.
  public var mode: ChannelMode
  /// The longest SDU that this side accepts, in octets.
  public var receiveMTU: Int
  /// The longest SDU that the peer accepts, in octets.
  public var sendMTU: Int
  /// The number of SDU octets that wait to be sent.
  public var queuedOctets: Int
  /// The data sent so far.
  public var sent: ChannelTraffic
  /// The data received so far.
  public var received: ChannelTraffic
}
