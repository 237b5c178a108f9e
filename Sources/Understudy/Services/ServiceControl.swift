import AccessoryProfile
import BLEGATT
import BLELink
import PeripheralHost
import Transport

/// Control of the services of a running accessory. Clients that have subscribed to Service Changed are
/// informed. The others find out by the Database Hash, or not at all.
extension Accessory {
  /// Returns every service with its handles, characteristics and descriptors, in the order of the handles.
  package func serviceReport() -> ProfileValue {
    .array(stack.server.database.services.map { serviceReport(of: $0) })
  }

  /// Adds a service from its JSON, in the syntax of profiles, and returns it as it is now in the database.
  public func addService(json: [UInt8]) throws(ControlError) -> ProfileValue {
    let now = loop.now()
    defer { flush(at: now) }
    let id = try stack.addService(json: json, at: now, into: &out)
    keepRuntime(at: now) { $0.note(.add(id: id, json: String(decoding: json, as: UTF8.self))) }
    return serviceReport(of: id)
  }

  /// Replaces a service by one from JSON, in the syntax of profiles, and returns it as it is now in the database.
  public func replaceService(_ id: String, json: [UInt8]) throws(ControlError) -> ProfileValue {
    let now = loop.now()
    defer { flush(at: now) }
    try stack.replaceService(id, json: json, at: now, into: &out)
    keepRuntime(at: now) { $0.note(.replace(id: id, json: String(decoding: json, as: UTF8.self))) }
    return serviceReport(of: id)
  }

  /// Removes a service.
  public func removeService(_ id: String) throws(ControlError) {
    let now = loop.now()
    defer { flush(at: now) }
    try stack.removeService(id, at: now, into: &out)
    keepRuntime(at: now) { $0.note(.remove(id: id)) }
  }

  private func serviceReport(of id: String) -> ProfileValue {
    stack.server.database.services.first { $0.id == id }.map { serviceReport(of: $0) } ?? .null
  }

  private func serviceReport(of service: ServiceRecord) -> ProfileValue {
    stack.server.database.json(of: service, decode: decode)
  }
}
