import BLECore
import BLEGAP
import BLEHCI

/// The host's side of the Host Controller Interface (Core 5.4 Vol 4 Part E): the packets from the line, the command in progress and those
/// that wait, the buffers of the host, and the supervision of the controller.
///
/// It knows of links only what it is told (`SupervisedLink`). What concerns links, the role or the whole host is returned as a
/// `ControllerAction`, which the engine carries out.
struct ControllerInterface: Sendable {
  var deframer = H4Deframer(side: .host, maximumDataLength: Int(UInt16.max))
  var commands: CommandFlow<CommandPurpose>
  var hostBuffers = HostBufferLedger()
  var supervisor = ControllerSupervisor()
  /// What the controller reported; empty until it is up.
  var profile = ControllerProfile()

  init(_ plan: BringUpPlan) { commands = CommandFlow(plan) }

  /// When something is due next.
  var nextDeadline: Instant? {
    Instant.earliest(
      Instant.earliest(commands.nextDeadline, deframer.nextDeadline),
      Instant.earliest(supervisor.deadline, hostBuffers.nextDeadline))
  }

  /// Notes that the controller is up, and configures the line as it said. Supervision begins.
  mutating func begin(at now: Instant) {
    profile = commands.bringUp.profile
    supervisor.begin(at: now)
    hostBuffers.configure(count: profile.hostBufferCount)
    deframer.maximumDataLength = profile.hostBufferLength
  }

  /// Discards everything that is known about the controller, and starts initialization over.
  mutating func startOver() {
    commands.bringUpAgain()
    hostBuffers.configure(count: 0)
    deframer.maximumDataLength = Int(UInt16.max)
    supervisor.forgetController()
  }

  /// Discards the line itself: the next octets come from another controller.
  mutating func lineLost() {
    commands.reset()
    supervisor = ControllerSupervisor(interval: supervisor.interval)
    deframer.reset()
  }
}

/// What follows from what the controller did or did not do.
enum ControllerAction {
  /// The controller is initialized again, for that reason; all links end.
  case restart(String)
  /// This many resets were not answered: the controller is reset once more.
  case resetAgain(after: Int)
  /// The controller is unusable.
  case fail(ControllerFailure)
  /// The controller no longer has these links.
  case endLinks([ConnectionHandle])
  /// This fault is reported. Nothing else follows, because it has been repaired.
  case report(ProtocolFault)
  /// A command of the role was lost.
  case repeatCommand(any HCICommand, CommandSubject)
  /// The role repeats the settings that the controller refused.
  case repeatSettings
}

/// What the supervision of the controller needs to know about a link.
struct SupervisedLink: Hashable, Sendable {
  var handle: ConnectionHandle
  var isClassic = false
  /// When the controller last reported something about it, or was asked about it.
  var lastHeard: Instant
}
