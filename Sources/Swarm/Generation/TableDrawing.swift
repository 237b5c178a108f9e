import AccessoryProfile
import BLECore

/// Draws one profile as a tree, without checking it with the loader.
struct TableDrawing {
  var values: ValueDrawing
  var names: ProfileNames
  /// Determines the keys that this profile uses.
  private let switches: SplitMix64
  private let density: Double
  /// The kind of value of the characteristic or column that is being drawn.
  var kind = ValueKind.number
  /// The number of names of each kind that were given out.
  private var given: [String: Int] = [:]
  private var depth = 0

  static let tables = Dictionary(Language.tables.map { ($0.name, $0) }) { first, _ in first }

  init(_ random: SplitMix64, density: Double) {
    values = ValueDrawing(random: random)
    names = ProfileNames(&values)
    switches = random.generator(for: "switches")
    self.density = density
  }

  /// Returns a whole profile.
  mutating func profile() -> ProfileTree { mapping("profile") }

  /// Returns whether the profile uses a key. The keys that make a profile rich are always used.
  private func isEnabled(_ table: String, _ key: String) -> Bool {
    var random = switches.generator(for: "\(table).\(key)")
    let isMain = ["profile.services", "service.characteristics", "characteristic.value"].contains("\(table).\(key)")
    return random.fraction() < (isMain ? 1 : density)
  }

  private static let isNeverDrawn: Set<String> = [
    "profile.programs", "replay.replay", "replay-capture.capture", "profile.acts-as",
  ]

  mutating func mapping(_ name: String) -> ProfileTree {
    guard let table = Self.tables[name], depth < 14 else { return .mapping([]) }
    depth += 1
    defer { depth -= 1 }
    let outer = kind
    defer { kind = outer }
    if name == "characteristic" { kind = names.next(given["characteristic", default: 0]) }
    var chosen = table.keys.filter { key in
      guard !Self.isNeverDrawn.contains("\(name).\(key.name)") else { return false }
      return key.isRequired || (isEnabled(name, key.name) && values.chance(0.6))
        || ["id", "characteristics", "services"].contains(key.name)
    }
    if !table.keys.contains(where: \.isRequired), ProfileNames.exclusive.contains(name) {
      chosen = values.one(of: table.keys).map { [$0] } ?? []
    }
    var pairs: [ProfileTree.Pair] = []
    for key in chosen {
      if let tree = value(of: key, in: name) { pairs.append(.init(key.name, tree)) }
    }
    return .mapping(pairs)
  }

  /// Returns the next name of this kind.
  mutating func nextName(_ kind: String, _ prefix: String) -> String {
    let place = given[kind, default: 0]
    given[kind] = place + 1
    return "\(prefix)\(place)"
  }

  private mutating func value(of key: KeyTable.Key, in table: String) -> ProfileTree? {
    if let special = special(table, key.name) { return special }
    return draw(key.type, in: table)
  }

  mutating func draw(_ type: ValueType, in table: String) -> ProfileTree {
    switch type {
    case .text: return .word(values.one(of: ["a", "b", "one", "level"] + names.characteristics) ?? "a")
    case .boolean: return .word(values.chance(0.5) ? "true" : "false")
    case .integer(let range): return .number(values.integer(range))
    case .number: return .number(values.below(100))
    case .duration(let range, let step): return values.duration(range, step: step)
    case .octets: return values.octets(values.one(of: [1, 2, 4, 6, 8, 10, 16, 20]) ?? 4)
    case .scalar, .any: return .number(values.below(100))
    case .expression: return .word(expression())
    case .uuid: return .word(values.uuid())
    case .appearance: return .number(values.one(of: [64, 128, 576, 833, 960]) ?? 64)
    case .names(let words): return .word(values.one(of: words) ?? "a")
    case .list(let member):
      let count = values.chance(0.1) ? 0 : 1 + values.below(3)
      var members: [ProfileTree] = []
      for _ in 0..<count {
        let next = draw(member, in: table)
        if case .scalar = next, members.contains(next) { continue }
        members.append(next)
      }
      return .list(members)
    case .mapping(let name): return mapping(name)
    case .dictionary(let entry): return .mapping([.init("a", draw(entry, in: table))])
    case .choice(let types): return values.one(of: types).map { draw($0, in: table) } ?? .word("a")
    case .value: return drawnValue()
    case .format: return format()
    }
  }

  mutating func expression() -> String {
    let variable = values.one(of: names.variables) ?? "1"
    let number = values.one(of: names.numbers) ?? "1"
    return values.one(of: [
      "1 == 1", "2 < 1", "\(variable) + 1", "\(variable) == 1", "\(number) > 10", "\(number) + \(variable)", "1 + 1",
      "\(number) == 1 or \(variable) < 5", "not subscribed(\(number))",
    ]) ?? "1 == 1"
  }

  mutating func drawnValue() -> ProfileTree {
    if values.chance(0.2), let table = values.one(of: Language.generators), table.name != "replay" {
      return mapping(table.name)
    }
    return kind.value(&values)
  }

  mutating func format() -> ProfileTree {
    if depth < 6, values.chance(0.5), let table = values.one(of: Language.formats) { return mapping(table.name) }
    return .word(kind.format)
  }
}
