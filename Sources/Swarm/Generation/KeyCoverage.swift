import AccessoryProfile

/// The keys of the language that a text uses, as `TABLE.KEY`.
package struct KeyCoverage: Hashable, Sendable {
  /// The keys found so far.
  package private(set) var keys: Set<String> = []

  /// Creates an empty coverage.
  package init() {}

  /// All keys of all tables of the language.
  package static let all: [String] = Language.tables.flatMap { table in table.keys.map { "\(table.name).\($0.name)" } }

  private static let tables = Dictionary(Language.tables.map { ($0.name, $0) }) { first, _ in first }

  /// Adds the keys of a profile. Text that is not YAML adds nothing.
  package mutating func add(profile text: String) {
    if let tree = ProfileTree(yaml: text) { visit(tree, Language.profile) }
  }

  /// Adds the keys of a fault. Text that is not YAML adds nothing.
  package mutating func add(fault text: String) {
    guard let tree = ProfileTree(yaml: text.first == "{" ? text : "{ \(text) }"), let table = Self.tables["fault"]
    else {
      return
    }
    visit(tree, table)
  }

  private mutating func visit(_ tree: ProfileTree, _ table: KeyTable) {
    guard case .mapping(let pairs) = tree else { return }
    for pair in pairs {
      guard let key = table.keys.first(where: { $0.name == pair.key }) else { continue }
      keys.insert("\(table.name).\(key.name)")
      // The parameters of commands are formats, or kinds that occur only here.
      let type: ValueType =
        table.name == "command" && key.name == "parameters"
        ? .dictionary(
          .choice([
            .format, .mapping("terminated-parameter"), .mapping("attribute-parameter"), .mapping("records-parameter"),
          ])) : key.type
      visit(pair.value, type)
    }
  }

  private mutating func visit(_ tree: ProfileTree, _ type: ValueType) {
    switch tree {
    case .scalar: break
    case .list(let members):
      for member in members { visit(member, Self.member(of: type)) }
    case .mapping(let pairs):
      if let table = Self.best(tree, Self.candidates(type)) { return visit(tree, table) }
      for pair in pairs { visit(pair.value, Self.entry(of: type)) }
    }
  }

  /// Returns the type of a list's members.
  private static func member(of type: ValueType) -> ValueType {
    switch type {
    case .list(let member): member
    case .choice(let types):
      .choice(types.compactMap { if case .list(let member) = $0 { member } else { nil } })
    default: type
    }
  }

  /// Returns the type of the values under keys that a profile chooses.
  private static func entry(of type: ValueType) -> ValueType {
    switch type {
    case .dictionary(let entry): entry
    case .choice(let types):
      .choice(types.compactMap { if case .dictionary(let entry) = $0 { entry } else { nil } })
    default: type
    }
  }

  /// Returns the tables that a mapping of this type may follow.
  private static func candidates(_ type: ValueType) -> [KeyTable] {
    switch type {
    case .mapping(let name): tables[name].map { [$0] } ?? []
    case .choice(let types): types.flatMap { candidates($0) }
    case .value: Language.generators
    case .format: Language.formats
    default: []
    }
  }

  /// Returns the table that contains the most of the mapping's keys. All its required keys must be present.
  private static func best(_ tree: ProfileTree, _ tables: [KeyTable]) -> KeyTable? {
    guard case .mapping(let pairs) = tree else { return nil }
    let names = Set(pairs.map(\.key))
    var best: (table: KeyTable, count: Int)?
    for table in tables where table.keys.allSatisfy({ !$0.isRequired || names.contains($0.name) }) {
      let count = table.keys.filter { names.contains($0.name) }.count
      if count > 0, count > best?.count ?? 0 { best = (table, count) }
    }
    return best?.table
  }
}
