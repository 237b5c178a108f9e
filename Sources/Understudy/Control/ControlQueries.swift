import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Transport

/// Queries about the parts of a running accessory.
extension Accessory {
  /// Returns every characteristic of the database, in the order of the handles: `id`, `uuid`, its assigned
  /// `name`, `service`, `value_handle`, `properties`, and the current value as `hex` and `value`. Characteristics
  /// of the profile also have the `form` of their values (`ValueFormat.form`), their `format` as in a profile
  /// (`ValueFormat.definition`), the range of `usual` numbers, and their `behavior`: what they do automatically; and `show`, how the
  /// dashboard shows them, if the profile says that.
  package func characteristicList() -> ProfileValue {
    let (database, now) = (stack.server.database, loop.now())
    return .array(
      database.characteristics.sorted { $0.value < $1.value }.map { record in
        let octets = stack.value(of: record.index, at: now) ?? []
        let service = database.services.first { $0.handles.contains(record.value) }
        var fields: [String: ProfileValue] = [
          "id": .string(record.definition.id), "uuid": .string(record.definition.uuid.description),
          "name": record.definition.uuid.assignedName.map { .string($0.displayName) } ?? .null,
          "service": service.map { .string($0.id) } ?? .null, "value_handle": .int(Int64(record.value)),
          "properties": .array(record.definition.propertyNames.map { .string($0) }),
          "hex": .string(octets.hexadecimal), "value": decode(octets, of: record.index),
        ]
        if record.belongsToApplication { fields.merge(describedValue(of: record.index)) { $1 } }
        return .object(fields)
      })
  }

  /// Returns the fields that describe the values of a characteristic of the profile.
  private func describedValue(of index: CharacteristicIndex) -> [String: ProfileValue] {
    guard let behavior = stack.application.behavior(of: index) else { return [:] }
    let pairs = profile.described(behavior)
    var fields: [String: ProfileValue] = [
      "form": behavior.format.form, "format": .string(behavior.format.definition),
      "usual": .object(
        behavior.source.usualNumbers.mapValues { .array([.double($0.lowerBound), .double($0.upperBound)]) }),
      "behavior": .object(Dictionary(pairs.map { ($0.key, $0.value) }) { first, _ in first }),
    ]
    fields["show"] = behavior.display?.described
    return fields
  }

  /// Returns the current value of a characteristic: `id`, `uuid`, `hex`, and `value` as decoded by its format.
  package func valueReport(of name: String) throws(ControlError) -> ProfileValue {
    let (octets, value) = try value(of: name)
    let found = self.name(of: try characteristic(named: name))
    return .object([
      "id": .string(found.id), "uuid": .string(found.uuid.description), "hex": .string(octets.hexadecimal),
      "value": value,
    ])
  }

  /// Returns every advertising set of the profile: `id`, `kind`, `connectable`, `on` (on the air now), and
  /// the `interval_ms` of each of its phases.
  package func advertisingReport() -> ProfileValue {
    let active = stack.activeSets
    return .array(
      profile.advertising.map { set in
        .object([
          "id": .string(set.id), "kind": .string(set.kind.rawValue), "connectable": .bool(set.isConnectable),
          "on": .bool(active.contains(set.id)),
          "interval_ms": .array(set.schedule.map { $0.interval.milliseconds }),
        ])
      })
  }

  /// Returns what a channel's sink has received so far; nil if the channel is not open or has another handler.
  public func received(on channel: ChannelID, of link: ConnectionHandle) -> ChannelSink? {
    stack.application.received(on: channel, of: link.client)
  }
}
