import BLECore
import BLEHCI

/// The payload of one packet in a connection event (Core 5.4 Vol 6 Part B 2.4).
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

/// A packet of a connection event with its acknowledgement bits (Core 5.4 Vol 6 Part B 4.5.9).
struct LinkPacket {
  var payload: LinkPayload
  var sequence: Bool
  var expected: Bool
  var moreData: Bool
  /// The key that encrypts the payload; nil for plain text. Empty payloads are never encrypted.
  var key: SessionKey?

  /// The number of octets after the header on the air. Encrypted payloads end with a message integrity check.
  var length: Int { payload.length + (isEncrypted ? LinkLayerTime.integrityCheckOctets : 0) }

  var isEncrypted: Bool {
    if case .empty = payload { false } else { key != nil }
  }
}

/// Central or peripheral, with the numbers used in HCI events.
enum LinkSide: UInt8, Sendable {
  case central = 0
  case peripheral = 1

  var other: LinkSide { self == .central ? .peripheral : .central }
}

/// One controller's half of a link.
final class LinkEnd {
  let controllerID: ControllerID
  let side: LinkSide
  /// Nil when this controller has left the link: after its reset, removal, or disconnection.
  private(set) weak var controller: VirtualController?
  /// The connection handle at this controller's host.
  let handle: UInt16
  /// The address with which this end created the link.
  let own: OwnAddress
  /// The peer as this end sees it.
  let peer: ReportedPeer

  /// Whether a packet has been received over the link (Core 5.4 Vol 6 Part B 4.5: created, then established).
  var isEstablished = false
  /// When the timeline next checks this end's supervision timeout; nil if no check is scheduled.
  var supervisionCheck: Instant?
  /// When the last packet was received.
  var lastHeard: Instant

  /// Whether this end uses its radio in the current connection event.
  var isInEvent = false
  /// The number of consecutive connection events that this end missed because its radio was busy.
  var missedEvents = 0
  /// The end of the last connection event in which it took part.
  var lastEventEnd: Instant = .zero
  /// The opening of its receive windows. A peripheral may miss some events by it.
  var drift: DriftCorrection
  /// The maximum length of a connection event at this end; nil if only time limits it.
  var maximumEventLength: Duration?

  // MARK: Acknowledgement (Core 5.4 Vol 6 Part B 4.5.9)

  var sequence = false
  var expected = false
  /// The payload that was sent and not yet acknowledged.
  var inFlight: LinkPayload?
  /// The key that encrypts it, in every retransmission.
  private var inFlightKey: SessionKey?
  var control: [ControlPDU] = []
  var data = HostPacketQueue()
  /// The number of the host's packets that the peer has not fully acknowledged.
  var heldPackets = 0
  /// Data for the host that is not yet an ACL packet: its octets, whether they start an L2CAP PDU, and how many octets the PDU still lacks.
  var joined: (octets: [UInt8], isStart: Bool, missing: Int) = ([], false, 0)

  // MARK: Procedures (Core 5.4 Vol 6 Part B 5.1)

  var procedure: LinkProcedure?
  /// The start of that procedure.
  var procedureStart: Instant = .zero
  /// Whether the timeline has an entry that checks its timeout.
  var isProcedureWatched = false
  var waiting: [LinkProcedure] = []
  /// Whether this end's host has asked to disconnect.
  var isTerminating = false
  /// The peer's request that this end's host has not yet answered.
  var askedHost: LinkTimingRange?
  var remoteFeatures: LEFeatures?
  var remoteVersion: LinkVersion?
  var hasSentVersion = false
  var hostWaitsForFeatures = false
  var hostWaitsForVersion = false

  // MARK: Encryption (Core 5.4 Vol 6 Part B 5.1.3, 5.4)

  var encryption = LinkEncryption()
  var authenticatedPayloadTimeout = AuthenticatedPayloadTimeout.specificationDefault
  /// When the last packet with a valid message integrity check was received.
  var lastAuthenticated: Instant
  /// Whether the timeline has an entry that checks this, and below, the epoch of the valid one.
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
  /// The coding that this end uses on LE Coded, as its host prefers.
  var coding = RadioPHY.leCoded

  init(
    controller: VirtualController, side: LinkSide, handle: UInt16, own: OwnAddress, peer: ReportedPeer, phy: RadioPHY,
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
    drift = DriftCorrection(overhead: configuration.eventOverhead)
    localLength = LinkDataLength(
      maximumReceiveOctets: configuration.maximumDataOctets, maximumReceiveTime: configuration.maximumDataTime,
      maximumTransmitOctets: min(controller.state.suggestedDataOctets, configuration.maximumDataOctets),
      maximumTransmitTime: min(controller.state.suggestedDataTime, configuration.maximumDataTime))
  }

  var isPresent: Bool { controller != nil }

  /// Whether something waits to be sent or acknowledged. Empty packets need no connection event of their own.
  var hasWork: Bool {
    switch inFlight {
    case .data, .control: true
    case .empty, nil: hasMore
    }
  }

  /// Whether something that may be sent now is waiting.
  private var hasMore: Bool {
    encryption.isHolding ? control.contains(where: \.passesDuringEncryption) : !control.isEmpty || !data.isEmpty
  }

  func leave() { controller = nil }

  /// Applies the maximum connection event length from its host (Core 5.4 Vol 4 Part E 7.8.12), zero for none. The controller's own limit
  /// also applies. The minimum is for controllers that reserve time; these use as much as is available.
  func limitEvents(to length: ConnectionEventLength) {
    let given = length.rawValue == 0 ? nil : length.duration
    maximumEventLength = [given, controller?.configuration.maximumEventLength].compactMap { $0 }.min()
  }

  /// The number of octets after the header of its next packet, once the one in flight is acknowledged.
  var nextLength: Int {
    let isData = control.isEmpty && !encryption.isHolding
    let payload = isData ? min(data.nextLength, fragmentLimit) : control.first?.payloadLength ?? 0
    return payload > 0 && encryption.isOn ? payload + LinkLayerTime.integrityCheckOctets : payload
  }

  /// The gain over the default transmit power, in dB.
  var gain: Int { controller?.configuration.gain(of: transmitPower) ?? 0 }

  /// The maximum payload of the next data PDU by the agreed length and time.
  var fragmentLimit: Int {
    let inTime = transmitPHY.payload(withinMicroseconds: Int(effectiveLength.maximumTransmitTime))
    return max(27, min(Int(effectiveLength.maximumTransmitOctets), inTime))
  }

  /// Returns the packet to send now: an unacknowledged one again, else the next control PDU, else the next data.
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
