import Bench
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Transport

/// What happens from the end of one session to the connection of the next, and what ends a session.
extension SoakCentral {
  mutating func finishTurn(at now: Instant, into out: inout HostOutput) {
    while !out.events.isEmpty {
      let events = out.events
      out.events.removeAll(keepingCapacity: true)
      for event in events { take(event, at: now, into: &out) }
    }
  }

  /// Does what is due or overdue.
  mutating func due(at now: Instant, into out: inout HostOutput) {
    deadline = nil
    switch phase {
    case .starting:
      fault("the controller is not up after \(Self.startLimit)", at: now)
      restartHost(at: now, into: &out)
    case .seeking:
      fault("the accessory does not advertise after \(seekingLimit)", at: now)
      // So that the central can go on, the driver starts the accessory again.
      task = SoakTask(central: number, end: .accessoryHostRestart, timeout: .zero)
      ledger.count(.accessoryRestarts)
      deadline = now + seekingLimit
    case .falling: restartHost(at: now, into: &out)
    case .resting: if hasMore { connect(at: now, into: &out) }
    case .connecting: connectionFailed("no connection within \(Self.connectionLimit)", at: now, into: &out)
    case .running:
      if case .pause = session.action { return advance(at: now, into: &out) }
      abandon("not done after \(Self.actionLimit)", at: now, into: &out)
    case .leaving:
      if !session.isInterrupted { fault("the link has not ended", at: now) }
      restartHost(at: now, into: &out)
    }
  }

  mutating func take(_ event: HostEvent, at now: Instant, into out: inout HostOutput) {
    switch event {
    case .controllerReady: if phase == .starting { seek(at: now, into: &out) }
    case .controllerFailed(let failure):
      fault("the controller cannot be used: \(failure)", at: now)
      restartHost(at: now, into: &out)
    case .advertisement: if phase == .seeking { heard(at: now, into: &out) }
    case .scanning(let isOn): if phase == .falling, !isOn { rest(at: now) }
    case .connected(let handle, _): connected(handle, at: now, into: &out)
    case .connectionFailed(let status):
      if phase == .connecting { connectionFailed("no connection: \(status)", at: now, into: &out) }
    case .disconnected(let handle, let reason):
      if handle == session.link { disconnected(reason, at: now, into: &out) }
    case .fault(let fault): take(fault, at: now, into: &out)
    default: takeInSession(event, at: now, into: &out)
    }
  }

  private mutating func take(_ fault: ProtocolFault, at now: Instant, into out: inout HostOutput) {
    switch fault {
    case .controllerRestarted(let reason):
      // What the central was doing begins anew when the controller is up.
      guard phase != .starting else { return }
      let isPlanned = phase == .leaving && session.plan.end.isOfCentralController
      if !isPlanned, !session.isInterrupted { self.fault("the central's controller was restarted: \(reason)", at: now) }
      if isInSession { finishSession() }
      phase = .starting
      deadline = now + Self.startLimit
    case .transactionTimeout where phase == .leaving && session.plan.end.isUnannounced: break
    case .transactionTimeout where session.isInterrupted: break
    // Packets that are under way when a link ends may arrive after its end.
    case .unknownConnection where phase != .running: break
    default: self.fault("\(fault)", at: now)
    }
  }

  // MARK: Between sessions

  /// Listens until the accessory advertises.
  mutating func seek(at now: Instant, into out: inout HostOutput) {
    phase = .seeking
    deadline = now + seekingLimit
    perform(.scan(ScanRequest(isActive: false, filter: ScanFilter(address: configuration.peer))), at: now, into: &out)
  }

  private mutating func heard(at now: Instant, into out: inout HostOutput) {
    if let left {
      if left.end?.isRestart == true { ledger.recoveries.add(now - left.at) } else { ledger.returns.add(now - left.at) }
    }
    left = nil
    phase = .falling
    deadline = now + Self.startLimit
    perform(.stopScanning, at: now, into: &out)
  }

  private mutating func rest(at now: Instant) {
    var plan = SoakPlan(&random, configuration.pace, ends: configuration.ends)
    if !configuration.knowsAccessory { plan.generalize() }
    session = SoakSession(plan: plan)
    phase = .resting
    deadline = now + plan.rest
  }

