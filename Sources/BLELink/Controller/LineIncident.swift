import BLECore
import BLEGAP
import BLEHCI

/// One failure on the line to the controller, with all its consequences.
///
/// After a lost octet, the host may skip others, miss an answer and find a broken PDU. Observers get one report of all this: a restart is
/// reported as soon as it is decided, anything less after the controller's next answer, which shows that the line works again.
struct LineIncident: Sendable {
  /// The first fault; later skipped octets are added to it.
  var fault: ProtocolFault
  /// Whether the controller is being initialized again because of it. If so, it has been reported.
  var isRestarting = false
  /// How often the controller was initialized again because of it.
  var restarts = 0

  /// Adds a later fault.
  mutating func absorb(_ other: ProtocolFault) {
    guard case .skippedOctets(let count) = fault, case .skippedOctets(let more) = other else { return }
    fault = .skippedOctets(count + more)
  }

  /// The first fault, as part of the reason for a restart.
  var words: String {
    switch fault {
    case .skippedOctets(let count): "after \(count) octets that belong to no packet"
    case .malformedEvent(let code): "after an event 0x\([code].hexadecimal) that does not fit its layout"
    case .malformedACL: "after data that could not be reassembled"
    case .unknownConnection(let handle): "after data or an event for connection \(handle), which it had not reported"
    case .bogusCompletion: "after more completed packets than were outstanding"
    case .unexpectedAnswer(let opcode): "after an answer to \(opcode), which had not been sent"
    case .unknownChannel(_, let channel):
      "after data on channel 0x\([UInt8(channel >> 8), UInt8(channel & 0xFF)].hexadecimal), which does not exist"
    case .commandLost(let opcode): "after \(opcode), which it did not answer"
    default: "after something that violates the protocol"
    }
  }
}

/// Reports of what is wrong on the line or with the controller, and the decision when the controller is initialized again.
extension ControllerInterface {
  /// How many times in one incident the controller is initialized again at once; after that, only every `restartPause`.
  private static var promptRestarts: Int { 3 }
  /// The pause before a controller that keeps restarting is initialized again.
  static var restartPause: Duration { .seconds(1) }
  /// How many times in one incident it is initialized again, unless the host waits for controllers without a limit.
  private static var maximumRestarts: Int { 10 }

  /// Notes invalid input, and returns what is reported at once: everything if the line is not supervised; otherwise nothing, because an
  /// incident ends with the next answer.
  mutating func note(_ fault: ProtocolFault, links: [SupervisedLink]) -> ProtocolFault? {
    if supervisor.incident != nil {
      supervisor.incident?.absorb(fault)
      return nil
    }
    guard supervisor.interval != nil else { return fault }
    supervisor.incident = LineIncident(fault: fault)
    askSomething(links)
    return nil
  }

  /// Ends an incident, because the controller has answered: the fault had no further consequences. Returns what is reported.
  mutating func lineAnswered() -> ProtocolFault? {
    guard let ended = supervisor.incident, !ended.isRestarting, supervisor.forgottenLinks.isEmpty else { return nil }
    supervisor.incident = nil
    return ended.fault
  }

  /// Notes that the controller is being initialized again. Returns what is reported, once per incident, and whether there is hope: not
  /// if it has failed too often.
  mutating func noteRestart(_ reason: String, at now: Instant) -> (report: ProtocolFault?, isHopeful: Bool) {
    var report: ProtocolFault?
    if supervisor.incident?.isRestarting != true {
      let before = supervisor.incident.map { " (\($0.words))" } ?? ""
      let fault = ProtocolFault.controllerRestarted(reason + before)
      report = fault
      supervisor.incident = LineIncident(fault: fault, isRestarting: true)
    }
    supervisor.incident?.restarts += 1
    let restarts = supervisor.incident?.restarts ?? 0
    guard commands.resetAttempts == .max || restarts <= Self.maximumRestarts else { return (report, false) }
    if restarts > Self.promptRestarts { supervisor.bringUpDue = now + Self.restartPause }
    return (report, true)
  }

  /// Handles an unsolicited event that allows commands: the controller has restarted (Core 5.4 Vol 4 Part E 7.7.14), whether there are
  /// links or not. A controller that sends it during every initialization is not initialized forever.
  func suspectRestart(_ reason: String) -> ControllerAction? {
    guard !commands.isUp else { return .restart(reason) }
    guard supervisor.incident?.restarts ?? 0 < Self.promptRestarts else { return nil }
    return .restart("\(reason) during initialization")
  }

  /// Handles a failed initialization. A refusal may answer a command that was damaged on the line, so it is final only if it is repeated.
  mutating func bringUpFailed(_ failure: ControllerFailure) -> ControllerAction {
    supervisor.bringUpFailures = failure == supervisor.lastFailure ? supervisor.bringUpFailures + 1 : 1
    supervisor.lastFailure = failure
    guard supervisor.interval != nil, supervisor.bringUpFailures < 3 else { return .fail(failure) }
    return .restart("\(failure)")
  }

  /// Does the same for a refused setting of the role: without links, everything starts over, because other commands may be damaged too.
  mutating func settingRefused(_ complaint: String, hasLinks: Bool) -> ControllerAction? {
    guard supervisor.interval != nil, supervisor.bringUpFailures < 2 else { return nil }
    supervisor.bringUpFailures += 1
    return hasLinks ? .repeatSettings : .restart(complaint)
  }

  /// Handles a controller that does not answer. If there are links, it gets a last chance before they are given up, because possibly only
  /// the command or its answer was lost.
  mutating func fellSilent(
    _ silence: CommandFlow<CommandPurpose>.Silence, links: [SupervisedLink]
  ) -> ControllerAction? {
    switch silence {
    case .resetAgain(let resets): return .resetAgain(after: resets)
    case .noAnswer(let entry):
      guard commands.isUp, supervisor.interval != nil, !supervisor.isOnLastChance,
        let latest = links.max(by: { $0.lastHeard < $1.lastHeard })
      else {
        guard commands.noteSilence() else { return .fail(commands.silence(after: entry.command)) }
        return .restart("it did not answer \(type(of: entry.command).opcode)")
      }
      return retry(entry, asking: latest)
    case .giveUp(let failure): return .fail(failure)
    }
  }

  /// Continues after a command without an answer: asks a question, and repeats the command if it belongs to a link.
  private mutating func retry(
    _ entry: CommandFlow<CommandPurpose>.Entry, asking link: SupervisedLink
  ) -> ControllerAction? {
    let opcode = type(of: entry.command).opcode
    supervisor.isOnLastChance = true
    supervisor.lostCommand = opcode
    if supervisor.incident == nil { supervisor.incident = LineIncident(fault: .commandLost(opcode)) }
    commands.goOn()
    var next = [question(about: link.handle)]
    var action: ControllerAction?
    switch entry.purpose {
    case .role(let subject): action = .repeatCommand(entry.command, subject)
    case .link, .unknownLink: next.append(entry)
    default: break
    }
    commands.addFirst(next)
    return action
  }

  /// Completes a packet for which the controller may be waiting, because a length was damaged on the line: sends octets that begin no
  /// packet, as many as the longest command has, and more with each reset without an answer. Controllers skip those that they do not need.
  func fillUp(after resets: Int, into octets: inout OctetBuffer) {
    guard supervisor.interval != nil, resets > 1 else { return }
    octets.append(Array(repeating: 0, count: min(4096, (resets - 1) * (3 + 255))))
  }
}
