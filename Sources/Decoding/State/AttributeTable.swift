import BLECore

/// The known attributes of one server, defined by its owner or learned from discovery.
struct AttributeTable: Sendable {
  /// An attribute.
  struct Entry: Hashable, Sendable {
    enum Role: Hashable, Sendable { case service, declaration, value, descriptor }

    /// The type; for a service declaration, the service.
    var uuid: BluetoothUUID
    var role: Role
    /// The name given by its owner.
    var name: String?
    /// The name for display: that given by its owner, or else that of its type.
    let title: String

    init(uuid: BluetoothUUID, role: Role, name: String?) {
      self.uuid = uuid
      self.role = role
      self.name = name
      title = name ?? uuid.assignedName?.displayName ?? uuid.description
    }
  }

  /// The maximum number of attributes stored for a server.
  static let limit = 4096
  /// A descriptor belongs to the characteristic whose value is at most this many handles before it.
  private static let reach: UInt16 = 4

  private(set) var entries: [UInt16: Entry] = [:]
  /// Whether one of them is the value of the ANCS Data Source.
  private(set) var hasDataSource = false

  mutating func learn(_ handle: UInt16, _ uuid: BluetoothUUID, _ role: Entry.Role, name: String? = nil) {
    guard entries.count < Self.limit || entries[handle] != nil else { return }
    // The owner's definition takes precedence over discovery.
    if entries[handle]?.name != nil, name == nil { return }
    entries[handle] = Entry(uuid: uuid, role: role, name: name)
    if uuid == NotificationFields.dataSource { hasDataSource = true }
  }

  /// Derives an attribute's role from its type: discovery of descriptors lists every attribute.
  mutating func learn(_ handle: UInt16, _ uuid: BluetoothUUID) {
    switch uuid.short {
    case 0x2800, 0x2801, 0x2802, 0x2803: break
    default:
      if entries[handle] != nil { return }
      let isDescriptor = (0x2900...0x29FF).contains(uuid.short ?? 0) || !(isDeclaration(handle &- 1))
      learn(handle, uuid, isDescriptor ? .descriptor : .value)
    }
  }

  private func isDeclaration(_ handle: UInt16) -> Bool { entries[handle]?.role == .declaration }

  /// Returns the characteristic of an attribute: its own value, or the nearest preceding one in its service.
  func characteristic(of handle: UInt16) -> (handle: UInt16, entry: Entry)? {
    var place = handle
    while place > 0, handle - place <= Self.reach {
      if let entry = entries[place] {
        switch entry.role {
        case .value: return (place, entry)
        case .service: return nil
        case .declaration where place != handle: return nil
        case .declaration, .descriptor: break
        }
      }
      place -= 1
    }
    return nil
  }

  /// Returns a name for display, for example `Heart Rate Measurement` or `Service Changed - Configuration`; nil if nothing is known.
  func name(of handle: UInt16) -> String? {
    let entry = entries[handle]
    switch entry?.role {
    case .service, .value: return entry?.title
    case .declaration: return entries[handle &+ 1].map { "\($0.title) - Declaration" } ?? "Characteristic Declaration"
    case .descriptor, nil:
      guard let (_, owner) = characteristic(of: handle) else { return entry?.title }
      guard let entry else { return owner.title }
      return "\(owner.title) - \(entry.uuid.short == 0x2902 ? "Configuration" : entry.title)"
    }
  }
}

/// The databases of a capture: those of the controllers' own hosts, and those of peers. Peers are identified by their addresses, so that
/// what one connection learned is available to the next.
struct AttributeTables: Sendable {
  enum Server: Hashable, Sendable {
    case host(source: UInt32)
    case peer(address: UInt64)
    case link(UInt64)
  }

  private static let limit = 256
  /// The names of characteristics by type.
  var names: [BluetoothUUID: String] = [:]
  private(set) var tables: [AttributeTable] = [AttributeTable()]
  private var places: [Server: Int] = [:]

  subscript(place: Int) -> AttributeTable {
    get { tables[place] }
    _modify { yield &tables[place] }
  }

  /// Learns a characteristic's value, with the name defined for its type.
  mutating func learnValue(_ handle: UInt16, _ uuid: BluetoothUUID, in place: Int) {
    tables[place].learn(handle, uuid, .value, name: names[uuid])
  }

  /// Returns the table of a server. Beyond the limit all other servers share the first table, which is cleared for each.
  mutating func place(of server: Server) -> Int {
    if let place = places[server] { return place }
    guard tables.count < Self.limit else {
      tables[0] = AttributeTable()
      return 0
    }
    tables.append(AttributeTable())
    places[server] = tables.count - 1
    return tables.count - 1
  }
}
