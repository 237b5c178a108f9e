import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// One link to a peer, and everything that is its own: the session of the peer's client on this side's server, the client of the
/// peer's server, channels, the fragments of a PDU on its way in.
struct Link: Sendable {
  let handle: ConnectionHandle
  var details: ConnectionDetails
  /// What the controller has said of the PHY and of packets' lengths.
  var carriage = LinkCarriage()
  /// What the server remembers of the peer's client.
  var session: GATTSession
  /// The ATT bearers.
  var bearers = BearerList()
  /// How enhanced bearers are being opened from this side.
  var bearerOpening = BearerOpening()
  /// The client of the peer's server; nil until somebody needs it.
  var client: GATTClient?
  /// Signalling and the credit-based channels.
  var channels: LinkChannels
  /// The Security Manager, and what the link has to do with bonds and encryption.
  var security: SecurityManager
  var protection = LinkProtectionState()
  var recombiner = ACLRecombiner()
  /// Whether octets were lost on the line since the last PDU, which has been reported.
  var mayMissOctets = false
  /// Whether it is being disconnected: nothing of it is taken any longer.
  var isClosing = false
  /// Whether it has ended, and stays for those who are at work on it.
  var hasEnded = false
  /// How many PDUs may wait before another write command is taken, after one was not taken; its end is reported.
  var roomWanted: Int?
  /// The characteristics that are notified whenever a buffer is free, and whose turn it is.
  var streams: [CharacteristicIndex] = []
  var nextStream = 0
  /// Whether a stream sends next, and not a channel.
  var isStreamsTurn = false
  /// When the request for other connection parameters is sent; nil when there is none, or it has been sent.
  var parameterRequestDue: Instant?
  /// The parameters that the link layer is asking the peer for.
  var askedParameters: ConnectionPolicy.ParameterRequest?
  /// What it has put off.
  var postponed = PostponedAnswers()
  /// What is known of the packets that the controller has.
  var delivery: DeliveryRecord

  init(
    handle: ConnectionHandle, details: ConnectionDetails, role: LinkRole, security: SecurityManager, at now: Instant
  ) {
    self.handle = handle
    self.details = details
    self.security = security
    delivery = DeliveryRecord(at: now)
    session = GATTSession(client: handle.client)
    channels = LinkChannels(role: role == .central ? .central : .peripheral)
  }

  /// A link that is none: it has no peer, nothing is sent on it, and nothing comes.
  static let none: Link = {
    let nobody = PeerIdentity(address: .zero, isRandom: false)
    var link = Link(
      handle: ConnectionHandle(rawValue: .max), details: ConnectionDetails(LEConnectionComplete()), role: .peripheral,
      security: SecurityManager(
        role: .responder, own: nobody, peer: nobody, identity: LocalIdentity(address: nobody), policy: PairingPolicy()),
      at: .zero)
    (link.isClosing, link.hasEnded) = (true, true)
    return link
  }()

  /// The next moment at which something of this link is due. It changes nothing, but is asked after every read, and what is only read
  /// is copied.
  var nextDeadline: Instant? {
    mutating get {
      guard !isClosing else { return nil }
      var deadline = Instant.earliest(parameterRequestDue, channels.nextDeadline)
      deadline = Instant.earliest(deadline, postponed.nextDeadline)
      deadline = Instant.earliest(deadline, bearers.deadline)
      deadline = Instant.earliest(deadline, Instant.earliest(client?.nextDeadline, bearerOpening.retryAt))
      return Instant.earliest(
        deadline, Instant.earliest(security.nextDeadline, security.isPairing ? nil : protection.raisingDue))
    }
  }
}

/// What is known of the packets of a link that the controller has, beside what it reports.
///
/// A client asks again only when it has the answer (Core 5.4 Vol 3 Part F 3.3.2), and confirms only what it has. So the peer
/// shows by its next PDU that everything up to the last answer has left the controller.
struct DeliveryRecord: Hashable, Sendable {
  /// The last packet that the peer answers, or that answers the peer; by its number on the link.
  var awaited = 0
  /// The last packet that the peer has shown to have, and when it has.
  var proven = 0
  var provenAt: Instant
  /// The request that the peer was sent to have it show what it has; nil while none is under way.
  var question: OperationID?
  /// When the controller last said or was asked something about this link.
  var lastHeard: Instant
  /// How many packets were completed when the link was last looked at, and since when it is so.
  var completed = 0
  var since: Instant

  /// The record of a link that was just made.
  init(at now: Instant) { (lastHeard, provenAt, since) = (now, now, now) }

  /// The peer has said something that it says only when it has what was awaited.
  mutating func proved(at now: Instant) { (proven, provenAt) = (awaited, now) }
}

/// How the link layer carries a link, as far as the controller has said it since the connection was made.
public struct LinkCarriage: Hashable, Sendable {
  /// The PHY of what this side sends.
  public var transmitPHY: PHY?
  /// The PHY of what it receives.
  public var receivePHY: PHY?
  /// The octets of the longest LL Data PDU that it sends.
  public var transmitLength: Int?
  /// The octets of the longest that it receives.
  public var receiveLength: Int?
}

/// A link as an observer sees it.
public struct LinkState: Hashable, Sendable {
  /// Its handle.
  public var handle: ConnectionHandle
  /// The peer and the connection parameters.
  public var details: ConnectionDetails
  /// How the link layer carries it.
  public var carriage: LinkCarriage
  /// The MTU of its ATT bearer on the fixed channel, in octets.
  public var mtu: Int
  /// What the peer's client takes.
  public var subscriptions: [GATTSession.Subscription]
  /// Its credit-based channels.
  public var channels: [ChannelStatus]
  /// How well it is protected.
  public var security: LinkSecurity
  /// The identity of the peer, where this side has a bond with it.
  public var bond: PeerIdentity?
}
