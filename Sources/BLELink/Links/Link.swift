import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// One link to a peer, and everything that belongs to it: the session of the peer's client on this side's server, the client of the
/// peer's server, channels, the fragments of an incoming PDU.
struct Link: Sendable {
  let handle: ConnectionHandle
  var details: ConnectionDetails
  /// Whether it is over BR/EDR. Stored, because every packet asks, and Swift copies the whole link for a computed property.
  let isClassic: Bool
  /// The PHYs and packet lengths that the controller has reported.
  var carriage = LinkCarriage()
  /// What the server remembers about the peer's client.
  var session: GATTSession
  /// The ATT bearers.
  var bearers = BearerList()
  /// The opening of enhanced bearers from this side.
  var bearerOpening = BearerOpening()
  /// The client of the peer's server; nil until it is needed.
  var client: GATTClient?
  /// Signalling and the credit-based channels; not used over BR/EDR.
  var channels: LinkChannels
  /// What a link over BR/EDR has besides; nil over LE.
  var classic: ClassicLink?
  /// The Security Manager, and the link's state of bonding and encryption.
  var security: SecurityManager
  var protection = LinkProtectionState()
  var recombiner = ACLRecombiner()
  /// Whether octets were lost on the line since the last PDU; the loss has been reported.
  var mayMissOctets = false
  var phase = Phase.open
  /// The backlog below which the link has room again; set when a write command found no room, cleared when the room is reported.
  var roomWanted: Int?
  /// The continuous notifications.
  var streams = NotificationStreams()
  /// This side's request for other connection parameters.
  var parameterRequest = ParameterRequestState()
  /// What the policy postpones.
  var postponed = PostponedAnswers()
  /// What is known about the packets in the controller.
  var delivery: DeliveryRecord

  init(
    handle: ConnectionHandle, details: ConnectionDetails, role: LinkRole, security: SecurityManager, at now: Instant
  ) {
    self.handle = handle
    self.details = details
    isClassic = details.transport == .classic
    self.security = security
    delivery = DeliveryRecord(at: now)
    session = GATTSession(client: handle.client, over: details.transport)
    channels = LinkChannels(
      role: role == .central ? .central : .peripheral, isClassic: isClassic)
    guard isClassic else { return }
    classic = ClassicLink(
      isCentral: role == .central, derivesKeys: security.policy.isPairable && security.policy.secureConnections != .none
    )
    // The bearer begins with its channel.
    bearers.fixed.att.timeOut()
  }

  /// A placeholder that is no link: it has no peer, and nothing is sent or received on it.
  static let none: Link = {
    let nobody = TypedAddress(address: .zero, isRandom: false)
    var link = Link(
      handle: ConnectionHandle(rawValue: .max), details: ConnectionDetails(LEConnectionComplete()), role: .peripheral,
      security: SecurityManager(
        role: .responder, own: nobody, peer: nobody, identity: LocalIdentity(address: nobody), policy: PairingPolicy()),
      at: .zero)
    link.phase = .ended
    return link
  }()

  /// The phases of a link.
  enum Phase: Sendable {
    case open
    /// It is being disconnected: nothing from it is processed.
    case closing
    /// It has ended, and is kept for code that is still working on it.
    case ended
  }

  /// Whether nothing from it is processed.
  var isClosing: Bool { phase != .open }
  var hasEnded: Bool { phase == .ended }

  /// When something on this link is due next. Mutating although it changes nothing: it runs after every read, and Swift copies a link that
  /// is only read.
  var nextDeadline: Instant? {
    mutating get {
      guard !isClosing else { return nil }
      var deadline = Instant.earliest(parameterRequest.due, channels.nextDeadline)
      if isClassic { deadline = Instant.earliest(deadline, classic?.nextDeadline) }
      deadline = Instant.earliest(deadline, postponed.nextDeadline)
      deadline = Instant.earliest(deadline, bearers.deadline)
      deadline = Instant.earliest(deadline, Instant.earliest(client?.nextDeadline, bearerOpening.retryAt))
      return Instant.earliest(
        deadline, Instant.earliest(security.nextDeadline, security.isPairing ? nil : protection.raisingDue))
    }
  }
}

/// How the link layer carries a link, as the controller has reported since the connection was made.
public struct LinkCarriage: Hashable, Sendable {
  /// The PHY for sending.
  public var transmitPHY: PHY?
  /// The PHY for receiving.
  public var receivePHY: PHY?
  /// The maximum length of an LL Data PDU that this side sends, in octets.
  public var transmitLength: Int?
  /// The maximum length of an LL Data PDU that this side receives, in octets.
  public var receiveLength: Int?
}

/// The state of a link, for observers.
public struct LinkState: Hashable, Sendable {
  /// Its handle.
  public var handle: ConnectionHandle
  /// The peer and the connection parameters.
  public var details: ConnectionDetails
  /// How the link layer carries it.
  public var carriage: LinkCarriage
  /// The MTU of its ATT bearer on the fixed channel, in octets.
  public var mtu: Int
  /// The subscriptions of the peer's client.
  public var subscriptions: [GATTSession.Subscription]
  /// Its credit-based channels.
  public var channels: [ChannelStatus]
  /// Its protection.
  public var security: LinkSecurity
  /// The identity of the peer, if this side has a bond with it.
  public var bond: TypedAddress?
}
