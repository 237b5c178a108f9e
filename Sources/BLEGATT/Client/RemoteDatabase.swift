import BLECore

/// The discovered part of a server's database (Core 5.4 Vol 3 Part G 2.5.2): services by ascending handle, with their discovered contents.
public struct RemoteDatabase: Hashable, Sendable {
  /// The services, which do not overlap.
  public private(set) var services: [RemoteService] = []

  /// Creates an empty database.
  public init() {}

  /// All characteristics by ascending handle.
  public var characteristics: [RemoteCharacteristic] { services.flatMap(\.characteristics) }

  /// Returns the first service with this UUID.
  public func service(_ uuid: BluetoothUUID) -> RemoteService? { services.first { $0.uuid == uuid } }

  /// Returns the first characteristic with this UUID, in any service or in the first one with the UUID `service`.
  public func characteristic(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> RemoteCharacteristic? {
    for candidate in services where service == nil || candidate.uuid == service {
      if let found = candidate.characteristics.first(where: { $0.uuid == uuid }) { return found }
    }
    return nil
  }

  /// Returns the characteristic with this value handle.
  public func characteristic(withValue handle: UInt16) -> RemoteCharacteristic? {
    guard let service = services.firstIndex(where: { $0.handles.contains(handle) }) else { return nil }
    return services[service].characteristics.first { $0.value == handle }
  }

  // MARK: Learning

  /// Adds services. A known service keeps its contents. A service that overlaps others otherwise replaces them.
  mutating func learn(_ found: [RemoteService]) {
    for service in found {
      let isEmpty = service.characteristics.isEmpty && service.includes.isEmpty
      let isKnown = services.contains { $0.handles == service.handles && $0.uuid == service.uuid }
      if isKnown && isEmpty { continue }
      forget(service.handles)
      let place = services.firstIndex { $0.handles.lowerBound > service.handles.lowerBound } ?? services.endIndex
      services.insert(service, at: place)
    }
  }

  /// Adds includes to the services that contain them.
  mutating func learn(_ found: [RemoteInclude]) {
    for include in found {
      guard let service = services.firstIndex(where: { $0.handles.contains(include.declaration) }) else { continue }
      services[service].includes.removeAll { $0.declaration == include.declaration }
      let place = services[service].includes.firstIndex { $0.declaration > include.declaration }
      services[service].includes.insert(include, at: place ?? services[service].includes.endIndex)
    }
  }

  /// Adds characteristics to the services that contain them. A characteristic ends with its service at the latest.
  mutating func learn(_ found: [RemoteCharacteristic]) {
    for var characteristic in found {
      let declaration = characteristic.declaration
      guard let service = services.firstIndex(where: { $0.handles.contains(declaration) }) else { continue }
      characteristic.end = min(characteristic.end, services[service].handles.upperBound)
      if let known = services[service].characteristics.firstIndex(where: { $0.declaration == declaration }) {
        characteristic.descriptors = services[service].characteristics[known].descriptors
        services[service].characteristics[known] = characteristic
      } else {
        let place = services[service].characteristics.firstIndex { $0.declaration > declaration }
        services[service].characteristics.insert(
          characteristic, at: place ?? services[service].characteristics.endIndex)
      }
    }
  }

  /// Adds descriptors to the characteristics that contain them.
  mutating func learn(_ found: [RemoteDescriptor]) {
    for descriptor in found {
      for service in services.indices where services[service].handles.contains(descriptor.handle) {
        for index in services[service].characteristics.indices
        where services[service].characteristics[index].descriptorHandles?.contains(descriptor.handle) ?? false {
          var descriptors = services[service].characteristics[index].descriptors
          descriptors.removeAll { $0.handle == descriptor.handle }
          descriptors.append(descriptor)
          services[service].characteristics[index].descriptors = descriptors.sorted { $0.handle < $1.handle }
        }
      }
    }
  }

  /// Drops every service with an attribute in this range.
  mutating func forget(_ range: ClosedRange<UInt16>) { services.removeAll { $0.handles.overlaps(range) } }
}
