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

extension HostEngine {
  /// How many times in one incident the controller is initialized again at once; after that, only every `restartPause`.
  static var promptRestarts: Int { 3 }
  /// The pause before a controller that keeps restarting is initialized again.
  static var restartPause: Duration { .seconds(1) }
  /// How many times in one incident it is initialized again, unless the host waits for controllers without a limit.
  static var maximumRestarts: Int { 10 }

  /// Reports invalid input, whether the line, the controller or a peer is the cause: at once if the line is not supervised; otherwise
  /// as an incident, which ends with the next answer.
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

  /// Notes on all links that octets were lost, perhaps of PDUs in transit: PDUs found incomplete because of that belong to the same incident.
  private mutating func suspectParts() {
    for link in links.ids { links[link].mayMissOctets = true }
  }

  /// Ends an incident, because the controller has answered: the fault had no further consequences.
  mutating func lineAnswered(into out: inout HostOutput) {
    guard let ended = supervisor.incident, !ended.isRestarting, supervisor.forgottenLinks.isEmpty else { return }
    supervisor.incident = nil
    out.events.append(.fault(ended.fault))
  }

  /// Reports that the controller is being initialized again, once per incident; returns false if that has failed too often.
  mutating func noteRestart(_ reason: String, into out: inout HostOutput) -> Bool {
    if supervisor.incident?.isRestarting != true {
      let before = supervisor.incident.map { " (\($0.words))" } ?? ""
      let fault = ProtocolFault.controllerRestarted(reason + before)
      out.events.append(.fault(fault))
      supervisor.incident = LineIncident(fault: fault, isRestarting: true)
    }
    supervisor.incident?.restarts += 1
    let restarts = supervisor.incident?.restarts ?? 0
    guard resetAttempts == .max || restarts <= Self.maximumRestarts else { return false }
    if restarts > Self.promptRestarts { supervisor.bringUpDue = out.now + Self.restartPause }
    return true
  }
}
