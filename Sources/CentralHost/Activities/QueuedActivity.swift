import BLECore
import BLEHCI
import BLELink

/// An activity whose commands are queued until the role sends them.
protocol QueuedActivity: RoleActivity {
  /// The queued commands.
  var waiting: [any HCICommand] { get set }
}

extension QueuedActivity {
  mutating func nextCommand() -> (any HCICommand)? { waiting.isEmpty ? nil : waiting.removeFirst() }

  var isUpToDate: Bool { waiting.isEmpty }

  mutating func commandLost(_ command: any HCICommand) { waiting.insert(command, at: 0) }
}
