import BLECore

extension ProfileLoader {
  /// Loads the tables that the profile declares, and those of its notifications.
  mutating func recordTables(_ node: SyntaxNode?, notifications: SyntaxNode?) -> [RecordTable] {
    var tables: [RecordTable] = []
    var places: [String: SyntaxNode] = [:]
    if let notifications {
      let names = [NotificationTable.id, NotificationTable.apps]
      for name in names { places[name] = notifications }
      tables += notificationTables(notifications)
    }
    for element in node.flatMap({ list($0) }) ?? [] {
      guard let table = recordTable(element) else { continue }
      if let place = element.value(of: "id"), let first = places.updateValue(place, forKey: table.id) {
        error(place, "the id '\(table.id)' is already taken in line \(first.line)")
      } else {
        tables.append(table)
      }
    }
    return tables
  }

  private mutating func recordTable(_ node: SyntaxNode) -> RecordTable? {
    guard let keys = keys(node, Language.table), let idNode = keys["id"], let id = text(idNode) else { return nil }
    guard Self.isIdentifier(id) else {
      error(idNode, "an id consists of letters, digits, '-' and '_', not '\(id)'")
      return nil
    }
    var layout: StructFormat?
    let columns: [ValueFormat.Field]
    switch (keys["columns"], keys["format"]) {
    case (let node?, nil):
      guard let fields = fields(node) else { return nil }
      columns = fields
    case (nil, let node?):
      guard let format = format(node) else { return nil }
      guard case .structure(let structure) = format, !structure.fields.isEmpty else {
        error(node, "the format of records must be a struct")
        return nil
      }
      columns = structure.fields
      layout = structure
    default:
      error(node, "expected either 'columns' or 'format'")
      return nil
    }
    var key = columns[0].name
    if let node = keys["key"], let name = oneOf(node, columns.map(\.name)) { key = name }
    var table = RecordTable(id: id, columns: columns, key: key)
    table.layout = layout
    fill(&table, keys)
    return table
  }

  /// Reads names and formats, at least one.
  private mutating func fields(_ node: SyntaxNode) -> [ValueFormat.Field]? {
    guard let pairs = node.pairs, !pairs.isEmpty else {
      error(node, "expected a mapping from columns to formats, not \(node.kindName)")
      return nil
    }
    let fields = pairs.compactMap { pair in format(pair.value).map { ValueFormat.Field(pair.name, $0) } }
    return fields.count == pairs.count ? fields : nil
  }

  private mutating func notificationTables(_ node: SyntaxNode) -> [RecordTable] {
    var apps = RecordTable(id: NotificationTable.apps, columns: NotificationTable.appColumns, key: "app")
    var table = RecordTable(id: NotificationTable.id, columns: NotificationTable.columns, key: "uid")
    guard let keys = keys(node, Language.notificationTable) else { return [table, apps] }
    if let node = keys["apps"] {
      if node.pairs == nil { error(node, "expected a mapping from apps to their names, not \(node.kindName)") }
      for pair in node.pairs ?? [] {
        guard let name = text(pair.value) else { continue }
        apps.rows.append(["app": .string(pair.name), "name": .string(name)])
      }
    }
    fill(&table, keys)
    return [table, apps]
  }

  // MARK: Records

  /// Adds the initial records and the timeline, whose steps are tried one after another.
  private mutating func fill(_ table: inout RecordTable, _ keys: Keys) {
    for node in keys["rows"].flatMap({ list($0) }) ?? [] {
      guard let row = record(node, table) else { continue }
      attempt(.add(row), on: &table, at: node)
    }
    var steps: [(step: RecordTable.TimelineStep, node: SyntaxNode)] = []
    let stepTable = table.id == NotificationTable.id ? Language.notificationStep : Language.tableStep
    for node in keys["timeline"].flatMap({ list($0) }) ?? [] {
      guard let keys = self.keys(node, stepTable), let at = keys["at"],
        let delay = duration(at, keys.table, "at"), let change = change(keys, node, table)
      else { continue }
      steps.append((.init(delay, change), node))
    }
    // Steps at the same time keep their order.
    steps = steps.enumerated().sorted { ($0.element.step.delay, $0.offset) < ($1.element.step.delay, $1.offset) }
      .map(\.element)
    var trial = table
    for (step, node) in steps { attempt(step.change, on: &trial, at: node) }
    table.timeline = steps.map(\.step)
  }

  private mutating func attempt(_ change: RecordChange, on table: inout RecordTable, at node: SyntaxNode) {
    do throws(ProfileValueError) {
      _ = try table.apply(change)
    } catch {
      self.error(node, error.message)
    }
  }

  private mutating func change(_ keys: Keys, _ node: SyntaxNode, _ table: RecordTable) -> RecordChange? {
    switch (keys["add"], keys["modify"], keys["remove"]) {
    case (let add?, nil, nil): return record(add, table).map { .add($0) }
    case (nil, let modify?, nil):
      guard let fields = record(modify, table) else { return nil }
      guard let key = fields[table.key] else {
        error(modify, "the key '\(table.key)' is missing")
        return nil
      }
      return .modify(key, fields)
    case (nil, nil, let remove?):
      return table.format(of: table.key).flatMap { constant(remove, $0) }.map { .remove($0) }
    default:
      error(node, "expected one of 'add', 'modify' and 'remove'")
      return nil
    }
  }

  /// Reads the values of columns.
  private mutating func record(_ node: SyntaxNode, _ table: RecordTable) -> RecordTable.Record? {
    guard let pairs = node.pairs else {
      error(node, "expected a mapping with columns of '\(table.id)', not \(node.kindName)")
      return nil
    }
    var record: RecordTable.Record = [:]
    let known = table.columns.map(\.name)
    for pair in pairs {
      guard let format = table.format(of: pair.name) else {
        error(pair.key, "there is no column '\(pair.name)'\(hint(for: pair.name, among: known))")
        continue
      }
      record[pair.name] = constant(pair.value, format)
    }
    return record.count == pairs.count ? record : nil
  }

  /// Returns the table with an id.
  mutating func table(_ node: SyntaxNode) -> RecordTable? {
    guard let id = text(node) else { return nil }
    if let table = tables.first(where: { $0.id == id }) { return table }
    let known = tables.map(\.id)
    let hint = known.isEmpty ? "" : self.hint(for: id, among: known)
    let advice =
      id == NotificationTable.id || id == NotificationTable.apps ? "; the key 'notifications' creates it" : ""
    error(node, "there is no table '\(id)'\(hint)\(advice)")
    return nil
  }
}
