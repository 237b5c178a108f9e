import BLECore
import BLEGAP
import BLEHCI

/// What follows when the controller fails: when it restarts, refuses what it has to accept, or is silent.
extension ControllerInterface {
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
    var next = [question(about: link)]
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
