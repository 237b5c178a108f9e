import AccessoryProfile
import BLELink

extension HostEvent {
  /// The event as one JSON object without a time, for hosts that are no accessories.
  package var json: ProfileValue {
    var (name, fields) = described
    fields["event"] = .string(name)
    return .object(fields)
  }
}
