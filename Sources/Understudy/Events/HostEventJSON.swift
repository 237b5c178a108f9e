import AccessoryProfile
import BLELink

extension HostEvent {
  /// The event as a JSON object without a time, for hosts that belong to no accessory.
  package var json: ProfileValue {
    var (name, fields) = described
    fields["event"] = .string(name)
    return .object(fields)
  }
}
