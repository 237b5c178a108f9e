import BLECore

/// The attributes of a server in handle order, with its services and characteristics (Core 5.4 Vol 3 Part G 2.6).
///
/// The definition is shared by all clients; what is per client (Client Characteristic Configurations, prepared writes) is not
/// here but in `GATTSession`.
public struct AttributeDatabase: Sendable {
  /// All attributes, by ascending handle.
  public internal(set) var attributes: [Attribute] = []
  /// All services, by ascending handle.
  public internal(set) var services: [ServiceRecord] = []
  /// The characteristics by `CharacteristicIndex`; one that was removed stays until its index is needed.
  var records: [CharacteristicRecord] = []
  /// The indices of those that were removed, the first to go first.
  var retired: [CharacteristicIndex] = []
  /// The services in the order of their handles, as they were laid out.
  var layouts: [ServiceLayout] = []
  @usableFromInline var map = HandleMap()
  let groupsByUUIDSize: Bool

  /// A definition that cannot become a database.
  public enum DefinitionError: Error, Hashable, Sendable {
    /// More than 65,535 attributes, or a fixed handle too near to the end for what follows it.
    case tooManyAttributes
    /// A service includes one that is not there.
    case unknownInclude(service: String, include: String)
    /// An Aggregate Format names a characteristic that is not there or has no Presentation Format.
    case unknownFormat(characteristic: String, format: String)
    /// A handle that the service with that `id` wants is 0, or does not come behind the handles of what is before it. Where a
    /// characteristic wants it, it is the handle of its declaration.
    case handleTaken(UInt16, in: String)
    /// Two services want the same handles.
    case handleConflict(UInt16, String, String)
    /// There is already a service with that `id`.
    case duplicateService(String)
    /// No service has that `id`.
    case unknownService(String)
    /// A service cannot go while another one includes it.
    case stillIncluded(String, by: String)
  }

  /// Builds the database of `host` services (GAP, GATT) and, behind them, the `application`'s.
  ///
  /// Handles are the same for the same definitions: one after the other from 0x0001, except those that are fixed. With
  /// `groupsByUUIDSize`, services with 16-bit UUIDs come before those with 128-bit ones, each group in the order of
  /// declaration: a client then finds all of the first in one round trip, because a response holds UUIDs of one length only
  /// (Core 5.4 Vol 3 Part F 3.4.4.10).
  public init(
    host: [ServiceDefinition], application: [ServiceDefinition], groupsByUUIDSize: Bool = true
  ) throws(DefinitionError) {
    self.groupsByUUIDSize = groupsByUUIDSize
    var nextIndex = 0
    func numbered(_ services: [ServiceDefinition], own: Bool) -> [ServiceLayout.NumberedService] {
      services.map { service in
        defer { nextIndex += service.characteristics.count }
        let indices = (nextIndex..<(nextIndex + service.characteristics.count)).map { CharacteristicIndex($0) }
        return .init(definition: service, indices: indices, belongsToApplication: own)
      }
    }
    let own = numbered(application, own: true)
    let added = numbered(host, own: false)
    let ordered =
      groupsByUUIDSize
      ? own.filter { $0.definition.uuid.octetCount == 2 } + own.filter { $0.definition.uuid.octetCount != 2 } : own
    layouts = try ServicePlacement.place(added + ordered)
    records = layouts.flatMap(\.characteristics).sorted { $0.index < $1.index }
    try assemble()
  }

  /// All characteristics that are in the database, by `CharacteristicIndex`.
  public var characteristics: [CharacteristicRecord] { records.filter(\.isPresent) }

  /// The position in `attributes` of the attribute with that handle.
  @inlinable
  public func position(of handle: UInt16) -> Int? { map.position(of: handle) }

  /// The positions of the attributes in a range of handles; empty when there are none.
  public func positions(from start: UInt16, to end: UInt16) -> Range<Int> {
    let first = lowerBound(Int(start))
    return first..<max(first, lowerBound(Int(end) + 1))
  }

  /// The position of the first attribute at or behind a handle.
  private func lowerBound(_ handle: Int) -> Int {
    var low = 0
    var high = attributes.count
    while low < high {
      let middle = (low + high) / 2
      if Int(attributes[middle].handle) < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The characteristic whose profile id, or else whose UUID, is `name`; nil when none or several fit.
  public func characteristic(named name: String) -> CharacteristicRecord? {
    if let record = records.first(where: { $0.isPresent && $0.definition.id == name }) { return record }
    guard let uuid = BluetoothUUID(name) else { return nil }
    let fitting = records.filter { $0.isPresent && $0.definition.uuid == uuid }
    return fitting.count == 1 ? fitting[0] : nil
  }

  /// The characteristic of the host's own services with that UUID.
  func hostCharacteristic(_ uuid: BluetoothUUID) -> CharacteristicRecord? {
    records.first { $0.isPresent && !$0.belongsToApplication && $0.definition.uuid == uuid }
  }

  /// The characteristic with that index, even when it has been removed.
  @inlinable
  public subscript(index: CharacteristicIndex) -> CharacteristicRecord { record(index) }

  @usableFromInline
  func record(_ index: CharacteristicIndex) -> CharacteristicRecord { records[index.position] }

  /// Replaces the value of a stored attribute.
  public mutating func store(_ value: [UInt8], at position: Int) { attributes[position].value = value }

  /// The position of a characteristic's value; nil when it is not there, or not any longer.
  public func valuePosition(of index: CharacteristicIndex) -> Int? {
    guard records.indices.contains(index.position), records[index.position].isPresent else { return nil }
    return position(of: records[index.position].value)
  }

  /// Whether an attribute is a value that takes signed writes.
  func takesSignedWrites(at position: Int) -> Bool {
    guard let index = attributes[position].characteristic else { return false }
    let record = records[index.position]
    return record.value == attributes[position].handle
      && record.definition.properties.contains(.authenticatedSignedWrites)
  }

  /// The value that the database keeps for a characteristic; nil when the application is asked for it.
  public func storedValue(of index: CharacteristicIndex) -> [UInt8]? {
    guard let position = valuePosition(of: index), case .storedValue = attributes[position].role else { return nil }
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
