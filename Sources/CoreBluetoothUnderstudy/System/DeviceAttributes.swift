import BLEATT
import BLECore
import BLEGATT

/// What a phone knows about a device's attributes.
struct DeviceAttributes {
  /// The primary services with their discovered contents; nil until they were discovered. After Service Changed, the services that are
  /// still valid.
  private(set) var services: [RemoteService]?
  /// Whether `services` contains all primary services.
  private(set) var areServicesKnown = false
  /// The first handles of the services whose characteristics were discovered.
  var withCharacteristics: Set<UInt16> = []
  /// The first handles of the services whose includes were discovered.
  var withIncludes: Set<UInt16> = []
  /// The value handles of the characteristics whose descriptors were discovered.
  var withDescriptors: Set<UInt16> = []
  /// The services that are not primary, which other services include.
  var included: [RemoteService] = []

  /// Returns the service that contains this handle.
  func service(containing handle: UInt16) -> RemoteService? {
    ((services ?? []) + included).first { $0.handles.contains(handle) }
  }

  /// Returns the service with this first handle.
  func service(_ start: UInt16) -> RemoteService? {
    (services ?? []).first { $0.handles.lowerBound == start } ?? included.first { $0.handles.lowerBound == start }
  }

  /// Returns the characteristic with this value handle.
  func characteristic(_ value: UInt16) -> RemoteCharacteristic? {
    for service in (services ?? []) + included where service.handles.contains(value) {
      if let found = service.characteristics.first(where: { $0.value == value }) { return found }
    }
    return nil
  }

  /// The value handle of Service Changed; nil if the device has none, or it is unknown.
  var serviceChanged: UInt16? {
    services?.first { $0.uuid == .genericAttribute }?.characteristics.first { $0.uuid == .serviceChanged }?.value
  }

  /// Whether the Generic Attribute service was discovered and has no Service Changed, so that the database never changes.
  var isFixed: Bool {
    guard let services else { return false }
    guard let attribute = services.first(where: { $0.uuid == .genericAttribute }) else { return true }
    return withCharacteristics.contains(attribute.handles.lowerBound) && serviceChanged == nil
  }

  /// Changes the service with this first handle.
  mutating func change(_ start: UInt16, _ body: (inout RemoteService) -> Void) {
    var primary = services ?? []
    if let place = primary.firstIndex(where: { $0.handles.lowerBound == start }) {
      body(&primary[place])
      services = primary
    }
    if let place = included.firstIndex(where: { $0.handles.lowerBound == start }) { body(&included[place]) }
  }

  /// Takes the discovered primary services. Keeps the known contents of services that have not changed.
  mutating func found(_ services: [RemoteService]) {
    let known = self.services ?? []
    for old in known where !services.contains(where: { $0.isSame(as: old) }) { forgetContents(of: old) }
    self.services = services.map { new in known.first { $0.isSame(as: new) } ?? new }
    areServicesKnown = true
  }

  /// Adds the discovered descriptors of a characteristic.
  mutating func learn(_ found: [RemoteDescriptor], of value: UInt16) {
    withDescriptors.insert(value)
    for service in (services ?? []) + included where service.handles.contains(value) {
      change(service.handles.lowerBound) { service in
        for place in service.characteristics.indices where service.characteristics[place].value == value {
          service.characteristics[place].descriptors = found
        }
      }
    }
  }

  /// Forgets the services in a range. After that, not all services are known.
  mutating func invalidate(_ range: ClosedRange<UInt16>) {
    for gone in (services ?? []) + included where gone.handles.overlaps(range) { forgetContents(of: gone) }
    services?.removeAll { $0.handles.overlaps(range) }
    included.removeAll { $0.handles.overlaps(range) }
    areServicesKnown = false
  }

  private mutating func forgetContents(of service: RemoteService) {
    withCharacteristics.remove(service.handles.lowerBound)
    withIncludes.remove(service.handles.lowerBound)
    withDescriptors = withDescriptors.filter { !service.handles.contains($0) }
  }
}

extension RemoteService {
  fileprivate func isSame(as other: RemoteService) -> Bool { handles == other.handles && uuid == other.uuid }
}
