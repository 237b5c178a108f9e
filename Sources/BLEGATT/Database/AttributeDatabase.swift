import BLECore

/// The attributes of a server in handle order, with its services and characteristics (Core 5.4 Vol 3 Part G 2.6).
///
/// The definition is shared by all clients; what is per client (Client Characteristic Configurations, prepared writes) is not
/// here but in `GATTClientState`.
public struct AttributeDatabase: Sendable {
  /// All attributes, by ascending handle.
  public private(set) var attributes: [Attribute] = []
  /// All services, by ascending handle.
  public private(set) var services: [ServiceRecord] = []
  /// All characteristics, by `CharacteristicIndex`.
  public private(set) var characteristics: [CharacteristicRecord] = []

  /// A definition that cannot become a database.
  public enum DefinitionError: Error, Hashable, Sendable {
    /// More than 65,535 attributes.
    case tooManyAttributes
    /// A service includes one that is not there.
    case unknownInclude(service: String, include: String)
  }

  /// Builds the database of `host` services (GAP, GATT) and, behind them, the `application`'s.
  ///
  /// Handles are the same for the same definitions. Services with 16-bit UUIDs come before those with 128-bit ones, each
  /// group in the order of declaration: a client then finds all of the first in one round trip, because a response holds
  /// UUIDs of one length only (Core 5.4 Vol 3 Part F 3.4.4.10).
  public init(host: [ServiceDefinition], application: [ServiceDefinition]) throws(DefinitionError) {
    var nextIndex = 0
    func numbered(_ services: [ServiceDefinition], own: Bool) -> [DatabaseBuilder.NumberedService] {
      services.map { service in
        defer { nextIndex += service.characteristics.count }
        return .init(definition: service, firstIndex: nextIndex, belongsToApplication: own)
      }
    }
    let own = numbered(application, own: true)
    let added = numbered(host, own: false)
    let ordered = own.filter { $0.definition.uuid.octetCount == 2 } + own.filter { $0.definition.uuid.octetCount != 2 }
    var builder = DatabaseBuilder()
    for service in added + ordered { try builder.append(service) }
    try builder.resolveIncludes()
    attributes = builder.attributes
    services = builder.services
    characteristics = builder.characteristics.sorted { $0.index < $1.index }
  }

  /// The position in `attributes` of the attribute with that handle. Handles count from 1 without gaps.
  @inlinable
  public func position(of handle: UInt16) -> Int? {
    let position = Int(handle) - 1
    return position >= 0 && position < attributes.count ? position : nil
  }

  /// The positions of the attributes in a range of handles; empty when there are none.
  public func positions(from start: UInt16, to end: UInt16) -> Range<Int> {
    let first = max(Int(start) - 1, 0)
    let behind = min(Int(end), attributes.count)
    return first < behind ? first..<behind : 0..<0
  }

  /// The characteristic whose profile id, or else whose UUID, is `name`; nil when none or several fit.
  public func characteristic(named name: String) -> CharacteristicRecord? {
    if let record = characteristics.first(where: { $0.definition.id == name }) { return record }
    guard let uuid = BluetoothUUID(name) else { return nil }
    let fitting = characteristics.filter { $0.definition.uuid == uuid }
    return fitting.count == 1 ? fitting[0] : nil
  }

  /// The characteristic with that index.
  @inlinable
  public subscript(index: CharacteristicIndex) -> CharacteristicRecord { characteristics[index.position] }

  /// Replaces the value of a stored attribute.
  public mutating func store(_ value: [UInt8], at position: Int) { attributes[position].value = value }

  /// The value that the database keeps for a characteristic; nil when the application is asked for it.
  public func storedValue(of index: CharacteristicIndex) -> [UInt8]? {
    guard let position = position(of: characteristics[index.position].value),
      case .storedValue = attributes[position].role
    else { return nil }
    return attributes[position].value
  }

  /// The position in `services` of the first service that begins at or after a handle.
  func firstService(from handle: UInt16) -> Int {
    var low = 0
    var high = services.count
    while low < high {
      let middle = (low + high) / 2
      if services[middle].handles.lowerBound < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
