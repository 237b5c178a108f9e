import BLECore
import BLEGAP
import BLEHCI
import BLELink

/// The central role's use of the controller: scanning and initiating (Core 5.4 Vol 3 Part C 9.1, 9.3), and on BR/EDR inquiring and paging
/// (6, 7).
package struct CentralRole: HostRole {
  package static var linkRole: LinkRole { .central }

  package var events: [HostEvent] = []
  let writeBacklog: Int
  var scanner: Scanner
  var initiator: Initiator
  /// Nil if it uses LE alone.
  var inquirer: Inquirer?
  var pager = Pager()

  init(_ configuration: CentralConfiguration) {
    writeBacklog = configuration.writeBacklog
    scanner = Scanner(commandFamily: configuration.commandFamily)
    initiator = Initiator(commandFamily: configuration.commandFamily)
    if configuration.usesClassic { inquirer = Inquirer(name: configuration.name, security: configuration.security) }
  }

  /// Whether a connection is being made, over LE or BR/EDR.
  var isConnecting: Bool { initiator.isConnecting || pager.isConnecting }

  // MARK: - The controller

  package mutating func controllerIsUp(
    _ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant
  ) {
    scanner.controllerIsUp(controller, identity, at: now)
    initiator.controllerIsUp(controller, identity, at: now)
    inquirer?.controllerIsUp(controller, identity, at: now)
    pager.controllerIsUp(controller, identity, at: now)
  }

  package mutating func controllerIsLost() {
    scanner.controllerIsLost()
    initiator.controllerIsLost()
    inquirer?.controllerIsLost()
    pager.controllerIsLost()
    moveEvents()
  }

  package mutating func nextCommand() -> RoleCommand? {
    scanner.nextRoleCommand() ?? initiator.nextRoleCommand() ?? inquirer?.nextRoleCommand() ?? pager.nextRoleCommand()
  }

  package mutating func answered(
    _ command: any HCICommand, about subject: CommandSubject, _ parameters: Span<UInt8>, at now: Instant
  ) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    switch subject {
    case .connecting: initiator.answered(command, status, at: now)
    case .inquiring: inquirer?.answered(command, status, at: now)
    case .paging: pager.answered(command, status, at: now)
    default: scanner.answered(command, status, at: now)
    }
    moveEvents()
  }

  package mutating func commandLost(_ command: any HCICommand, about subject: CommandSubject) {
    switch subject {
    case .connecting: initiator.commandLost(command)
    case .inquiring: inquirer?.commandLost(command)
    case .paging: pager.commandLost(command)
    default: scanner.commandLost(command)
    }
  }

  package mutating func receive(_ subevent: LESubevent, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault)
  {
    try scanner.receive(subevent, parameters)
    moveEvents()
  }

  package mutating func receive(_ event: EventCode, _ parameters: Span<UInt8>, at now: Instant) throws(LayoutFault) {
    try inquirer?.receive(event, parameters)
    try pager.receive(event, parameters)
    moveEvents()
  }

  package mutating func connectionCompleted(_ status: ErrorCode, _ handle: ConnectionHandle) {
    initiator.connectionCompleted()
  }

  package mutating func linkCountChanged(_ count: Int, at now: Instant) {}

  package var isUpToDate: Bool {
    scanner.isUpToDate && initiator.isUpToDate && inquirer?.isUpToDate ?? true && pager.isUpToDate
  }

  package mutating func becameUpToDate() {}

  package var failure: ControllerFailure? { nil }

  package func lack(on controller: ControllerProfile) -> ControllerFailure? {
    inquirer != nil && !controller.supportsClassic ? .noClassic : nil
  }

  package mutating func stopAll() {
    scanner.stop()
    initiator.stop()
    inquirer?.stop()
    pager.stop()
    moveEvents()
  }

  /// Cancels the connection that is being made, and the questions for names.
  mutating func cancelConnecting() {
    initiator.stop()
    pager.stop()
    moveEvents()
  }

  private mutating func moveEvents() {
    scanner.moveEvents(to: &events)
    initiator.moveEvents(to: &events)
    inquirer?.moveEvents(to: &events)
    pager.moveEvents(to: &events)
  }

  // MARK: - Supervision

  package mutating func takeComplaint() -> String? { nil }

  package mutating func tryAgain(at now: Instant) {}

  /// Returns a command whose answer shows whether the controller still scans or connects. If both are in progress, they are checked in turn.
  /// Inquiries and pages end by themselves.
  package func question(round: Int) -> (any HCICommand)? {
    guard isUpToDate else { return nil }
    let first = round % 2 == 0 ? initiator.question : scanner.question
    return first ?? initiator.question ?? scanner.question
  }

  package func isConfirmed(_ question: any HCICommand, _ status: ErrorCode) -> Bool? {
    let isAboutConnection = Initiator.isCreation(question)
    guard isUpToDate, isAboutConnection ? initiator.isConnecting : scanner.isScanning else { return nil }
    switch status {
    case .commandDisallowed: return true
    case .success: return false
    // The connection was made, but its event was lost.
    case .connectionAlreadyExists where isAboutConnection: return false
    default: return nil
    }
  }

  package mutating func reapply(after question: any HCICommand, _ status: ErrorCode) {
    if Initiator.isCreation(question) { initiator.reapply(after: status) } else { scanner.reapply() }
    moveEvents()
  }

  // MARK: - Time

  package var nextDeadline: Instant? { Instant.earliest(inquirer?.nextDeadline, pager.nextDeadline) }

  package mutating func advance(to now: Instant) {
    inquirer?.advance(to: now)
    pager.advance(to: now)
    moveEvents()
  }
}
