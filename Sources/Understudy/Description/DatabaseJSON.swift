import AccessoryProfile
import BLECore
import BLEGATT

extension AttributeDatabase {
  /// Returns a service as JSON, with every characteristic and descriptor and their handles. `decode` decodes
  /// the octets of a characteristic; `details` adds fields to each characteristic.
  func json(
    of service: ServiceRecord, decode: ([UInt8], CharacteristicIndex) -> ProfileValue,
    details: (CharacteristicRecord) -> [String: ProfileValue] = { _ in [:] }
  ) -> ProfileValue {
    var fields: [String: ProfileValue] = [
      "id": .string(service.id), "uuid": .string(service.uuid.description),
      "name": service.uuid.assignedName.map { .string($0.displayName) } ?? .null,
      "handle": .int(Int64(service.handles.lowerBound)), "end": .int(Int64(service.handles.upperBound)),
      "primary": .bool(service.isPrimary),
      "characteristics": .array(characteristics(of: service).map { json(of: $0, decode, details($0)) }),
    ]
    if service.transports != LinkTransport.all { fields["transports"] = service.transports.json }
    return .object(fields)
  }

  private func json(
    of record: CharacteristicRecord, _ decode: ([UInt8], CharacteristicIndex) -> ProfileValue,
    _ details: [String: ProfileValue]
  ) -> ProfileValue {
    let stored = storedValue(of: record.index)
    let fields: [String: ProfileValue] = [
      "id": .string(record.definition.id), "uuid": .string(record.definition.uuid.description),
      "name": record.definition.uuid.assignedName.map { .string($0.displayName) } ?? .null,
      "handle": .int(Int64(record.declaration)), "value_handle": .int(Int64(record.value)),
      "properties": .array(record.definition.propertyNames.map { .string($0) }),
      "hex": stored.map { .string($0.hexadecimal) } ?? .null,
      "value": stored.map { decode($0, record.index) } ?? .null,
      "descriptors": .array(
        descriptors(of: record).map { descriptor in
          .object([
            "uuid": .string(descriptor.type.description), "handle": .int(Int64(descriptor.handle)),
          ])
        }),
    ]
    return .object(fields.merging(details) { own, _ in own })
  }

  /// Returns the characteristics of a service, in the order of their handles.
  public func characteristics(of service: ServiceRecord) -> [CharacteristicRecord] {
    characteristics.filter { service.handles.contains($0.value) }.sorted { $0.value < $1.value }
  }

  /// Returns the descriptors of a characteristic, in the order of their handles.
  public func descriptors(of record: CharacteristicRecord) -> [Attribute] {
    positions(from: record.value, to: .max).dropFirst().lazy.map { attributes[$0] }
      .prefix { $0.characteristic == record.index }.map { $0 }
  }
}
