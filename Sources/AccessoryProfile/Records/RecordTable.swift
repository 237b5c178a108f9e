import BLECore

/// A table of records that commands of control points search, and that can change over time.
public struct RecordTable: Hashable, Sendable {
  /// The name in the profile.
  public var id: String
  /// The columns of a record. A column with a default value is optional.
  public var columns: [ValueFormat.Field]
  /// The layout if the columns are the fields of a struct; nil if they are concatenated.
  public var layout: StructFormat?
  /// The column that identifies a record, with a unique value in each.
  public var key: String
  /// The records. Initially, those at the start.
  public var rows: [Record]
  /// The scheduled changes, in the order of time.
  public var timeline: [TimelineStep]
  /// The highest number used as a key so far, so that no number is used again.
  private var highestKey = ProfileValue.int(0)
  /// The keys of the records, cached while records are added and removed one by one.
  private var takenKeys: Set<ProfileValue> = []

  /// The maximum number of records when rules add one. The next record replaces the oldest.
  static let limit = 1000

  /// The values of a record by column.
  public typealias Record = [String: ProfileValue]

  /// A scheduled change.
  public struct TimelineStep: Hashable, Sendable {
    /// The time after the start.
    public var delay: Duration
    /// The change.
    public var change: RecordChange

    /// Creates a step.
    public init(_ delay: Duration, _ change: RecordChange) {
      self.delay = delay
      self.change = change
    }
  }

  /// Creates a table, by default without records.
  public init(
    id: String, columns: [ValueFormat.Field], key: String, rows: [Record] = [], timeline: [TimelineStep] = []
  ) {
    self.id = id
    self.columns = columns
    self.key = key
    self.rows = rows
    self.timeline = timeline
  }

  /// Returns the format of a column; nil if there is no column with that name.
  public func format(of column: String) -> ValueFormat? { columns.first { $0.name == column }?.format }

  /// Returns the record with a key.
  func row(_ key: ProfileValue) -> Record? { rows.first { $0[self.key] == key } }

  /// Returns the value of a column in a record.
  func value(_ column: String, in row: Record) -> ProfileValue? {
    row[column] ?? columns.first { $0.name == column }?.defaultValue
  }

  /// Returns all columns of a record as octets, in order.
  func octets(of row: Record) -> [UInt8] {
    if let layout {
      var octets: [UInt8] = []
      guard (try? layout.append(slots: columns.map { row[$0.name] }, to: &octets)) != nil else { return [] }
      return octets
    }
    return columns.flatMap { column in value(column.name, in: row).flatMap { try? column.format.encode($0) } ?? [] }
  }

  /// Returns a column of a record as UTF-8 text: numbers in decimal, times as `20240229T235958`, octets unchanged.
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

  /// Returns the values of a record in the form that commands use. Throws if one does not fit its column.
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

  /// Adds, changes or removes a record. Returns its key and its new state, or its last state if it is removed.
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

  /// Returns a number that no record has had.
  private func freeKey() throws(ProfileValueError) -> ProfileValue {
    guard case .integer(let integer) = format(of: key) else { throw ProfileValueError("'\(key)' is missing") }
    guard let next = highestKey.successor, (try? integer.raw(next)) != nil else {
      throw ProfileValueError("no \(key) is free")
    }
    return next
  }
}

/// A change of a table.
public enum RecordChange: Hashable, Sendable {
  /// Adds a record. Without a key, it gets the next number.
  case add(RecordTable.Record)
  /// Changes some values of the record with that key.
  case modify(ProfileValue, RecordTable.Record)
  /// Removes the record with that key.
  case remove(ProfileValue)
}
