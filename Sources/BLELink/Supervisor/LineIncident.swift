import BLECore
import BLEGAP
import BLEHCI

/// One thing that went wrong on the line to the controller, with everything that follows from it.
///
/// An octet that is lost can let the host skip others, miss an answer and find a PDU broken, one after the other. Whoever
/// watches hears of it once: of a restart as soon as it is decided on, of anything less when the controller has answered
/// after it, which says that the line is in order again.
struct LineIncident: Sendable {
  /// What was noticed first; skipped octets that come to it are counted together.
  var fault: ProtocolFault
  /// Whether the controller is being brought up again because of it. It has been reported then.
  var isRestarting = false
  /// How often it was brought up again because of it.
  var restarts = 0

  /// Takes in what was noticed later.
  mutating func absorb(_ other: ProtocolFault) {
    guard case .skippedOctets(let count) = fault, case .skippedOctets(let more) = other else { return }
    fault = .skippedOctets(count + more)
  }

  /// What was noticed first, for the reason of a restart.
  var words: String {
    switch fault {
    case .skippedOctets(let count): "after \(count) octets that belong to no packet"
    case .malformedEvent(let code): "after an event 0x\([code].hexadecimal) that does not fit its layout"
    case .malformedACL: "after data that could not be reassembled"
    case .unknownConnection(let handle): "after data or an event for connection \(handle), which it had not reported"
    case .bogusCompletion: "after more completed packets than were under way"
    case .unexpectedAnswer(let opcode): "after an answer to \(opcode), which had not been sent"
    case .unknownChannel(_, let channel):
      "after data on channel 0x\([UInt8(channel >> 8), UInt8(channel & 0xFF)].hexadecimal), which does not exist"
    case .commandLost(let opcode): "after \(opcode), which it did not answer"
    default: "after something that violates the protocol"
    }
  }
}

extension HostEngine {
  /// How often in one incident the controller is brought up again at once; then only every `restartPause`.
  static var promptRestarts: Int { 3 }
  /// How long a controller that keeps restarting is left alone.
  static var restartPause: Duration { .seconds(1) }
  /// How often in one incident it is brought up again by a host that gives up at all.
  static var maximumRestarts: Int { 10 }

  /// Reports that something came that cannot be right, be it the line's fault, the controller's or a peer's: at once where nobody
  /// watches the line; else as one incident, which the answer to a question ends.
  mutating func report(_ fault: ProtocolFault, into out: inout HostOutput) {
    if case .skippedOctets = fault { suspectParts() }
    if supervisor.incident != nil {
      supervisor.incident?.absorb(fault)
    } else if watchInterval == nil {
      out.events.append(.fault(fault))
    } else {
      supervisor.incident = LineIncident(fault: fault)
      askSomething()
    }
  }

  /// Octets were lost, perhaps of PDUs that are on their way: what is found missing of those is the same incident.
  private mutating func suspectParts() {
    for link in links.ids { links[link].mayMissOctets = true }
  }

  /// The controller has answered, so what was noticed before had no consequences.
  mutating func lineAnswered(into out: inout HostOutput) {
    guard let ended = supervisor.incident, !ended.isRestarting, supervisor.forgottenLinks.isEmpty else { return }
    supervisor.incident = nil
    out.events.append(.fault(ended.fault))
  }

  /// Reports that the controller is brought up again, once in an incident; false when that has come to nothing too often.
  mutating func noteRestart(_ reason: String, at now: Instant, into out: inout HostOutput) -> Bool {
    if supervisor.incident?.isRestarting != true {
      let before = supervisor.incident.map { " (\($0.words))" } ?? ""
      let fault = ProtocolFault.controllerRestarted(reason + before)
      out.events.append(.fault(fault))
      supervisor.incident = LineIncident(fault: fault, isRestarting: true)
    }
    supervisor.incident?.restarts += 1
    let restarts = supervisor.incident?.restarts ?? 0
    guard resetAttempts == .max || restarts <= Self.maximumRestarts else { return false }
    if restarts > Self.promptRestarts { supervisor.bringUpDue = now + Self.restartPause }
    return true
  }
}
