import BLEGATT
import BLEHCI
import Capture
import ControllerSharing
import BLELink
import PeripheralHost
import Transport

/// Why an accessory could not start or had to end.
public enum AccessoryFailure: Error, Sendable, CustomStringConvertible {
  /// The controller could not be reached.
  case unavailable(TransportError)
  /// The controller was reached but cannot be used.
  case unusable(controller: ControllerAddress, ControllerFailure)
  /// The controller was reached but cannot support all accessories that are to share it.
  case unsharable(controller: ControllerAddress, SharingRefusal)
  /// The controller has disappeared.
  case vanished(controller: ControllerAddress, reason: String)
  /// The profile's attributes do not form a valid database.
  case definition(AttributeDatabase.DefinitionError)
  /// The capture file cannot be written.
  case capture(CaptureFailure)
  /// The stored state cannot be read or written.
  case state(StateFailure)

  /// The profile runs programs, and the options do not allow that.
  case programs(profile: String, commands: [String])

  /// What failed, where, why, and what to do about it.
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
      "\(profile) runs programs (\(commands.joined(separator: "; "))): read the profile and the programs, then allow them with --allow-programs"
    }
  }
}

/// How an accessory ended.
public enum AccessoryEnd: Sendable {
  /// It was stopped, and has disconnected every central.
  case stopped
  /// It could not continue.
  case failed(AccessoryFailure)
}
