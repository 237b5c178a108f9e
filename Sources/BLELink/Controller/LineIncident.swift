import BLECore
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

/// Reports of what is wrong on the line or with the controller, each incident once.
extension ControllerInterface {
  /// How many times in one incident the controller is initialized again at once; after that, only every `restartPause`.
  static var promptRestarts: Int { 3 }
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
}
