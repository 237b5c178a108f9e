import BLECore
import BLEGAP
import BLEHCI

/// Bringing a controller up again.
extension HostEngine {
  /// The line to the controller is gone, as when a board is unplugged. All links have ended, and nothing is sent before `start`
  /// brings a controller up again. Values, services, published channels and what is wanted of the role stay; octets that were
  /// not sent are forgotten.
  public mutating func loseController(at now: Instant, into out: inout HostOutput) {
    guard !isOver else { return }
    isStarted = false
    endAllLinks(at: now, into: &out)
    forgetController(at: now, into: &out)
    commands.reset()
    supervisor = ControllerSupervisor(interval: supervisor.interval)
    deframer.reset()
    out.octets.removeAll()
    guard isShuttingDown else { return }
    // Nobody is left to say goodbye to.
    hasStopped = true
    out.events.append(.stopped)
  }

  /// Brings the controller up again after a fault of its own: all links are gone.
  mutating func restart(_ reason: String, at now: Instant, into out: inout HostOutput) {
    let isHopeful = noteRestart(reason, at: now, into: &out)
    endAllLinks(at: now, into: &out)
    forgetController(at: now, into: &out)
    if !isHopeful { fail(.unstable(reason), into: &out) }
  }

  private mutating func endAllLinks(at now: Instant, into out: inout HostOutput) {
    for link in links.ids { linkEnded(link, reason: .hardwareFailure, at: now, into: &out) }
  }

  /// Leaves the controller alone until then, and brings it up anew.
  mutating func leaveController(until instant: Instant, at now: Instant, into out: inout HostOutput) {
    forgetController(at: now, into: &out)
    supervisor.bringUpDue = instant
  }

  /// Begins with bring-up anew.
  private mutating func forgetController(at now: Instant, into out: inout HostOutput) {
    commands.bringUpAgain()
    hostBuffers.configure(count: 0)
    deframer.maximumDataLength = Int(UInt16.max)
    supervisor.forgetController()
    role.controllerIsLost()
    takeRoleEvents(at: now, into: &out)
  }

  /// A controller that says without a reason that it takes commands has restarted (Core 5.4 Vol 4 Part E 7.7.14), whether there are
  /// links or not. One that does so every time it is brought up is not brought up for ever.
  mutating func suspectRestart(_ reason: String, at now: Instant, into out: inout HostOutput) {
    guard commands.isUp else {
      guard supervisor.incident?.restarts ?? 0 < Self.promptRestarts else { return }
      return restart("\(reason) while it was brought up", at: now, into: &out)
    }
    restart(reason, at: now, into: &out)
  }

  /// A refusal may be the answer to a command that the line has damaged, and is the end only when the same comes again and again.
  mutating func bringUpFailed(_ failure: ControllerFailure, at now: Instant, into out: inout HostOutput) {
    supervisor.bringUpFailures = failure == supervisor.lastFailure ? supervisor.bringUpFailures + 1 : 1
    supervisor.lastFailure = failure
    guard watchInterval != nil, supervisor.bringUpFailures < 3 else { return fail(failure, into: &out) }
    restart("\(failure)", at: now, into: &out)
  }

  /// The same for what the role has told: without links everything begins anew, because more than this command may be damaged.
  mutating func complained(_ complaint: String, at now: Instant, into out: inout HostOutput) {
    guard watchInterval != nil, supervisor.bringUpFailures < 2 else { return }
    supervisor.bringUpFailures += 1
    if links.isEmpty { restart(complaint, at: now, into: &out) } else { role.tryAgain(at: now) }
  }

  /// The controller does not answer. With links it gets a last chance before they are given up: only the command or its answer
  /// may be lost.
  mutating func controllerFellSilent(
    _ silence: CommandFlow<CommandPurpose>.Silence, at now: Instant, into out: inout HostOutput
  ) {
    switch silence {
    case .resetAgain(let resets):
      forgetController(at: now, into: &out)
      fillUp(after: resets, into: &out)
    case .noAnswer(let entry):
      guard commands.isUp, watchInterval != nil, !supervisor.isTryingOn, let link = latestLink else {
        guard commands.noteSilence() else { return fail(commands.silence(after: entry.command), into: &out) }
        return restart("it did not answer \(type(of: entry.command).opcode)", at: now, into: &out)
      }
      retry(entry, asking: link, into: &out)
    case .giveUp(let failure): fail(failure, into: &out)
    }
  }

  /// The link that was heard of last.
  private var latestLink: ConnectionHandle? {
    links.ids.max { links[$0].delivery.lastHeard < links[$1].delivery.lastHeard }.map { links[$0].handle }
  }

  /// Goes on after a command that was not answered: with a question, and with the command once more.
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

  /// Gives a controller the rest of the packet that it may be waiting for, because a length was damaged on the line: octets
  /// that begin no packet, as many as a command has at most, and more with each reset that is not answered. Controllers pass
  /// over those that they do not need.
  private func fillUp(after resets: Int, into out: inout HostOutput) {
    guard watchInterval != nil, resets > 1 else { return }
    out.octets.append(Array(repeating: 0, count: min(4096, (resets - 1) * (3 + 255))))
  }
}
