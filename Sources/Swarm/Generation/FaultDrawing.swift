import AccessoryProfile
import BLECore
import BLEGATT

/// Draws faults for a profile from the language's tables: every occasion with every possible action.
package struct FaultDrawing {
  private var values: ValueDrawing
  private let profile: Profile
  private let characteristics: [String]
  private let channels: [String]
  private let services: [String]

  private static let tables = Dictionary(Language.faultTables.map { ($0.name, $0) }) { first, _ in first }
  /// The keys that only supplement another key of an action.
  private static let additions = [
    "handle": ["error"], "pause": ["keep-sending", "flood"], "when": ["disconnect"], "service": ["services"],
  ]

  /// Creates a drawing of faults for `profile`. `random` determines them.
  package init(_ random: SplitMix64, for profile: Profile) {
    values = ValueDrawing(random: random)
    self.profile = profile
    characteristics = profile.behaviors.map(\.id)
    channels = profile.channels.map(\.id)
    services = profile.services.map(\.id)
  }

  /// A single word, or a key of a mapping.
  private enum Head {
    case word(String)
    case key(KeyTable.Key)
  }

  /// Returns the next fault on one line, in the syntax of profiles and `--fault`. If an action does not fit an occasion, draws both again,
  /// so that all fitting pairs are equally likely.
  package mutating func draw() -> String {
    for _ in 0..<1000 {
      guard let occasion = head("on", "fault-occasion"), let action = head("do", "fault-action") else { break }
      // If the action does not fit this request, it may fit another.
      for _ in 0..<24 {
        let plain = text(occasion, action, isTimed: false)
        guard (try? profile.loadFault(plain, number: 1)) != nil else {
          if case .key(let key) = occasion, key.name == "request" { continue }
          break
        }
        guard values.chance(0.6) else { return plain }
        let timed = text(occasion, action, isTimed: true)
        return (try? profile.loadFault(timed, number: 1)) == nil ? plain : timed
      }
    }
    return "{ on: connected, do: { disconnect: user-terminated } }"
  }

  private mutating func head(_ key: String, _ table: String) -> Head? {
    let words = Self.tables["fault"]?.keys.first { $0.name == key }?.type.namesOnly ?? []
    let keys = (Self.tables[table]?.keys ?? []).filter { Self.additions[$0.name] == nil || table != "fault-action" }
    let place = values.below(words.count + keys.count)
    if place < words.count { return .word(words[place]) }
    return keys.isEmpty ? nil : .key(keys[place - words.count])
  }

  private mutating func text(_ occasion: Head, _ action: Head, isTimed: Bool) -> String {
    var pairs: [ProfileTree.Pair] = []
    pairs.append(.init("on", tree(occasion, "fault-occasion")))
    pairs.append(.init("do", tree(action, "fault-action")))
    if isTimed {
      for key in Self.tables["fault"]?.keys ?? [] where key.name != "on" && key.name != "do" && values.chance(0.25) {
        pairs.append(.init(key.name, value(key, in: "fault")))
      }
    }
    return ProfileTreeText.line(.mapping(pairs))
  }

  private mutating func tree(_ head: Head, _ table: String) -> ProfileTree {
    switch head {
    case .word(let word): return .word(word)
    case .key(let key):
      var pairs = [ProfileTree.Pair(key.name, value(key, in: table))]
      for addition in Self.tables[table]?.keys ?? [] where Self.additions[addition.name]?.contains(key.name) == true {
        if table == "fault-action", values.chance(0.5) {
          pairs.append(.init(addition.name, value(addition, in: table)))
        }
      }
      return .mapping(pairs)
    }
  }

  private mutating func value(_ key: KeyTable.Key, in table: String) -> ProfileTree {
    switch (table, key.name) {
    case ("fault", "id"): return .word("f\(values.hexadecimal(2).lowercased())")
    case ("fault", "peer"): return .word(values.address())
    case ("fault", "probability"): return .word(values.one(of: ["0.5", "20%", "0.9", "1", "5%"]) ?? "0.5")
    case ("fault", "connection"): return .number(values.below(4))
    case ("fault", "nth"), ("fault", "every"), ("fault", "times"): return .number(1 + values.below(5))
    case ("fault-occasion", "channel-request"), ("fault-occasion", "channel"), ("fault-occasion", "sdu"):
      return .word(name(among: channels))
    // Short times, because the judges wait for a minute, not for a day.
    case ("fault-action", "vanish"), ("fault-action", "reboot"): return .word("\(1 + values.below(20)) s")
    case ("fault-action", "service"): return .word(values.one(of: services) ?? "none")
    case ("fault-action", "keep-sending"), ("fault-action", "service-changed"), ("fault-flood", "times"):
      return .number(1 + values.below(30))
    case ("fault-advertising", "name"): return .word(values.one(of: ["other", "Nobody"]) ?? "other")
    case ("fault-advertising", "data"): return values.octets(1 + values.below(31))
    case ("fault-occasion", _): if case .text = key.type { return .word(name(among: characteristics)) }
    default: break
    }
    return value(key.type)
  }

  private mutating func name(among ids: [String]) -> String {
    values.chance(0.3) ? "any" : values.one(of: ids) ?? "any"
  }

  private mutating func value(_ type: ValueType) -> ProfileTree {
    switch type {
    case .integer(let range): return .number(values.integer(range))
    case .duration(let range, let step): return values.duration(range, step: step)
    case .octets: return values.octets(1 + values.below(24))
    case .names(let names): return .word(values.one(of: names) ?? "none")
    case .list(let member): return .list((0...values.below(3)).map { _ in value(member) })
    case .choice(let types): return values.one(of: types).map { value($0) } ?? .word("any")
    case .mapping(let name): return mapping(name)
    case .boolean: return .word(values.chance(0.5) ? "true" : "false")
    default: return .word("any")
    }
  }

  private mutating func mapping(_ name: String) -> ProfileTree {
    let keys = Self.tables[name]?.keys ?? []
    if name == "fault-occasion" || !keys.contains(where: \.isRequired) {
      return .mapping(values.one(of: keys).map { [.init($0.name, value($0, in: name))] } ?? [])
    }
    var pairs: [ProfileTree.Pair] = []
    for key in keys where key.isRequired || values.chance(0.5) { pairs.append(.init(key.name, value(key, in: name))) }
    return .mapping(pairs)
  }
}

extension ValueType {
  /// The words that the type permits on their own, without those of lists.
  var namesOnly: [String] {
    switch self {
    case .names(let names): names
    case .choice(let types): types.flatMap(\.namesOnly)
    default: []
    }
  }
}
