import BLECore
import BLEHCI

/// What one packet of a connection event carries (Core 5.4 Vol 6 Part B 2.4).
enum LinkPayload {
  case empty
  case data(DataFragment)
  case control(ControlPDU)

  var length: Int {
    switch self {
    case .empty: 0
    case .data(let fragment): fragment.octets.count
    case .control(let pdu): pdu.payloadLength
    }
  }
}

/// One packet of a connection event with the header bits that acknowledge (Core 5.4 Vol 6 Part B 4.5.9).
struct LinkPacket {
  var payload: LinkPayload
  var sequence: Bool
  var expected: Bool
  var moreData: Bool
}

/// Central or peripheral, with the numbers of the HCI events.
enum LinkSide: UInt8, Sendable {
  case central = 0
  case peripheral = 1

  var other: LinkSide { self == .central ? .peripheral : .central }
}

/// One controller's half of a link.
final class LinkEnd {
  let controllerID: ControllerID
  let side: LinkSide
  /// Nil when this controller does not keep the link any more: after its reset, removal, or disconnection.
  private(set) weak var controller: VirtualController?
  /// The connection handle at this controller's host.
  let handle: UInt16
  /// The address under which this end made the link.
  let own: OwnAddress
  /// Whom this end sees at the other.
  let peer: PeerAddress

  /// Whether a packet has come over the link (Core 5.4 Vol 6 Part B 4.5: created, then established).
  var isEstablished = false
  /// Whether the timeline has an entry that checks this end's supervision timeout.
  var isSupervised = false
  /// When the last packet came.
  var lastHeard: Instant

  // MARK: Acknowledgement (Core 5.4 Vol 6 Part B 4.5.9)

  var sequence = false
  var expected = false
  /// What was sent and not yet acknowledged.
  var inFlight: LinkPayload?
  var control: [ControlPDU] = []
  var data = HostPacketQueue()
  /// The host's packets that the peer has not acknowledged to the end.
  var heldPackets = 0

  // MARK: Procedures (Core 5.4 Vol 6 Part B 5.1)

  var procedure: LinkProcedure?
  var waiting: [LinkProcedure] = []
  /// Set when this end's host asked to disconnect.
  var isTerminating = false
  /// The peer's request that this end's host has not answered yet.
  var askedHost: LinkTimingRange?
  var remoteFeatures: LEFeatures?
  var remoteVersion: LinkVersion?
  var hasSentVersion = false
  var hostWaitsForFeatures = false
  var hostWaitsForVersion = false

  // MARK: What this end may send

  var localLength: LinkDataLength
  var effectiveLength = LinkDataLength()
  var transmitPHY: RadioPHY
  /// The PHYs that this end's host prefers, for its own requests and the peer's.
  var preferredTransmit: UInt8
  var preferredReceive: UInt8

  init(
    controller: VirtualController, side: LinkSide, handle: UInt16, own: OwnAddress, peer: PeerAddress, phy: RadioPHY,
    at instant: Instant
  ) {
    controllerID = controller.id
    self.controller = controller
    self.side = side
    self.handle = handle
    self.own = own
    self.peer = peer
    transmitPHY = phy
    lastHeard = instant
    preferredTransmit = controller.state.preferredTransmitPHYs
    preferredReceive = controller.state.preferredReceivePHYs
    let configuration = controller.configuration
    localLength = LinkDataLength(
      maximumReceiveOctets: configuration.maximumDataOctets, maximumReceiveTime: configuration.maximumDataTime,
      maximumTransmitOctets: min(controller.state.suggestedDataOctets, configuration.maximumDataOctets),
      maximumTransmitTime: min(controller.state.suggestedDataTime, configuration.maximumDataTime))
  }

  var isPresent: Bool { controller != nil }

  /// Whether something waits to be sent or to be acknowledged. Empty packets need no connection event of their own.
  var hasWork: Bool {
    switch inFlight {
    case .data, .control: true
    case .empty, nil: !control.isEmpty || !data.isEmpty
    }
  }

  func leave() { controller = nil }

  /// How many octets the next data PDU may carry: what both ends agreed on, in octets and in time.
  var fragmentLimit: Int {
    let time = Int(effectiveLength.maximumTransmitTime)
    let inTime: Int
    switch transmitPHY {
    // The four octets of a message integrity check count, whether they are there or not.
    case .le1M: inTime = time / 8 - 14
    case .le2M: inTime = time / 4 - 15
    case .leCoded: inTime = (time - 400) / 64 - 9
    }
    return max(27, min(Int(effectiveLength.maximumTransmitOctets), inTime))
  }

  /// The packet to send now: what is not acknowledged again, else the next control PDU, else the next data.
  func nextPacket() -> LinkPacket {
    if inFlight == nil {
      if !control.isEmpty {
        inFlight = .control(control.removeFirst())
      } else if let fragment = data.takeFragment(limit: fragmentLimit) {
        inFlight = .data(fragment)
      } else {
        inFlight = .empty
      }
    }
    return LinkPacket(
      payload: inFlight ?? .empty, sequence: sequence, expected: expected,
      moreData: !control.isEmpty || !data.isEmpty)
  }
}
