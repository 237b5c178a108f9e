import BLEATT
import BLECore

/// Discovery of a whole server, service by service: primary services, their includes, characteristics and descriptors (Core 5.4 Vol 3 Part
/// G 4.4-4.7).
struct DatabaseDiscovery: DiscoveryInParts {
  private(set) var services: [RemoteService] = []
  /// The service whose contents are being discovered.
  private var position = 0
  private var stage = Stage.services
  var part: any GATTProcedure = AllServiceDiscovery()

  private enum Stage {
    case services, includes, characteristics
    /// The descriptors of the characteristic at this position.
    case descriptors(Int)
  }

  init() {}

  mutating func keep(_ result: GATTResult) {
    switch (result, stage) {
    case (.services(let found), _): services = found
    case (.includes(let found), _):
      services[position].includes = found
      for include in found { add(include) }
    case (.characteristics(let found), _): services[position].characteristics = found
    case (.descriptors(let found), .descriptors(let index)):
      services[position].characteristics[index].descriptors = found
    default: break
    }
  }

  /// Adds a service that was found only through an include, which is a secondary one. Services do not overlap, so the number of includes to
  /// follow is limited.
  private mutating func add(_ include: RemoteInclude) {
    guard let uuid = include.uuid, !services.contains(where: { $0.handles.overlaps(include.handles) }) else { return }
    services.append(RemoteService(handles: include.handles, uuid: uuid, isPrimary: false))
  }

  mutating func advance() -> Bool {
    switch stage {
    case .services: return enterService(0)
    case .includes:
      stage = .characteristics
      part = CharacteristicDiscovery(services[position].handles, uuid: nil)
      return true
    case .characteristics: return enterDescriptors(0)
    case .descriptors(let index): return enterDescriptors(index + 1)
    }
  }

  private mutating func enterService(_ number: Int) -> Bool {
    position = number
    guard position < services.count else {
      services.sort { $0.handles.lowerBound < $1.handles.lowerBound }
      return false
    }
    stage = .includes
    part = IncludeDiscovery(services[position].handles)
    return true
  }

  private mutating func enterDescriptors(_ index: Int) -> Bool {
    var index = index
    let characteristics = services[position].characteristics
    while index < characteristics.count {
      if let handles = characteristics[index].descriptorHandles {
        stage = .descriptors(index)
        part = DescriptorDiscovery(handles)
        return true
      }
      index += 1
    }
    return enterService(position + 1)
  }
}
