/// A key that people know from other tools, such as Bumble, Zephyr, BlueZ, nRF Connect, ESPHome or Home Assistant, and what this language says
/// instead. The rows are in `FamiliarKeys`; each has an example in `FamiliarWordTests`.
struct FamiliarKey: Sendable {
  /// The mappings in which people write it, as in `KeyTable.name`.
  let places: [String]
  /// What they write, in kebab case.
  let words: [String]
  /// The key that is meant; nil if it is not another name for one key of the same mapping.
  let meant: String?
  /// What to write, and why.
  let advice: String

  private init(_ places: [String], _ words: [String], _ meant: String?, _ advice: String) {
    (self.places, self.words, self.meant, self.advice) = (places, words, meant, advice)
  }

  /// Other names for a key of the same mapping.
  static func named(_ words: String..., in places: [String], means meant: String, _ advice: String) -> FamiliarKey {
    FamiliarKey(places, words, meant, advice)
  }

  /// Words for something that is not one key of the same mapping.
  static func elsewhere(_ words: String..., in places: [String], _ advice: String) -> FamiliarKey {
    FamiliarKey(places, words, nil, advice)
  }

  /// Returns the row for a word in a mapping.
  static func row(for word: String, in place: String) -> FamiliarKey? {
    let word = Spelling.kebab(word)
    return FamiliarKeys.all.first { $0.places.contains(place) && $0.words.contains(word) }
  }

  /// The end of a message about the unknown key.
  var hint: String { meant.map { ", did you mean '\($0)'? \(advice)" } ?? ": \(advice)" }
}

extension KeyTable {
  /// Returns where a key belongs that is known only in a mapping within this one, as in `identity: { address: … }`.
  func innerPlace(of word: String, value: SyntaxNode) -> String? {
    guard !allowsOthers else { return nil }
    let word = Spelling.kebab(word)
    for key in keys {
      let inner = key.type.mappings.lazy.compactMap { name in Language.everyTable.first { $0.name == name } }
      guard inner.contains(where: { $0.names.contains(word) }) else { continue }
      let shown = value.text.map { $0.count <= 40 ? $0 : "…" } ?? "…"
      let pair = "{ \(word): \(shown) }"
      return ": it belongs in '\(key.name)', as in \(key.name): \(key.type.isList ? "[ \(pair) ]" : pair)"
    }
    return nil
  }
}

extension ValueType {
  /// The mappings that a value can be, or of which it can be a list.
  fileprivate var mappings: [String] {
    switch self {
    case .mapping(let name): [name]
    case .list(let member): member.mappings
    case .choice(let types): types.flatMap(\.mappings)
    default: []
    }
  }

  /// Whether a value is a list and nothing else.
  fileprivate var isList: Bool {
    if case .list = self { return true }
    return false
  }
}
