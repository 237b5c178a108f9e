import BLEATT
import BLECore

/// Discovery of a whole server, one kind of attribute after the other over the handles of all services: primary services, secondary ones,
/// includes, characteristics, and the descriptors of each characteristic (Core 5.4 Vol 3 Part G 4.4-4.7). BlueZ discovers in this order,
/// and does not ask for the only descriptor of a characteristic that notifies or indicates (src/shared/gatt-client.c).
struct KindDiscovery: DiscoveryInParts {
  private var database = RemoteDatabase()
  private var stage = Stage.primaryServices
  var part: any GATTProcedure = AllServiceDiscovery()
  /// The characteristics whose descriptors are not known yet.
  private var waiting: [RemoteCharacteristic] = []

  private enum Stage {
    case primaryServices, secondaryServices, includes, characteristics, descriptors
  }

  init() {}

  var services: [RemoteService] { database.services }

  mutating func keep(_ result: GATTResult) {
    switch result {
    case .services(let found): database.learn(found)
    case .includes(let found): database.learn(found)
    case .characteristics(let found): database.learn(found)
    case .descriptors(let found): database.learn(found)
    default: break
    }
  }

  mutating func advance() -> Bool {
    switch stage {
    case .primaryServices:
      stage = .secondaryServices
      part = AllServiceDiscovery(isPrimary: false)
      return true
    case .secondaryServices:
      guard let range = database.handles else { return false }
      stage = .includes
      part = IncludeDiscovery(range)
      return true
    case .includes:
      guard let range = database.handles else { return false }
      stage = .characteristics
      part = CharacteristicDiscovery(range, uuid: nil)
      return true
    case .characteristics:
      stage = .descriptors
      waiting = database.characteristics.reversed()
      return enterDescriptors()
    case .descriptors: return enterDescriptors()
    }
  }

  private mutating func enterDescriptors() -> Bool {
    while let next = waiting.popLast() {
      guard let handles = next.descriptorHandles else { continue }
      if handles.count == 1, !next.properties.isDisjoint(with: [.notify, .indicate]) {
        database.learn([RemoteDescriptor(handle: handles.lowerBound, uuid: .clientCharacteristicConfiguration)])
        continue
      }
      part = DescriptorDiscovery(handles)
      return true
    }
    return false
  }
}

extension RemoteDatabase {
  /// The handles from the first service to the last one; nil without services.
  fileprivate var handles: ClosedRange<UInt16>? {
    guard let first = services.first, let last = services.last else { return nil }
    return first.handles.lowerBound...last.handles.upperBound
  }
}
