import BLECore

/// What is known of one server's attributes, told by its owner or learned from discovery.
struct AttributeTable: Sendable {
  /// An attribute.
  struct Entry: Hashable, Sendable {
    enum Role: Hashable, Sendable { case service, declaration, value, descriptor }

    /// Its type; of a service declaration, the service.
    var uuid: BluetoothUUID
    var role: Role
    /// What its owner calls it.
    var name: String?
  }

  /// No server has more attributes than this that are remembered.
  static let limit = 4096
  /// A descriptor belongs to the characteristic whose value is at most so many handles before it.
  private static let reach: UInt16 = 4

  private(set) var entries: [UInt16: Entry] = [:]
  /// Whether one of them is the value of the ANCS Data Source.
  private(set) var hasDataSource = false

  mutating func learn(_ handle: UInt16, _ uuid: BluetoothUUID, _ role: Entry.Role, name: String? = nil) {
    guard entries.count < Self.limit || entries[handle] != nil else { return }
    // What its owner said is better than what is found out.
    if entries[handle]?.name != nil, name == nil { return }
    entries[handle] = Entry(uuid: uuid, role: role, name: name)
    if uuid == NotificationFields.dataSource { hasDataSource = true }
  }

  /// Finds out an attribute's role from its type: discovery of descriptors lists every attribute.
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

  /// The characteristic that an attribute belongs to: its own value, or the nearest one before it in its service.
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

  /// A name for people, such as `Heart Rate Measurement` or `Service Changed - Configuration`; nil when nothing is known.
  func name(of handle: UInt16) -> String? {
    let entry = entries[handle]
    switch entry?.role {
    case .service: return entry.map { Self.name($0) }
    case .value: return entry.map { Self.name($0) }
    case .declaration:
      return entries[handle &+ 1].map { "\(Self.name($0)) - Declaration" } ?? "Characteristic Declaration"
    case .descriptor, nil:
      guard let (_, owner) = characteristic(of: handle) else { return entry.map { Self.name($0) } }
      guard let entry else { return Self.name(owner) }
      return "\(Self.name(owner)) - \(entry.uuid.short == 0x2902 ? "Configuration" : Self.name(entry))"
    }
  }

  private static func name(_ entry: Entry) -> String {
    entry.name ?? entry.uuid.assignedName?.displayName ?? entry.uuid.description
  }
}

/// The databases of a capture: those of the controllers' own hosts, and those of peers, who are known by their addresses so that
/// what was learned on one connection serves the next.
struct AttributeTables: Sendable {
  enum Server: Hashable, Sendable {
    case host(source: UInt32)
    case peer(address: UInt64)
    case link(UInt64)
  }

  private static let limit = 256
  /// What people call characteristics, by their types.
  var names: [BluetoothUUID: String] = [:]
  private(set) var tables: [AttributeTable] = [AttributeTable()]
  private var places: [Server: Int] = [:]

  subscript(place: Int) -> AttributeTable {
    get { tables[place] }
    _modify { yield &tables[place] }
  }

  /// Learns a characteristic's value, under the name that people have for its type.
  mutating func learnValue(_ handle: UInt16, _ uuid: BluetoothUUID, in place: Int) {
    tables[place].learn(handle, uuid, .value, name: names[uuid])
  }

  /// The table of a server; beyond the limit all others share the first one, which is emptied for each.
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
