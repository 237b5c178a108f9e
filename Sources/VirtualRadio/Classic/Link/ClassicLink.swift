import BLECore
import BLEHCI

/// Which end of a link of BR/EDR: that which paged, or the other.
enum ClassicPlace: Int, Sendable {
  case first
  case second

  var other: ClassicPlace { self == .first ? .second : .first }
}

/// A link of BR/EDR: two ends and what they share.
final class ClassicLink {
  /// What the host that was asked, if it was, has said of the connection.
  enum Setup {
    case asking
    case accepted
    case refused
    case open
  }

  let id: LinkID
  let first: ClassicEnd
  let second: ClassicEnd
  let purpose: Page.Purpose
  let allowsRoleSwitch: Bool
  /// The end that is the central.
  var central = ClassicPlace.first
  var setup = Setup.asking
  var sniff: (parameters: SniffParameters, base: Instant)?
  var supervisionTimeout = BasebandSlots(rawValue: 0x7D00)
  /// The end of its last exchange.
  var lastExchange: Instant
  /// Whether the peripheral answered that one with a payload. The central then polls it again at once.
  var peripheralHasSent = false
  var security = LinkSecurity()

  init(id: LinkID, first: ClassicEnd, second: ClassicEnd, page: Page, at instant: Instant) {
    self.id = id
    self.first = first
    self.second = second
    purpose = page.purpose
    allowsRoleSwitch = page.allowsRoleSwitch
    lastExchange = instant
  }

  subscript(place: ClassicPlace) -> ClassicEnd { place == .first ? first : second }

  var ends: [ClassicEnd] { [first, second] }
  var isComplete: Bool { first.isPresent && second.isPresent }
  func role(of place: ClassicPlace) -> LinkRole { place == central ? .central : .peripheral }

  /// The features of page 0 that both controllers have.
  var commonFeatures: LMPFeatures { first.features.intersection(second.features) }

  /// Whether something waits to be sent.
  var hasWork: Bool { ends.contains(where: \.hasWork) }
}

/// One controller's half of a link of BR/EDR.
final class ClassicEnd {
  /// A question to the host about the peer, and which reply belongs to it.
  enum Question: Hashable {
    case connection
    case linkKey
    case capabilities
    case confirmation
    case passkey
    case outOfBandData
    case pin
  }

  /// A host's request to the peer.
  enum Request: Hashable {
    case features
    case extendedFeatures(UInt8)
    case version
    case clockOffset
    case name
    case roleSwitch
    case sniff
    case unsniff
  }

  let controllerID: ControllerID
  let place: ClassicPlace
  /// Nil when this controller has left the link.
  private(set) weak var classic: ClassicController?
  let handle: UInt16
  let peerAddress: DeviceAddress
  let features: LMPFeatures

  /// Whether the host knows the handle.
  var isOpen = false
  var isTerminating = false
  /// When it drops the link if the peer does not acknowledge that it ends, and the reason for its host; nil if it has not asked the peer.
  var detachment: (due: Instant, reason: ErrorCode)?
  /// When the last packet was received, if not all are.
  var lastHeard: Instant
  /// When the timeline next checks its supervision timeout; nil if no check is scheduled.
  var supervisionCheck: Instant?

  // MARK: What it sends

  var control: [LMPMessage] = []
  var data = HostPacketQueue()
  /// What was sent and not acknowledged.
  var inFlight: ClassicPayload?
  /// Whether it has arrived nevertheless.
  var hasArrived = false
  /// Whether the peer's host has no room for its data.
  var isStalled = false
  /// The number of the host's packets that the peer has not fully received.
  var heldPackets = 0
  var packetTypes: PacketTypes

  // MARK: Its host

  var policy: LinkPolicySettings
  var flushTimeout = BasebandSlots(rawValue: 0)
  var authenticatedPayloadTimeout = AuthenticatedPayloadTimeout.specificationDefault
  var question: Question?
  var requests: Set<Request> = []
  /// The key that its host has given for the authentication in progress.
  var offeredKey: [UInt8]?

  init(
    _ classic: ClassicController, place: ClassicPlace, handle: UInt16, peer: DeviceAddress, packetTypes: PacketTypes,
    at instant: Instant
  ) {
    controllerID = classic.id
    self.classic = classic
    self.place = place
    self.handle = handle
    self.packetTypes = packetTypes
    peerAddress = peer
    features = classic.configuration.features
    policy = classic.settings.policy
    lastHeard = instant
  }

  var isPresent: Bool { classic != nil }
  var connectionHandle: ConnectionHandle { ConnectionHandle(rawValue: handle) }
  var hasWork: Bool { inFlight != nil || !control.isEmpty || !data.isEmpty }

  func leave() {
    classic = nil
    question = nil
  }

  /// Returns what to send now: an unacknowledged payload again, else the next message, else the next data.
  func nextPayload(common features: LMPFeatures) -> ClassicPayload? {
    if inFlight == nil {
      hasArrived = false
      if !control.isEmpty {
        inFlight = .message(control.removeFirst())
      } else if !data.isEmpty {
        let packet = BasebandPacket.best(for: data.nextLength, of: BasebandPacket.usable(packetTypes, features))
        inFlight = data.takeFragment(limit: packet.capacity).map { .data($0, slots: packet.slots) }
      }
    }
    return inFlight
  }
}

/// The payload of one packet on a link of BR/EDR.
enum ClassicPayload {
  case message(LMPMessage)
  case data(DataFragment, slots: Int)

  var slots: Int {
    switch self {
    case .message: 1
    case .data(_, let slots): slots
    }
  }

  /// The number of octets in the packet.
  var length: Int {
    switch self {
    case .message: BasebandPacket.single.capacity
    case .data(let fragment, _): fragment.octets.count
    }
  }
}
