import BLECore
import BLEGATT

/// An app's objects for the attributes of a peripheral.
struct AppAttributes {
  private(set) var services: [CBService]?
  /// Included and primary services by their first handle.
  private var known: [UInt16: CBService] = [:]

  func contains(_ service: CBService) -> Bool { known[service.handles.lowerBound] === service }

  /// Returns the object for a service, and creates it if there is none.
  mutating func object(of service: RemoteService, _ peripheral: CBPeripheral) -> CBService {
    if let object = known[service.handles.lowerBound], object.uuid.uuid == service.uuid,
      object.handles == service.handles
    {
      return object
    }
    let object = CBService(service, of: peripheral)
    known[service.handles.lowerBound] = object
    return object
  }

  /// Adds discovered services to the list.
  mutating func add(_ found: [CBService]) {
    var all = services ?? []
    for service in found where !all.contains(where: { $0 === service }) {
      all.removeAll { $0.handles.overlaps(service.handles) }
      all.append(service)
    }
    services = all.sorted { $0.handles.lowerBound < $1.handles.lowerBound }
  }

  /// Removes the services in a range, and returns them.
  mutating func invalidate(_ range: ClosedRange<UInt16>) -> [CBService] {
    let gone = known.values.filter { $0.handles.overlaps(range) }.sorted {
      $0.handles.lowerBound < $1.handles.lowerBound
    }
    for service in gone { known[service.handles.lowerBound] = nil }
    services?.removeAll { $0.handles.overlaps(range) }
    return gone
  }

  /// Returns the object for the characteristic with this value handle.
  func characteristic(_ value: UInt16) -> CBCharacteristic? {
    for service in known.values where service.handles.contains(value) {
      if let found = service.characteristics?.first(where: { $0.remote.value == value }) { return found }
    }
    return nil
  }

  var characteristics: [CBCharacteristic] { known.values.flatMap { $0.characteristics ?? [] } }
}
