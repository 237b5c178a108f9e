import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost

/// Adding, changing and removing services while centrals are connected, in both the host and the profile's runtime.
extension HostStack<ProfileRuntime> {
  /// Adds a service from its JSON, in the syntax of profiles. Returns its `id`.
  public mutating func addService(
    json: [UInt8], at now: Instant, into out: inout HostOutput
  ) throws(ControlError) -> String {
    let service = try load(json, replacing: nil)
    let id = service.definition.id
    if server.database.services.contains(where: { $0.id == id }) { throw .idTaken("there is already a service \(id)") }
    try checkIDs(of: service, replacing: nil)
    try change(.add(service.definition), at: now, into: &out)
    application.play(service, at: now)
    return id
  }

  /// Replaces a service by one from JSON, in the syntax of profiles, with the same `id`. Its characteristics
  /// start again, and subscriptions to them end.
  public mutating func replaceService(
    _ id: String, json: [UInt8], at now: Instant, into out: inout HostOutput
  ) throws(ControlError) {
    try checkService(id)
    let service = try load(json, replacing: id)
    guard service.definition.id == id else {
      throw .unsuitableValue("id: the service \(id) keeps its id, and cannot become \(service.definition.id)")
    }
    try checkIDs(of: service, replacing: id)
    try change(.replace(id, with: service.definition), at: now, into: &out)
    application.forgetService(id)
    application.play(service, at: now)
  }

  /// Removes a service.
  public mutating func removeService(
    _ id: String, at now: Instant, into out: inout HostOutput
  ) throws(ControlError) {
    try checkService(id)
    try change(.remove(id), at: now, into: &out)
    application.forgetService(id)
  }

  private func load(_ json: [UInt8], replacing id: String?) throws(ControlError) -> LoadedService {
    let service: LoadedService
    do throws(ProfileValueError) {
      service = try application.loadService(json: json, replacing: id) { definition in
        server.database.indices(of: definition, replacing: id, keeping: application.keptCharacteristics)
      }
    } catch {
      throw .unsuitableValue(error.message)
    }
    guard !service.definition.belongsToHost else { throw .unchangeableService(service.definition.id) }
    return service
  }

  private mutating func change(
    _ edit: ServiceEdit, at now: Instant, into out: inout HostOutput
  ) throws(ControlError) {
    do throws(HostRequestError) { try perform(.edit(edit), at: now, into: &out) } catch { throw .refused(error) }
  }

  /// Throws unless this is a service of the profile or one that was added later. Others cannot change.
  private func checkService(_ id: String) throws(ControlError) {
    guard let service = server.database.services.first(where: { $0.id == id }) else { throw .unknownService(id) }
    guard !ServiceDefinition(id: id, uuid: service.uuid).belongsToHost else { throw .unchangeableService(id) }
  }

  /// Throws if the id of a characteristic is taken: ids must be unique.
  private func checkIDs(of service: LoadedService, replacing id: String?) throws(ControlError) {
    let replaced = server.database.services.first { $0.id == id }
    for characteristic in service.definition.characteristics {
      let taken = server.database.characteristics.first { $0.definition.id == characteristic.id }
      guard let taken, replaced?.handles.contains(taken.value) != true else { continue }
      let other = server.database.services.first { $0.handles.contains(taken.value) }
      throw .idTaken("there is already a characteristic \(characteristic.id), in the service \(other?.id ?? "")")
    }
  }
}
