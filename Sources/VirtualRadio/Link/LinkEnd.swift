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
  /// With what the payload is encrypted; nil for one in the clear. Empty payloads always are.
  var key: SessionKey?

  /// What the packet has on the air behind its header: encrypted payloads end with a message integrity check.
  var length: Int { payload.length + (isEncrypted ? LinkLayerTime.integrityCheckOctets : 0) }

  var isEncrypted: Bool {
    if case .empty = payload { false } else { key != nil }
  }
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
  /// When the timeline next checks this end's supervision timeout; nil when it does not.
  var supervisionCheck: Instant?
  /// When the last packet came.
  var lastHeard: Instant

  /// Whether this end has its radio in the connection event under way.
  var isInEvent = false
  /// How many of its connection events in a row this end missed because its radio was needed elsewhere.
  var missedEvents = 0
  /// When the last connection event in which it took part ended.
  var lastEventEnd: Instant = .zero
  /// Where its receive windows open, of which a peripheral may miss some.
  var drift = DriftCorrection()
  /// How long this end lets a connection event be; nil for as long as there is room.
  var maximumEventLength: Duration?

  // MARK: Acknowledgement (Core 5.4 Vol 6 Part B 4.5.9)

  var sequence = false
  var expected = false
  /// What was sent and not yet acknowledged.
  var inFlight: LinkPayload?
  /// With what that is encrypted, however often it has to go.
  private var inFlightKey: SessionKey?
  var control: [ControlPDU] = []
  var data = HostPacketQueue()
  /// The host's packets that the peer has not acknowledged to the end.
  var heldPackets = 0
  /// Data for the host that is not yet an ACL packet: its octets, whether they begin an L2CAP PDU, and how many octets that
  /// still lacks.
  var joined: (octets: [UInt8], isStart: Bool, missing: Int) = ([], false, 0)

  // MARK: Procedures (Core 5.4 Vol 6 Part B 5.1)

  var procedure: LinkProcedure?
  /// When that began.
  var procedureStart: Instant = .zero
  /// Whether the timeline has an entry that checks how long it takes.
  var isProcedureWatched = false
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

  // MARK: Encryption (Core 5.4 Vol 6 Part B 5.1.3, 5.4)

  var encryption = LinkEncryption()
  var authenticatedPayloadTimeout = AuthenticatedPayloadTimeout.specificationDefault
  /// When the last packet with a good message integrity check came.
  var lastAuthenticated: Instant
  /// Whether the timeline has an entry that checks that, and the one that counts.
  var isPayloadWatched = false
  var payloadWatch: UInt32 = 0

  // MARK: What this end may send

  var localLength: LinkDataLength
  var effectiveLength = LinkDataLength()
  var transmitPHY: RadioPHY
  /// In dBm.
  var transmitPower: Int8
  /// The PHYs that this end's host prefers, for its own requests and the peer's.
  var preferredTransmit: UInt8
  var preferredReceive: UInt8
  /// With which coding this end sends on LE Coded, as its host prefers.
  var coding = RadioPHY.leCoded

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
    lastAuthenticated = instant
    preferredTransmit = controller.state.preferredTransmitPHYs
    preferredReceive = controller.state.preferredReceivePHYs
    let configuration = controller.configuration
    transmitPower = configuration.maximumTransmitPower
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
    case .empty, nil: hasMore
    }
  }

  /// Whether something waits that may go now.
  private var hasMore: Bool {
    encryption.isHolding ? control.contains(where: \.passesDuringEncryption) : !control.isEmpty || !data.isEmpty
  }

  func leave() { controller = nil }

  /// Takes the maximum length of connection events that its host gave (Core 5.4 Vol 4 Part E 7.8.12), zero for none. What the
  /// controller is made for counts as well. The minimum is for controllers that reserve time; these give as much as there is.
  func limitEvents(to length: ConnectionEventLength) {
    let given = length.rawValue == 0 ? nil : length.duration
    maximumEventLength = [given, controller?.configuration.maximumEventLength].compactMap { $0 }.min()
  }

  /// What its next packet has on the air behind its header, once the one in flight is acknowledged.
  var nextLength: Int {
    let isData = control.isEmpty && !encryption.isHolding
    let payload = isData ? min(data.nextLength, fragmentLimit) : control.first?.payloadLength ?? 0
    return payload > 0 && encryption.isOn ? payload + LinkLayerTime.integrityCheckOctets : payload
  }

  /// How much stronger than usual this end sends, in dB.
  var gain: Int { controller?.configuration.gain(of: transmitPower) ?? 0 }

  /// How many octets the next data PDU may carry: what both ends agreed on, in octets and in time.
  var fragmentLimit: Int {
    let inTime = transmitPHY.payload(withinMicroseconds: Int(effectiveLength.maximumTransmitTime))
    return max(27, min(Int(effectiveLength.maximumTransmitOctets), inTime))
  }

  /// The packet to send now: what is not acknowledged again, else the next control PDU, else the next data.
  func nextPacket() -> LinkPacket {
    if inFlight == nil {
      inFlight = nextPayload()
      inFlightKey = encryption.transmitKey
    }
    return LinkPacket(
      payload: inFlight ?? .empty, sequence: sequence, expected: expected, moreData: hasMore, key: inFlightKey)
  }

  private func nextPayload() -> LinkPayload {
    if encryption.isHolding {
      guard let index = control.firstIndex(where: \.passesDuringEncryption) else { return .empty }
      return .control(control.remove(at: index))
    }
    if !control.isEmpty { return .control(control.removeFirst()) }
    return data.takeFragment(limit: fragmentLimit).map { .data($0) } ?? .empty
  }
}
