import BLEGAP
import BLEGATT
import Capture
import ControllerSharing
import BLELink
import PeripheralHost
import Transport

/// Why an accessory could not start, or had to end.
public enum AccessoryFailure: Error, Sendable, CustomStringConvertible {
  /// The controller could not be reached.
  case unavailable(TransportError)
  /// The controller was reached but cannot be used.
  case unusable(controller: ControllerAddress, ControllerFailure)
  /// The controller was reached but cannot carry all the accessories that are to share it.
  case unsharable(controller: ControllerAddress, SharingRefusal)
  /// The controller was there and is gone.
  case vanished(controller: ControllerAddress, reason: String)
  /// The profile cannot become a database.
  case definition(AttributeDatabase.DefinitionError)
  /// The capture file cannot be written.
  case capture(CaptureFailure)
  /// What is to survive cannot be kept.
  case state(StateFailure)

  /// The profile runs programs, which nobody has allowed.
  case programs(profile: String, commands: [String])

  /// What, where, why and what to do.
  public var description: String {
    switch self {
    case .unavailable(let error): "\(error)"
    case .unusable(let controller, let failure): "\(controller): \(failure)"
    case .unsharable(let controller, let refusal): "\(controller): \(refusal)"
    case .vanished(let controller, let reason):
      "\(controller): the controller is gone (\(reason)): plug it in again and restart"
    case .definition(let error): "\(error)"
    case .capture(let failure): "\(failure)"
    case .state(let failure): "\(failure)"
    case .programs(let profile, let commands):
      "\(profile) runs programs (\(commands.joined(separator: "; "))): read the profile and them, and allow it by --allow-programs"
    }
  }
}

/// How an accessory ended.
public enum AccessoryEnd: Sendable {
  /// Somebody stopped it, and it said goodbye to every central.
  case stopped
  /// It could not go on.
  case failed(AccessoryFailure)
}
