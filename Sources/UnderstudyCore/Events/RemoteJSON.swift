import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI

extension GATTClientEvent {
  /// Returns the event's name and fields. An operation is identified by its number.
  package func described(on link: ConnectionHandle) -> (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .began(let id, let operation): ("remote-began", link.fields(operation.json.merging(id.json) { $1 }))
    case .ended(let id, .success(let result)): ("remote-ended", link.fields(result.json.merging(id.json) { $1 }))
    case .ended(let id, .failure(let failure)):
      ("remote-failed", link.fields(["reason": .string("\(failure)")].merging(id.json) { $1 }))
    case .notification(let handle, let value): ("remote-notification", link.fields(Self.json(handle, value)))
    case .indication(let handle, let value): ("remote-indication", link.fields(Self.json(handle, value)))
    case .servicesChanged(let range):
      (
        "remote-services-changed",
        link.fields([
          "first_handle": .int(Int64(range.lowerBound)), "last_handle": .int(Int64(range.upperBound)),
        ])
      )
    case .databaseOutOfSync: ("remote-out-of-sync", link.fields([:]))
    case .violation(let violation): ("remote-violation", link.fields(["reason": .string("\(violation)")]))
    }
  }

  private static func json(_ handle: UInt16, _ value: [UInt8]) -> [String: ProfileValue] {
    ["handle": .int(Int64(handle)), "hex": .string(value.hexadecimal)]
  }
}

extension OperationID {
  fileprivate var json: [String: ProfileValue] { ["operation": .int(Int64(clamping: rawValue))] }
}

extension GATTOperation {
  /// The operation, and its handle if it has one.
  fileprivate var json: [String: ProfileValue] {
    func fields(_ name: String, _ handle: UInt16? = nil) -> [String: ProfileValue] {
      var fields: [String: ProfileValue] = ["request": .string(name)]
      fields["handle"] = handle.map { .int(Int64($0)) }
      return fields
    }
    return switch self {
    case .exchangeMTU: fields("exchange-mtu")
    case .discoverAll, .discoverByKind: fields("discover")
    case .discoverPrimaryServices, .discoverPrimaryServicesByUUID: fields("discover-services")
    case .findIncludedServices(let range): fields("discover-includes", range.lowerBound)
    case .discoverCharacteristics(let range, _): fields("discover-characteristics", range.lowerBound)
    case .discoverDescriptors(let range): fields("discover-descriptors", range.lowerBound)
    case .read(let handle), .readFrom(let handle, _): fields("read", handle)
    case .readByType(_, let range): fields("read-by-type", range.lowerBound)
    case .readMultiple(let handles), .readMultipleVariable(let handles): fields("read-multiple", handles.first)
    case .writeWithoutResponse(let handle, _): fields("write-without-response", handle)
    case .writeSigned(let handle, _): fields("write-signed", handle)
    case .write(let handle, _): fields("write", handle)
    case .writeReliably(let writes): fields("write-reliably", writes.first?.handle)
    case .configure(let handle, let configuration): fields(configuration.isEmpty ? "unsubscribe" : "subscribe", handle)
    }
  }
}

extension GATTResult {
  fileprivate var json: [String: ProfileValue] {
    switch self {
    case .mtu(let mtu): ["mtu": .int(Int64(mtu))]
    case .services(let found): ["services": .int(Int64(found.count))]
    case .includes(let found): ["includes": .int(Int64(found.count))]
    case .characteristics(let found): ["characteristics": .int(Int64(found.count))]
    case .descriptors(let found): ["descriptors": .int(Int64(found.count))]
    case .value(let value): ["hex": .string(value.hexadecimal)]
    case .values(let values):
      [
        "values": .array(
          values.map { .object(["handle": .int(Int64($0.handle)), "hex": .string($0.value.hexadecimal)]) })
      ]
    case .done: [:]
    }
  }
}

extension RemoteDatabase {
  /// The services with every characteristic and descriptor and their handles.
  package var json: ProfileValue {
    .array(
      services.map { service in
        .object([
          "uuid": .string(service.uuid.description), "handle": .int(Int64(service.handles.lowerBound)),
          "end": .int(Int64(service.handles.upperBound)), "primary": .bool(service.isPrimary),
          "characteristics": .array(service.characteristics.map(\.json)),
        ])
      })
  }
}

extension RemoteCharacteristic {
  fileprivate var json: ProfileValue {
    .object([
      "uuid": .string(uuid.description), "handle": .int(Int64(declaration)), "value_handle": .int(Int64(value)),
      "properties": .array(properties.presentNames.map { .string($0) }),
      "descriptors": .array(
        descriptors.map { .object(["uuid": .string($0.uuid.description), "handle": .int(Int64($0.handle))]) }),
    ])
  }
}
