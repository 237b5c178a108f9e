import BLECore
import BLEHCI

/// Why a controller cannot be used, or not any longer.
public enum ControllerFailure: Error, Hashable, Sendable {
  /// It does not answer.
  case silent(CommandOpcode, after: Duration)
  /// It refuses a command that nothing works without.
  case refused(CommandOpcode, ErrorCode)
  /// It answers with something else than the specification says.
  case nonsense(CommandOpcode)
  /// It restarts again and again before it is on the air; what it said last.
  case unstable(String)
  /// It cannot carry any of the advertising sets.
  case noAdvertising([String])
  /// A public address is wanted, and it has none.
  case noPublicAddress
}

extension ControllerFailure: CustomStringConvertible {
  /// What, why and what to do.
  public var description: String {
    switch self {
    case .silent(let opcode, let after):
      "the controller did not answer \(opcode) within \(after): is it an HCI controller with H4 over UART, "
        + "at this baud rate, with flow control wired?"
    case .refused(let opcode, let status): "the controller refused \(opcode): \(status)"
    case .nonsense(let opcode): "the controller's answer to \(opcode) does not follow the specification"
    case .unstable(let reason):
      "the controller restarts repeatedly before it is on the air (\(reason)): is its power supply good, "
        + "and its firmware intact?"
    case .noAdvertising(let reasons):
      "the controller supports none of the advertising sets: "
        + reasons.joined(separator: "; ")
    case .noPublicAddress:
      "the profile uses the public address, but the controller's is all zeros: use `address: static`"
    }
  }
}
