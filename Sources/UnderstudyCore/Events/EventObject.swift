import AccessoryProfile
import BLECore
import BLEGATT

/// The id and type of a characteristic.
public struct CharacteristicName: Hashable, Sendable {
  /// Its id in the profile.
  public var id: String
  /// Its type.
  public var uuid: BluetoothUUID

  /// Creates the name of a characteristic.
  public init(id: String, uuid: BluetoothUUID) { (self.id, self.uuid) = (id, uuid) }
}

extension ProfileValue {
  /// Returns an event as a JSON object: its fields, its name as `event`, and the characteristic that it concerns with the value that was
  /// read, written or sent. For a closed channel, the value is what its sink received.
  package static func event(
    _ described: (name: String, fields: [String: ProfileValue]), _ characteristic: CharacteristicName? = nil,
    _ value: ProfileValue? = nil
  ) -> ProfileValue {
    var (name, fields) = described
    fields["event"] = .string(name)
    if let characteristic {
      fields["characteristic"] = .string(characteristic.id)
      fields["uuid"] = .string(characteristic.uuid.description)
    }
    if let value { fields[name == "channel-closed" ? "sink" : "value"] = value }
    return .object(fields)
  }
}
