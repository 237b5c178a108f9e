import BLECore
import BLEHCI

/// What the engine does about the controller, as its `ControllerInterface` decides.
extension HostEngine {
  /// Handles the loss of the line to the controller, for example when a board is unplugged. All links end, and nothing is sent before `start`
  /// initializes a controller again. Values, services, published channels and the requests to the role are kept; octets that have not
  /// been sent are discarded.
  public mutating func loseController(at now: Instant, into out: inout HostOutput) {
    out.now = now
    guard !isOver else { return }
    let isShuttingDown = phase == .shuttingDown
    phase = .waiting
    endAllLinks(into: &out)
    forgetController(into: &out)
    hci.lineLost()
    out.octets.removeAll()
    // There is no peer left to disconnect.
    if isShuttingDown { stop(into: &out) }
  }

  /// Carries out what follows from what the controller did or did not do.
  mutating func carryOut(_ action: ControllerAction?, into out: inout HostOutput) {
    switch action {
    case .restart(let reason): restart(reason, into: &out)
    case .resetAgain(let resets):
      forgetController(into: &out)
      hci.fillUp(after: resets, into: &out.octets)
    case .fail(let failure): fail(failure, into: &out)
    case .endLinks(let handles):
      for handle in handles {
        guard let link = links.id(of: handle) else { continue }
        out.events.append(.fault(.linkForgotten(handle)))
        linkEnded(link, reason: .unspecifiedError, into: &out)
      }
    case .report(let fault): out.events.append(.fault(fault))
    case .repeatCommand(let command, let subject): role.commandLost(command, about: subject)
    case .repeatSettings: role.tryAgain(at: out.now)
    case nil: break
    }
  }

  /// Initializes the controller again after a failure of the controller; all links end.
  private mutating func restart(_ reason: String, into out: inout HostOutput) {
    let restart = hci.noteRestart(reason, at: out.now)
    if let report = restart.report { out.events.append(.fault(report)) }
    endAllLinks(into: &out)
    forgetController(into: &out)
    if !restart.isHopeful { fail(.unstable(reason), into: &out) }
  }

  private mutating func endAllLinks(into out: inout HostOutput) {
    for link in links.ids { linkEnded(link, reason: .hardwareFailure, into: &out) }
  }

  /// Sends nothing to the controller until `instant`, then initializes it again.
  mutating func leaveController(until instant: Instant, into out: inout HostOutput) {
    forgetController(into: &out)
    hci.supervisor.bringUpDue = instant
  }

  /// Discards everything that is known about the controller, and starts initialization over.
  private mutating func forgetController(into out: inout HostOutput) {
    hci.startOver()
    role.controllerIsLost()
    takeRoleEvents(into: &out)
  }

  mutating func fail(_ failure: ControllerFailure, into out: inout HostOutput) {
    guard phase != .failed else { return }
    phase = .failed
    out.events.append(.controllerFailed(failure))
  }

  // MARK: - Supervision

  /// Reports invalid input, whether the line, the controller or a peer is the cause.
  mutating func report(_ fault: ProtocolFault, into out: inout HostOutput) {
    if case .skippedOctets = fault {
      // PDUs that are found incomplete because of this belong to the same incident.
      for link in links.ids { links[link].mayMissOctets = true }
    }
    if let report = hci.note(fault, links: supervisedLinks) { out.events.append(.fault(report)) }
  }

  /// The links, as the supervision of the controller needs to know them.
  var supervisedLinks: [SupervisedLink] {
    links.ids.map {
      SupervisedLink(
        handle: links[$0].handle, isClassic: links[$0].isClassic, lastHeard: links[$0].delivery.lastHeard)
    }
  }

  /// Handles everything that is due.
  mutating func supervise(into out: inout HostOutput) {
    let now = out.now
    if let due = hci.supervisor.bringUpDue, due <= now { hci.supervisor.bringUpDue = nil }
    for handle in hci.supervisor.takeOverdue(at: now) where links.id(of: handle) == nil {
      unknownLinkSpoke(handle, into: &out)
    }
    guard hci.supervisor.isDue(at: now), hci.commands.isUp else { return }
    carryOut(hci.checkForgottenLinks(among: supervisedLinks), into: &out)
    for link in links.ids { checkDelivery(of: link, into: &out) }
    checkEncryption(into: &out)
    if phase != .shuttingDown { hci.askWhatIsDue(supervisedLinks, role: role, at: now) }
  }

  /// Handles data for an unknown connection, or one that should have been reported: either its connection event was lost on the line, or
  /// its end was reported before its last data. The controller is made to end it, because its peer gets no answers, and the
  /// controller's answer shows which case it is.
  mutating func unknownLinkSpoke(_ handle: ConnectionHandle, into out: inout HostOutput) {
    guard !hci.supervisor.unknownLinks.contains(handle) else { return }
    if watchInterval != nil, hci.commands.isUp, links.id(of: handle) == nil { hci.endUnknownLink(handle) }
    report(.unknownConnection(handle), into: &out)
  }

  /// Handles the end of an unknown connection.
  mutating func unknownLinkEnded(_ handle: ConnectionHandle, into out: inout HostOutput) {
    if hci.supervisor.unknownLinks.remove(handle) == nil { report(.unknownConnection(handle), into: &out) }
    guard watchInterval != nil, hci.commands.isUp else { return }
    if links.isEmpty {
      carryOut(.restart("it ended a connection that it had not reported"), into: &out)
    } else {
      // That connection has ended legacy advertising.
      role.connectionCompleted(.success, handle)
      role.linkChecked(handle)
      takeRoleEvents(into: &out)
    }
  }

  /// Handles packets that the controller has not reported as completed.
  private mutating func checkDelivery(of link: LinkID, into out: inout HostOutput) {
    guard !links[link].isClosing else { return }
    let handle = links[link].handle
    let verdict = links[link].delivery.check(
      completed: scheduler.completedPackets(handle), outstanding: scheduler.outstandingPackets(handle),
      details: links[link].details, at: out.now)
    switch verdict {
    case .missed(let last):
      let missed = scheduler.writeOff(handle, through: last)
      out.events.append(.fault(.completionsMissed(handle, missed)))
    case .late: askPeer(link, into: &out)
    case .stalled:
      out.events.append(.fault(.stalled(handle)))
      disconnect(link, reason: .remoteUserTerminatedConnection)
    case nil: break
    }
  }
}
