import AccessoryProfile
import BLECore
import BLELink
import BLEHCI
import PeripheralHost

extension ClientStepReport {
  /// The connection, the step, and its value, or why it failed and whether it will be retried.
  var json: [String: ProfileValue] {
    var fields = peer.connection.fields(["step": .string(step)])
    switch outcome {
    case .value(let value): fields["hex"] = .string(value.hexadecimal)
    case .failed(let failure, let isTriedAgain):
      fields["reason"] = .string("\(failure)")
      fields["retry"] = .bool(isTriedAgain)
    case .lapsed:
      fields["reason"] = .string("the central's services have changed, which has ended the subscription")
      fields["retry"] = .bool(true)
    }
    return fields
  }
}
