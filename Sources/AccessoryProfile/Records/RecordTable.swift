import BLECore

/// Records that commands of control points find, and that may come, change and go with time.
public struct RecordTable: Hashable, Sendable {
  /// The name by which the profile speaks of it.
  public var id: String
  /// What a record holds. A column with a default value need not be given.
  public var columns: [ValueFormat.Field]
  /// What puts the columns together where they are the fields of a structure; nil where they stand one behind the other.
  public var layout: StructFormat?
  /// The column by which a record is found; different in every record.
  public var key: String
  /// The records at the start.
  public var rows: [Record]
  /// What happens to them by itself, in the order of time.
  public var timeline: [TimelineStep]
  /// The highest number that was a key so far, so that none is given again.
  private var highestKey = ProfileValue.int(0)
  /// The keys of the records, as far as they came one by one.
  private var takenKeys: Set<ProfileValue> = []

  /// How many records rules can bring into a table: the next one takes the place of the oldest.
  static let limit = 1000

  /// The values of a record by column.
  public typealias Record = [String: ProfileValue]

  /// A change at a time after the start.
  public struct TimelineStep: Hashable, Sendable {
    /// How long after the start.
    public var delay: Duration
    /// What happens then.
    public var change: RecordChange

    /// That change, so long after the start.
    public init(_ delay: Duration, _ change: RecordChange) {
      self.delay = delay
      self.change = change
    }
  }

  /// A table without records.
  public init(
    id: String, columns: [ValueFormat.Field], key: String, rows: [Record] = [], timeline: [TimelineStep] = []
  ) {
    self.id = id
    self.columns = columns
    self.key = key
    self.rows = rows
    self.timeline = timeline
  }

  /// The format of a column; nil when there is none of that name.
  public func format(of column: String) -> ValueFormat? { columns.first { $0.name == column }?.format }

  /// The record with that key.
  func row(_ key: ProfileValue) -> Record? { rows.first { $0[self.key] == key } }

  /// The value of a column in a record.
  func value(_ column: String, in row: Record) -> ProfileValue? {
    row[column] ?? columns.first { $0.name == column }?.defaultValue
  }

  /// All columns of a record as octets, one behind the other.
  func octets(of row: Record) -> [UInt8] {
    if let layout {
      var octets: [UInt8] = []
      guard (try? layout.append(slots: columns.map { row[$0.name] }, to: &octets)) != nil else { return [] }
      return octets
    }
    return columns.flatMap { column in value(column.name, in: row).flatMap { try? column.format.encode($0) } ?? [] }
  }

  /// A column of a record as a text of UTF-8: numbers in decimal, times as `20240229T235958`, octets as they are.
  func text(of column: String, in row: Record) -> [UInt8] {
    guard let value = value(column, in: row) else { return [] }
    switch (value, format(of: column)) {
    case (.string(let text), .dateTime?): return Array(text.utf8.filter { $0 != 0x2D && $0 != 0x3A })
    case (.string(let text), _): return Array(text.utf8)
    case (.int, _), (.unsigned, _): return Array("\(value)".utf8)
    default: return value.octets ?? []
    }
  }

  // MARK: Changing

  /// The values of a record in the way in which commands find them; throws where one does not fit its column.
  func checked(_ fields: Record) throws(ProfileValueError) -> Record {
    let known = columns.map(\.name)
    var result: Record = [:]
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard let column = columns.first(where: { $0.name == name }) else {
        throw ProfileValueError("there is no column '\(name)'\(Spelling.hint(for: name, among: known))")
      }
      let octets = try column.encode(value)
      result[name] = column.other == nil ? column.format.decode(octets) : value
    }
    return result
  }

  /// Adds, changes or removes a record. Returns it as it is then, or was when it is removed, with its key.
  mutating func apply(_ change: RecordChange) throws(ProfileValueError) -> (key: ProfileValue, row: Record) {
    switch change {
    case .add(let fields):
      var row = try checked(fields)
      if row[self.key] == nil { row[self.key] = try freeKey() }
      let key = row[self.key] ?? .null
      if takenKeys.count != rows.count { takenKeys = Set(rows.compactMap { $0[self.key] }) }
      guard !takenKeys.contains(key) else { throw ProfileValueError("the \(self.key) \(key) is already taken") }
      if let missing = columns.first(where: { !$0.canBeLeftOut && row[$0.name] == nil }) {
        throw ProfileValueError("'\(missing.name)' is missing")
      }
      if let layout {
        var octets: [UInt8] = []
        try layout.append(slots: columns.map { row[$0.name] }, to: &octets)
      }
      if key.isNumber(above: highestKey) { highestKey = key }
      rows.append(row)
      takenKeys.insert(key)
      return (key, row)
    case .modify(let key, let fields):
      let index = try position(key)
      let changes = try checked(fields)
      if let other = changes[self.key], other != key {
        throw ProfileValueError("the \(self.key) of a record cannot change")
      }
      rows[index].merge(changes) { _, new in new }
      return (key, rows[index])
    case .remove(let key):
      let row = rows.remove(at: try position(key))
      takenKeys.remove(key)
      return (key, row)
    }
  }

  private func position(_ key: ProfileValue) throws(ProfileValueError) -> Int {
    guard let index = rows.firstIndex(where: { $0[self.key] == key }) else {
      throw ProfileValueError("there is no record with the \(self.key) \(key)")
    }
    return index
  }

  /// A number that no record has had.
  private func freeKey() throws(ProfileValueError) -> ProfileValue {
    guard case .integer(let integer) = format(of: key) else { throw ProfileValueError("'\(key)' is missing") }
    guard let next = highestKey.successor, (try? integer.raw(next)) != nil else {
      throw ProfileValueError("no \(key) is free")
    }
    return next
  }
}

/// What happens to a table.
public enum RecordChange: Hashable, Sendable {
  /// A record comes; without its key it gets the next number.
  case add(RecordTable.Record)
  /// Some values of the record with that key become others.
  case modify(ProfileValue, RecordTable.Record)
  /// The record with that key goes.
  case remove(ProfileValue)
}
