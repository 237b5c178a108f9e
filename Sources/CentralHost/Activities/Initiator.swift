import BLECore
import BLEGAP
import BLEHCI
import BLELink

/// Connecting to advertisers, one at a time (Core 5.4 Vol 3 Part C 9.3.5).
struct Initiator: QueuedActivity {
  static let subject = CommandSubject.connecting
  var events: [HostEvent] = []
  private(set) var isConnecting = false
  private var commands = LECommands()
  var waiting: [any HCICommand] = []
  /// The command that makes the current connection.
  private var creation: (any HCICommand)?

  init(commandFamily: CentralConfiguration.CommandFamily) { commands.family = commandFamily }

  // MARK: Requests

  mutating func connect(_ request: ConnectionRequest) {
    isConnecting = true
    let command = commands.creation(of: request)
    creation = command
    waiting.append(command)
  }

  /// Cancels the attempt.
  mutating func stop() {
    if isConnecting { waiting.append(LECreateConnectionCancel()) }
  }

  // MARK: The controller

  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant) {
    commands.controllerIsUp(controller, identity)
  }

  mutating func controllerIsLost() {
    if isConnecting { failed(.hardwareFailure) }
    waiting = []
  }

  mutating func answered(_ command: any HCICommand, _ status: ErrorCode, at now: Instant) {
    guard status != .success else { return }
    if Self.isCreation(command) { failed(status) } else { events.append(.refused(type(of: command).opcode, status)) }
  }

  /// Handles the end of the attempt, which the host reports.
  mutating func connectionCompleted() { isConnecting = false }

  private mutating func failed(_ status: ErrorCode) {
    isConnecting = false
    events.append(.connectionFailed(status))
  }

  // MARK: Supervision

  /// A command whose answer shows whether the controller is still connecting: no connection can be created while another is being made
  /// (Core 5.4 Vol 4 Part E 7.8.12, 7.8.66). Nil while it is not connecting.
  var question: (any HCICommand)? { isConnecting ? creation : nil }

  /// Handles an answer that shows that the controller was no longer connecting. If the question succeeded, it has begun to make the
  /// connection again.
  mutating func reapply(after status: ErrorCode) {
    if status != .success { failed(status) }
  }

  static func isCreation(_ command: any HCICommand) -> Bool {
    command is LECreateConnection || command is LEExtendedCreateConnection
  }
}
