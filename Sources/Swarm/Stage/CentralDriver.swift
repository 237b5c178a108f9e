import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation
import UnderstudyTesting
import VirtualRadio

/// A central of the swarm. It performs each step at its time, without waiting for the outcome of the previous one.
final class CentralDriver: SwarmClient {
  let kind: CentralKind
  let name: String
  let number: Int
  var kindName: String { kind.rawValue }
  /// Its public address, if it has BR/EDR, or is also a peer over BR/EDR.
  let publicAddress: DeviceAddress?
  /// Whether its controller has BR/EDR.
  let isDual: Bool
  /// Its host. A central that comes back without disconnecting gets a new one.
  var host: ScriptedCentral
  /// The number of times that it has come back in this way.
  var visits = 0
  /// The events since the judges last looked.
  var fresh: [HostEvent] = []
  /// The requests to the accessory's server that have not been answered.
  var asked: [OperationID: Asked] = [:]
  /// The requests that were answered with success since the judges last looked.
  var answered: [Answered] = []
  /// The requests that have ended without an answer since the judges last looked. The accessory may have performed them or not.
  var unanswered: [GATTOperation] = []
  /// The requests that were refused since the judges last looked, with the error.
  var refused: [(operation: GATTOperation, error: ATTErrorCode)] = []
  /// The values that it has signed with a used counter.
  var replayed: Set<[UInt8]> = []
  /// Its user; nil if the passkey is fixed.
  var typing: PasskeyTyping?
  /// Its counts of stored records.
  var records = RecordCount()
  /// Whether it has sent PDUs by hand, which its own client does not know of.
  var hasSentByHand = false
  /// The bearers of the current link over which it has sent PDUs by hand. Their answers may belong to such a PDU.
  var bearersByHand: Set<BearerID> = []
  let accessory: TestAccessory
  /// The address of the companion on the accessory's controller.
  private let avoided: DeviceAddress?
  private var steps: ArraySlice<SwarmPlan.Step<CentralAct>>
  private(set) var due: Instant?
  var isSeeking = false
  private var heard: Advertisement?
  /// The link over BR/EDR on which the channel of ATT is to be opened.
  private var paged: ConnectionHandle?
  var channels: [ChannelID] = []
  /// When it returns to the air; nil if it is there.
  var absentUntil: Instant?

  init(
    _ plan: SwarmPlan.Central, number: Int, on air: TestAir, with accessory: TestAccessory,
    avoiding avoided: DeviceAddress?, publicAddress: DeviceAddress? = nil
  ) throws {
    isDual = plan.isDual
    self.publicAddress = plan.isDual ? Self.publicAddress(of: number) : publicAddress
    (kind, self.number, self.accessory, self.avoided) = (plan.kind, number, accessory, avoided)
    name = "\(plan.kind.rawValue) \(number)"
    steps = plan.steps[...]
    if plan.kind.typesPasskeys, accessory.profile.security.pairing.fixedPasskey == nil { typing = PasskeyTyping() }
    let address = self.publicAddress
    host = try air.radio.addCentral(
      Self.configuration(plan.kind, number: number, visit: 0, publicAddress: address, isDual: plan.isDual),
      on: Self.controller(with: address, isDual: plan.isDual))
    due = steps.first.map { air.radio.now + $0.pause }
    host.observer = { [unowned self] events in take(events) }
    try host.start()
  }

  func take(_ events: [HostEvent]) {
    for event in events {
      typing?.take(event)
      switch event {
      case .advertisement(let advertisement):
        if isSeeking, heard == nil, advertisement.isConnectable, advertisement.address != avoided,
          accessory.hasSent(advertisement)
        {
          heard = advertisement
        }
        continue
      // Enhanced bearers carry ATT PDUs, so `send` does not use them.
      case .channel(_, .opened(let status)) where status.psm != .enhancedAttributeProtocol: channels.append(status.id)
      case .channel(_, .closed(let id, _, _, _)): channels.removeAll { $0 == id }
      case .connected(let link, let details) where details.transport == .classic: paged = link
      case .disconnected: linkEnded()
      case .client(_, .ended(let id, let outcome)):
        guard let question = asked.removeValue(forKey: id) else { break }
        switch outcome {
        case .success(let result):
          answered.append(
            Answered(
              operation: question.operation, bearer: question.bearer, since: question.at, result: result))
        case .failure(.refused(let error, _, _)): refused.append((question.operation, error))
        case .failure: unanswered.append(question.operation)
        }
      case .client(_, .notification(let handle, let value)), .client(_, .indication(let handle, let value)):
        recordCame(handle, value)
      default: break
      }
      fresh.append(event)
    }
  }

  /// Forgets everything that belongs to the link.
  func linkEnded() {
    unanswered += asked.values.map(\.operation)
    (channels, records.current, asked, bearersByHand) = ([], nil, [:], [])
  }

  // MARK: - Turns

  /// Does everything that is due. Skips steps that are impossible now.
  func turn(at now: Instant, of stage: SwarmStage) {
    if let back = absentUntil, back <= now {
      absentUntil = nil
      stage.setReachable(host, true)
    }
    if let advertisement = heard { connect(to: advertisement) }
    if let link = paged {
      paged = nil
      try? host.perform(.openAttributeChannel(link))
    }
    for (link, answer) in typing?.answers(stage.typing?.shown) ?? [] {
      try? host.perform(.answerPairing(link, answer))
    }
    while let time = due, time <= now, let step = steps.popFirst() {
      due = steps.first.map { now + $0.pause }
      stage.note(name, step.act.text)
      try? perform(step.act, at: now, of: stage)
    }
    if steps.isEmpty { due = nil }
    (host.events, host.pushed) = ([], [])
  }

  /// When it has something to do next on its own.
  var nextDeadline: Instant? { Instant.earliest(due, absentUntil) }

  var link: ConnectionHandle? { host.links.first }

  private func connect(to advertisement: Advertisement) {
    (isSeeking, heard) = (false, nil)
    try? host.perform(.stopScanning)
    let phys: PHYSet = advertisement.primaryPHY == .leCoded ? .leCoded : .le1M
    var request = ConnectionRequest(
      to: advertisement.address, type: advertisement.addressType.deviceType == .random ? .random : .publicDevice,
      phys: phys)
    // Every second central has Android's supervision timeout, so that it can come back and do much before its old link ends.
    if number.isMultiple(of: 2) { request.parameters.timeout = .seconds(5) }
    try? host.perform(.connect(request))
  }

  /// Ends all activity, so that a new central has the air to itself.
  func finish(of stage: SwarmStage) {
    (steps, due, isSeeking, heard) = ([], nil, false, nil)
    if absentUntil != nil { stage.setReachable(host, true) }
    absentUntil = nil
    try? host.perform(.stopScanning)
    if host.stack.isConnecting { try? host.perform(.cancelConnecting) }
    for link in host.links { try? host.perform(.disconnect(link, reason: .remoteUserTerminatedConnection)) }
  }

  /// The link on which to ask for all records after this turn's packets.
  var wantsRecords: ConnectionHandle?
}

/// A request to a server, and its time.
struct Asked {
  var operation: GATTOperation
  /// The bearer; nil for any.
  var bearer: BearerID?
  var at: Instant
}

/// A request that a server has answered with success.
struct Answered {
  var operation: GATTOperation
  var bearer: BearerID?
  var since: Instant
  var result: GATTResult
}
