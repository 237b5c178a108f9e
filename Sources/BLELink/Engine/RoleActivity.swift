import BLECore
import BLEGAP
import BLEHCI

/// One of the things for which a role uses the controller, such as scanning. A role is composed of them: it asks each for its next command,
/// and passes it the answer.
package protocol RoleActivity: Sendable {
  /// What its commands are about.
  static var subject: CommandSubject { get }
  /// The events since the role last collected them.
  var events: [HostEvent] { get set }

  /// Starts over: the controller has been initialized and has no settings.
  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant)

  /// Handles the loss of all settings: the controller is about to be reset, or is no longer there.
  mutating func controllerIsLost()

  /// Returns the next command to send; nil if there is none.
  mutating func nextCommand() -> (any HCICommand)?

  /// Handles the answer to its command.
  mutating func answered(_ command: any HCICommand, _ status: ErrorCode, at now: Instant)

  /// Handles a lost command: it was not answered, although the controller works, and may or may not have been executed.
  mutating func commandLost(_ command: any HCICommand)

  /// Whether there is no command to send.
  var isUpToDate: Bool { get }

  /// Ends the activity.
  mutating func stop()

  /// When to call `advance` next; by default never.
  var nextDeadline: Instant? { get }

  /// Handles everything that is due at `now`.
  mutating func advance(to now: Instant)
}

extension RoleActivity {
  package var nextDeadline: Instant? { nil }

  package mutating func advance(to now: Instant) {}

  /// Returns the next command, with what it is about.
  package mutating func nextRoleCommand() -> RoleCommand? { nextCommand().map { ($0, Self.subject) } }

  /// Moves the events to those of the role.
  package mutating func moveEvents(to roleEvents: inout [HostEvent]) {
    guard !events.isEmpty else { return }
    roleEvents += events
    events.removeAll(keepingCapacity: true)
  }
}
