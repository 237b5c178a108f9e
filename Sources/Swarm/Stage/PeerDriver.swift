import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import BLESMP
import Simulation
import UnderstudyTesting
import VirtualRadio

/// A peer of the swarm over BR/EDR. It performs each step at its time, without waiting for the outcome of the previous one.
final class PeerDriver: SwarmClient {
  /// A PDU that the accessory has sent on a channel.
  struct Received {
    enum Place: Hashable {
      case attribute, discovery, security
      /// A channel that it does not have.
      case other(ChannelID)
    }

    var place: Place
    var octets: [UInt8]
    /// Whether the link was encrypted, or had been until shortly before.
    var isEncrypted: Bool
  }

  let kind: PeerKind
  let name: String
  let peer: ClassicPeer
  let accessory: TestAccessory
  /// The central that is the same device; nil if none is.
  let central: CentralDriver?
  /// What has come since the judges last looked.
  var received: [Received] = []
  /// The reasons for which channels have closed since the judges last looked.
  var closed: [(psm: PSM, closure: ClassicChannelClosure)] = []
  /// What its clients have reported since the judges last looked.
  var findings: [String] = []
  var attributes = AttributeExchange()
  var discovery = DiscoveryExchange()
  /// The digits that it shows.
  var shown: UInt32?
  /// Whether it has sent frames by hand on this link, of which its channels do not know.
  var hasSentByHand = false
  /// The PSMs of its channels.
  var psms: [ChannelID: PSM] = [:]
  var isPaging = false
  /// Whether it has begun to derive the keys of LE, and has yet to send its own.
  var hasAskedForKeys = false
  /// Whether both sides have agreed that it sends its identity.
  var sendsIdentity = false
  var absentUntil: Instant?
  private var steps: ArraySlice<SwarmPlan.Step<PeerAct>>
  private(set) var due: Instant?
  private var lastEncrypted: Instant?

  /// How long PDUs may still arrive after the encryption has ended.
  private static let tolerance = Duration.seconds(1)

  init(
    _ plan: SwarmPlan.Peer, number: Int, beside central: CentralDriver?, on air: TestAir, with accessory: TestAccessory
  ) {
    (kind, self.accessory, self.central) = (plan.kind, accessory, central)
    name = "\(plan.kind.rawValue) over BR/EDR \(number)"
    steps = plan.steps[...]
    peer = air.radio.addClassicPeer(Self.address(of: number), usesSecureConnections: plan.kind != .old)
    (peer.conduct.capability, peer.conduct.requirements) = plan.kind.pairing
    due = steps.first.map { air.radio.now + $0.pause }
  }

  /// Returns the public address of the peer with this number.
  static func address(of number: Int) -> DeviceAddress { DeviceAddress(bits: 0x00A0_9600_0000 + UInt64(number)) }

  /// When it has something to do next on its own.
  var nextDeadline: Instant? {
    Instant.earliest(Instant.earliest(due, absentUntil), attributes.nextDeadline)
  }

  var answered: [Answered] { attributes.answered }
  var refused: [(operation: GATTOperation, error: ATTErrorCode)] { attributes.refused }
  var bearersByHand: Set<BearerID> { attributes.isByHand ? [.fixed] : [] }
  var kindName: String { kind.rawValue }

  func forgetAnswers() {
    (attributes.answered, attributes.refused, discovery.answers) = ([], [], [])
    (received, closed, findings) = ([], [], [])
  }

  // MARK: - Turns

  /// Handles what has come.
  func collect(at now: Instant) {
    let events = peer.events
    peer.events = []
    for event in events {
      switch event {
      case .connected: isPaging = false
      case .connectionFailed: isPaging = false
      case .disconnected: linkEnded()
      case .encrypted(let isOn): lastEncrypted = isOn ? nil : now
      case .authenticated(.success):
        if !peer.isEncrypted { encrypt(true) }
      case .shown(let digits): shown = digits
      case .channel(.closed(let id, let psm, let closure, _)):
        closed.append((psm, closure))
        if psm == .attributeProtocol { attributes.end() }
        if id == discovery.channel { discovery.end() }
        psms[id] = nil
      case .sdu(let id, let octets): receive(octets, on: id, at: now)
      case .frame(.classicSecurityManager, let octets):
        note(.security, octets, at: now)
        continueDerivation(octets)
      case .frame(let id, let octets): note(.other(id), octets, at: now)
      default: break
      }
    }
  }

