import BLECore

/// The attributes of a server in handle order, with its services and characteristics (Core 5.4 Vol 3 Part G 2.6).
///
/// All clients share the definition. Per-client values (Client Characteristic Configurations, prepared writes) are in `GATTSession`.
public struct AttributeDatabase: Sendable {
  /// All attributes, by ascending handle.
  public internal(set) var attributes: [Attribute] = []
  /// All services, by ascending handle.
  public internal(set) var services: [ServiceRecord] = []
  /// The characteristics by `CharacteristicIndex`. A removed one stays until its index is needed.
  var records: [CharacteristicRecord] = []
  /// The indices of removed characteristics, oldest first.
  var retired: [CharacteristicIndex] = []
  /// The services in handle order, as laid out.
  var layouts: [ServiceLayout] = []
  @usableFromInline var map = HandleMap()
  /// The services that one transport lacks; usually none.
  var restricted: [RestrictedService] = []
  let groupsByUUIDSize: Bool

  /// An error in a definition.
  public enum DefinitionError: Error, Hashable, Sendable {
    /// There are more than 65,535 attributes, or a fixed handle is too near the end for the attributes after it.
    case tooManyAttributes
    /// A service includes an unknown service.
    case unknownInclude(service: String, include: String)
    /// An Aggregate Format names a characteristic that is unknown or has no Presentation Format.
    case unknownFormat(characteristic: String, format: String)
    /// A fixed handle of the service with this `id` is 0, or not after the preceding handles. A fixed handle of a characteristic is
    /// reported as that of its declaration.
    case handleTaken(UInt16, in: String)
    /// Two services have the same fixed handles.
    case handleConflict(UInt16, String, String)
    /// There already is a service with this `id`.
    case duplicateService(String)
    /// No service has this `id`.
    case unknownService(String)
    /// A service cannot be removed while another includes it.
    case stillIncluded(String, by: String)
  }

  /// Builds the database of the `host` services (GAP, GATT), followed by the `application` services.
  ///
  /// The same definitions always get the same handles: consecutive from 0x0001, except fixed ones. With `groupsByUUIDSize`, services with
  /// 16-bit UUIDs come before those with 128-bit ones, each group in the order of declaration. A client then finds the whole first group in
  /// one round trip, because the UUIDs in a response all have the same length (Core 5.4 Vol 3 Part F 3.4.4.10).
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

  /// All characteristics in the database, by `CharacteristicIndex`.
  public var characteristics: [CharacteristicRecord] { records.filter(\.isPresent) }

  /// Returns the position in `attributes` of the attribute with this handle.
  @inlinable
  public func position(of handle: UInt16) -> Int? { map.position(of: handle) }

  /// Returns the positions of the attributes in a range of handles; empty if there are none.
  public func positions(from start: UInt16, to end: UInt16) -> Range<Int> {
    let first = lowerBound(Int(start))
    return first..<max(first, lowerBound(Int(end) + 1))
  }

  /// Returns the position of the first attribute with at least this handle.
  private func lowerBound(_ handle: Int) -> Int {
    var low = 0
    var high = attributes.count
    while low < high {
      let middle = (low + high) / 2
      if Int(attributes[middle].handle) < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns whether an attribute belongs to a service that clients of this transport do not have.
  func isHidden(_ position: Int, over transport: LinkTransport) -> Bool {
    guard !restricted.isEmpty else { return false }
    return restricted.contains { $0.positions.contains(position) && !$0.transports.contains(transport) }
  }

  /// Returns whether a characteristic belongs to a service that clients of this transport do not have.
  func isHidden(_ index: CharacteristicIndex, over transport: LinkTransport) -> Bool {
    guard !restricted.isEmpty else { return false }
    return valuePosition(of: index).map { isHidden($0, over: transport) } ?? false
  }

  /// Returns the characteristic whose profile id, or else whose UUID, is `name`; nil if none or several match.
  public func characteristic(named name: String) -> CharacteristicRecord? {
    if let record = records.first(where: { $0.isPresent && $0.definition.id == name }) { return record }
    guard let uuid = BluetoothUUID(name) else { return nil }
    let fitting = records.filter { $0.isPresent && $0.definition.uuid == uuid }
    return fitting.count == 1 ? fitting[0] : nil
  }

  /// Returns the characteristic of the host's own services with this UUID.
  func hostCharacteristic(_ uuid: BluetoothUUID) -> CharacteristicRecord? {
    records.first { $0.isPresent && !$0.belongsToApplication && $0.definition.uuid == uuid }
  }

  /// Returns the characteristic with this index, even if it has been removed.
  @inlinable
  public subscript(index: CharacteristicIndex) -> CharacteristicRecord { record(index) }

  @usableFromInline
  func record(_ index: CharacteristicIndex) -> CharacteristicRecord { records[index.position] }

  /// Replaces the value of a stored attribute.
  public mutating func store(_ value: [UInt8], at position: Int) { attributes[position].value = value }

  /// Returns the position of a characteristic's value; nil if it is not, or no longer, in the database.
  public func valuePosition(of index: CharacteristicIndex) -> Int? {
    guard records.indices.contains(index.position), records[index.position].isPresent else { return nil }
    return position(of: records[index.position].value)
  }

  /// Returns whether an attribute is a value that accepts signed writes.
  func takesSignedWrites(at position: Int) -> Bool {
    guard let index = attributes[position].characteristic else { return false }
    let record = records[index.position]
    return record.value == attributes[position].handle
      && record.definition.properties.contains(.authenticatedSignedWrites)
  }

  /// Returns the value that the database stores for a characteristic; nil if the application provides it.
  public func storedValue(of index: CharacteristicIndex) -> [UInt8]? {
    guard let position = valuePosition(of: index), case .storedValue = attributes[position].role else { return nil }
    return attributes[position].value
  }

  /// Returns the position in `services` of the first service that starts at or after a handle.
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