  private mutating func connect(at now: Instant, into out: inout HostOutput) {
    phase = .connecting
    deadline = now + Self.connectionLimit
    session.attempts += 1
    perform(
      .connect(
        ConnectionRequest(to: configuration.peer, type: configuration.peerType, parameters: session.plan.parameters)),
      at: now, into: &out)
  }

  private mutating func connectionFailed(_ reason: String, at now: Instant, into out: inout HostOutput) {
    // Two centrals may have tried at the same time, or the link was never heard.
    guard session.attempts < 5, !session.isInterrupted else {
      if !session.isInterrupted { fault(reason, at: now) }
      finishSession()
      return restartHost(at: now, into: &out)
    }
    ledger.count(.connectionRetries)
    guard stack.isConnecting else { return connect(at: now, into: &out) }
    // The end of the attempt is reported as another failure.
    deadline = now + Self.connectionLimit
    perform(.cancelConnecting, at: now, into: &out)
  }

  private mutating func connected(_ handle: ConnectionHandle, at now: Instant, into out: inout HostOutput) {
    guard phase == .connecting else { return fault("an unexpected connection", at: now) }
    session.link = handle
    session.position = -1
    phase = .running
    advance(at: now, into: &out)
  }

  func isPresent(_ handle: ConnectionHandle) -> Bool { stack.linkStates.contains { $0.handle == handle } }

  // MARK: The end of a session

  /// Ends the session as planned.
  mutating func leave(at now: Instant, into out: inout HostOutput) {
    phase = .leaving
    left = (now, session.plan.end)
    let timeout = session.plan.parameters.timeout
    deadline = now + timeout + (session.plan.end.isUnannounced ? Self.silenceLimit : Self.leavingLimit)
    switch session.plan.end {
    case .centralDisconnects:
      // If the link has ended already, the event is on its way.
      guard isPresent(session.link) else { break }
      perform(.disconnect(session.link, reason: .remoteUserTerminatedConnection), at: now, into: &out)
    case .centralHostRestart:
      finishSession()
      replaceHost(at: now, into: &out)
    default: task = SoakTask(central: number, end: session.plan.end, timeout: timeout)
    }
  }

  private mutating func disconnected(_ reason: ErrorCode, at now: Instant, into out: inout HostOutput) {
    switch phase {
    case .running, .connecting:
      if !session.isInterrupted, !isLoss(reason) { fault("the link ended: \(reason)", at: now) }
      left = (now, nil)
    case .leaving:
      if !session.isInterrupted, !isExpected(reason) { fault("the link ended for another reason: \(reason)", at: now) }
    default: return
    }
    finishSession()
    seek(at: now, into: &out)
  }

  var isInSession: Bool { phase == .connecting || phase == .running || phase == .leaving }

  /// Returns whether a link ended for a reason that bad radio can cause.
  private func isLoss(_ reason: ErrorCode) -> Bool {
    switch reason {
    case .connectionTimeout: configuration.toleratesLoss
    // An accessory with several links has only one radio, and may miss the beginning of another link.
    case .connectionFailedToBeEstablished: configuration.toleratesLoss || configuration.hasRivals
    default: false
    }
  }

  /// Returns whether that is the right reason for a link that ends as planned.
  private func isExpected(_ reason: ErrorCode) -> Bool {
    if isLoss(reason) { return true }
    switch session.plan.end {
    case .centralDisconnects: return reason == .connectionTerminatedByLocalHost
    case .accessoryDisconnects: return reason == .remoteUserTerminatedConnection
    // An accessory that is stopped tells its centrals before it stops.
    case .accessoryHostRestart where reason == .remoteDeviceTerminatedPowerOff: return true
    // A link that is lost before it was heard has another reason.
    default:
      return reason == .connectionTimeout
        || (session.plan.actions.isEmpty && reason == .connectionFailedToBeEstablished)
    }
  }

  private mutating func finishSession() {
    // The task was to end this session; by now it would hit something else.
    task = nil
    ledger.count(.sessions)
    if !session.isAbandoned { ledger.count(session.plan.end) }
  }

  mutating func perform(_ request: CentralRequest, at now: Instant, into out: inout HostOutput) {
    do throws(HostRequestError) { try stack.perform(request, at: now, into: &out) } catch {
      fault("the host refuses: \(error)", at: now)
    }
  }
}