  private func receive(_ octets: [UInt8], on id: ChannelID, at now: Instant) {
    if psms[id] == .attributeProtocol {
      note(.attribute, octets, at: now)
      attributes.receive(octets, at: now, findings: &findings)
      followUp()
    } else {
      note(.discovery, octets, at: now)
      var next = OctetBuffer()
      discovery.receive(octets, at: now, next: &next, findings: &findings)
      if !next.isEmpty { send(next.copy(), on: id) }
    }
  }

  private func note(_ place: Received.Place, _ octets: [UInt8], at now: Instant) {
    let isEncrypted = peer.isEncrypted || lastEncrypted.map { now - $0 < Self.tolerance } ?? false
    received.append(Received(place: place, octets: octets, isEncrypted: isEncrypted))
  }

  private func linkEnded() {
    (isPaging, hasSentByHand, lastEncrypted, shown) = (false, false, nil, nil)
    (psms, hasAskedForKeys) = ([:], false)
    attributes.end()
    discovery.end()
  }

  /// Does everything that is due. Skips steps that are impossible now.
  func turn(at now: Instant, of stage: SwarmStage) {
    collect(at: now)
    if let back = absentUntil, back <= now {
      absentUntil = nil
      setReachable(true, of: stage)
    }
    for reply in attributes.takeReplies(at: now) { sendAttribute(reply) }
    while let time = due, time <= now, let step = steps.popFirst() {
      due = steps.first.map { now + $0.pause }
      stage.note(name, step.act.text)
      perform(step.act, at: now, of: stage)
    }
    if steps.isEmpty { due = nil }
    stage.exchange()
    collect(at: now)
  }

  func setReachable(_ isReachable: Bool, of stage: SwarmStage) {
    stage.simulation.air.setReachable(peer.controller, accessory.simulated.controller, isReachable)
  }

  /// Ends all activity.
  func finish(of stage: SwarmStage) {
    (steps, due) = ([], nil)
    if absentUntil != nil { setReachable(true, of: stage) }
    absentUntil = nil
    if isPaging { peer.send(HCICreateConnectionCancel { $0.address = stage.classicAddress }) }
    disconnect()
  }

  func disconnect() {
    guard let link = peer.link else { return }
    peer.send(HCIDisconnect { $0.connectionHandle = link })
  }

  func encrypt(_ isOn: Bool) {
    guard let link = peer.link else { return }
    peer.send(
      HCISetConnectionEncryption {
        $0.connectionHandle = link
        $0.isEnabled = isOn
      })
  }

  // MARK: - Channels

  /// Returns its open channel to a PSM.
  func channel(_ psm: PSM) -> ClassicChannelStatus? { peer.channels.all.first { $0.psm == psm && $0.isOpen } }

  @discardableResult
  func send(_ octets: [UInt8], on channel: ChannelID) -> Bool {
    peer.channels.send(octets.span, on: channel) == .queued
  }

  @discardableResult
  func sendAttribute(_ pdu: [UInt8]) -> Bool { channel(.attributeProtocol).map { send(pdu, on: $0.id) } ?? false }

  /// Sends the next request of a discovery.
  private func followUp() {
    guard let next = attributes.takeNext() else { return }
    sendAttribute(next)
  }
}

extension PeerKind {
  /// What its user can see and enter, and what it requires of a pairing.
  var pairing: (SimplePairingIOCapability, AuthenticationRequirements) {
    switch self {
    case .phone: (.displayYesNo, .generalBondingMITM)
    case .keyboard: (.keyboardOnly, .generalBondingMITM)
    case .display: (.displayOnly, .dedicatedBonding)
    case .headset: (.noInputNoOutput, .generalBonding)
    case .old: (.displayYesNo, .generalBonding)
    case .hostile: (.noInputNoOutput, .noBonding)
    }
  }
}
