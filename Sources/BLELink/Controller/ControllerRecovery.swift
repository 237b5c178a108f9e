import BLECore
import BLEGAP
import BLEHCI

/// Initialization of a controller after a failure or a loss.
extension HostEngine {
  /// Handles the loss of the line to the controller, for example when a board is unplugged. All links end, and nothing is sent before `start`
  /// initializes a controller again. Values, services, published channels and the requests to the role are kept; octets that have not
  /// been sent are discarded.
  public mutating func loseController(at now: Instant, into out: inout HostOutput) {
    out.now = now
    guard !isOver else { return }
    isStarted = false
    endAllLinks(into: &out)
    forgetController(into: &out)
    commands.reset()
    supervisor = ControllerSupervisor(interval: supervisor.interval)
    deframer.reset()
    out.octets.removeAll()
    guard isShuttingDown else { return }
    // There is no peer left to disconnect.
    hasStopped = true
    out.events.append(.stopped)
  }

  /// Initializes the controller again after a failure of the controller; all links end.
  mutating func restart(_ reason: String, into out: inout HostOutput) {
    let isHopeful = noteRestart(reason, into: &out)
    endAllLinks(into: &out)
    forgetController(into: &out)
    if !isHopeful { fail(.unstable(reason), into: &out) }
  }

  private mutating func endAllLinks(into out: inout HostOutput) {
    for link in links.ids { linkEnded(link, reason: .hardwareFailure, into: &out) }
  }

  /// Sends nothing to the controller until `instant`, then initializes it again.
  mutating func leaveController(until instant: Instant, into out: inout HostOutput) {
    forgetController(into: &out)
    supervisor.bringUpDue = instant
  }

  /// Discards everything that is known about the controller, and starts initialization over.
  private mutating func forgetController(into out: inout HostOutput) {
    commands.bringUpAgain()
    hostBuffers.configure(count: 0)
    deframer.maximumDataLength = Int(UInt16.max)
    supervisor.forgetController()
    role.controllerIsLost()
    takeRoleEvents(into: &out)
  }

  /// Handles an unsolicited event that allows commands: the controller has restarted (Core 5.4 Vol 4 Part E 7.7.14), whether there are
  /// links or not. A controller that sends it during every initialization is not initialized forever.
  mutating func suspectRestart(_ reason: String, into out: inout HostOutput) {
    guard commands.isUp else {
      guard supervisor.incident?.restarts ?? 0 < Self.promptRestarts else { return }
      return restart("\(reason) during initialization", into: &out)
    }
    restart(reason, into: &out)
  }

  /// Handles a failed initialization. A refusal may answer a command that was damaged on the line, so it is final only if it is repeated.
  mutating func bringUpFailed(_ failure: ControllerFailure, into out: inout HostOutput) {
    supervisor.bringUpFailures = failure == supervisor.lastFailure ? supervisor.bringUpFailures + 1 : 1
    supervisor.lastFailure = failure
    guard watchInterval != nil, supervisor.bringUpFailures < 3 else { return fail(failure, into: &out) }
    restart("\(failure)", into: &out)
  }

  /// Does the same for a refused setting of the role: without links, everything starts over, because other commands may be damaged too.
  mutating func complained(_ complaint: String, into out: inout HostOutput) {
    guard watchInterval != nil, supervisor.bringUpFailures < 2 else { return }
    supervisor.bringUpFailures += 1
    if links.isEmpty { restart(complaint, into: &out) } else { role.tryAgain(at: out.now) }
  }

  /// Handles a controller that does not answer. If there are links, it gets a last chance before they are given up, because possibly only
  /// the command or its answer was lost.
  mutating func controllerFellSilent(_ silence: CommandFlow<CommandPurpose>.Silence, into out: inout HostOutput) {
    switch silence {
    case .resetAgain(let resets):
      forgetController(into: &out)
      fillUp(after: resets, into: &out)
    case .noAnswer(let entry):
      guard commands.isUp, watchInterval != nil, !supervisor.isTryingOn, let link = latestLink else {
        guard commands.noteSilence() else { return fail(commands.silence(after: entry.command), into: &out) }
        return restart("it did not answer \(type(of: entry.command).opcode)", into: &out)
      }
      retry(entry, asking: link, into: &out)
    case .giveUp(let failure): fail(failure, into: &out)
    }
  }

  /// The link that the controller last reported something about.
  private var latestLink: ConnectionHandle? {
    links.ids.max { links[$0].delivery.lastHeard < links[$1].delivery.lastHeard }.map { links[$0].handle }
  }

  /// Continues after a command without an answer: asks a question, and repeats the command if it belongs to a link.
  private mutating func retry(
    _ entry: CommandFlow<CommandPurpose>.Entry, asking link: ConnectionHandle, into out: inout HostOutput
  ) {
    let opcode = type(of: entry.command).opcode
    supervisor.isTryingOn = true
    supervisor.lostCommand = opcode
    if supervisor.incident == nil { supervisor.incident = LineIncident(fault: .commandLost(opcode)) }
    commands.goOn()
    var next = [question(about: link)]
    switch entry.purpose {
    case .role: role.commandLost(entry.command)
    case .link, .unknownLink: next.append(entry)
    default: break
    }
    commands.addFirst(next)
  }

  /// Completes a packet for which the controller may be waiting, because a length was damaged on the line: sends octets that begin no
  /// packet, as many as the longest command has, and more with each reset without an answer. Controllers skip those that they do not need.
  private func fillUp(after resets: Int, into out: inout HostOutput) {
    guard watchInterval != nil, resets > 1 else { return }
    out.octets.append(Array(repeating: 0, count: min(4096, (resets - 1) * (3 + 255))))
  }
}
