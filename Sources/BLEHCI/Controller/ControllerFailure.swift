import BLECore

/// Why a controller is or has become unusable.
public enum ControllerFailure: Error, Hashable, Sendable {
  /// It did not answer this command in time.
  case silent(CommandOpcode, after: Duration)
  /// It refused a command that the host cannot do without.
  case refused(CommandOpcode, ErrorCode)
  /// Its answer to this command violates the specification.
  case nonsense(CommandOpcode)
  /// It restarts repeatedly before advertising starts. The text describes the last restart.
  case unstable(String)
  /// It supports none of the advertising sets.
  case noAdvertising([String])
  /// BR/EDR is required, and it has none.
  case noClassic
  /// A public address is required, and it has none.
  case noPublicAddress
}

extension ControllerFailure: CustomStringConvertible {
  /// The failure, its reason and what to do.
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
    case .noClassic:
      "the profile uses BR/EDR, which the controller does not support: use a dual-mode adapter, or "
        + "`transports: [le, br-edr?]` for LE alone where there is no BR/EDR"
    case .noPublicAddress:
      "the profile uses the public address, but the controller's is all zeros: use `address: static`"
    }
  }
}
