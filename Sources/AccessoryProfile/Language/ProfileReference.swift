/// The reference of the language for people, generated from the tables: the page docs/profile-keys.md, and `understudy explain`,
/// which also knows the keys of fleets and scenarios, and the words of expressions.
package enum ProfileReference {
  /// The page, in Markdown.
  package static var markdown: String {
    var lines = [
      "# Keys of profiles", "",
      "All keys of the profile language. `understudy schema --markdown` writes this file from the tables that the loader and the",
      "JSON Schema use; a test checks that it is up to date. [profiles.md](profiles.md) explains the language, and",
      "`understudy explain KEY` prints the entry of one key.",
    ]
    for table in Language.tables {
      lines += ["", "## \(table.name)", ""]
      let users = self.users(of: table.name, in: Language.tables)
      if !users.isEmpty { lines += ["Used in \(users.map { "`\($0)`" }.joined(separator: ", ")).", ""] }
      lines += ["| key | value | |", "|---|---|---|"]
      lines += table.keys.map { key in
        "| `\(key.name)` | \(escaped(text(of: key.type, linked: true))) | \(escaped(key.summary))\(key.isRequired ? " Required." : "") |"
      }
    }
    lines += ["", "## functions", "", "Functions for [expressions](profile-rules.md#expressions).", ""]
    lines += ["| function | result |", "|---|---|"]
    lines += Expression.Function.allCases.map { "| `\($0.usage)` | \(escaped($0.summary)) |" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the explanation of a key, written `KEY` or `MAPPING.KEY`, or of all keys of a mapping; empty if there is none.
  package static func explanation(of word: String) -> [String] {
    let parts = word.split(separator: ".").map { String($0) }
    guard let last = parts.last else { return [] }
    var lines: [String] = []
    for table in Language.everyTable {
      guard parts.count < 2 || parts[parts.count - 2] == table.name else { continue }
      for key in table.keys where key.name == last { lines += explanation(of: key, in: table) }
    }
    if parts.count == 1, let table = Language.everyTable.first(where: { $0.name == word }), !table.keys.isEmpty {
      lines += ["\(table.name): a mapping with these keys"] + table.keys.map { "  \($0.name): \($0.summary)" }
    }
    if let function = Expression.Function(rawValue: word) {
      lines += ["\(function.usage): a function of expressions", "  \(function.summary)"]
    }
    return parts.count == 1 ? lines + Expression.explanation(of: word) : lines
  }

  /// The words that `explanation` accepts, for messages.
  package static var words: [String] {
    var words = Set(Language.everyTable.map(\.name))
    for table in Language.everyTable { words.formUnion(table.names) }
    return words.union(Expression.Function.allCases.map(\.rawValue) + Expression.explainedWords).sorted()
  }

  /// Returns the word that was probably intended.
  package static func nearest(to word: String) -> String? { Spelling.nearest(to: word, among: words) }

  private static func explanation(of key: KeyTable.Key, in table: KeyTable) -> [String] {
    let users = self.users(of: table.name, in: Language.everyTable)
    let place = users.isEmpty ? table.name : "\(table.name) (used in \(users.joined(separator: ", ")))"
    var lines = [
      "\(key.name) in \(place)\(key.isRequired ? ", required" : "")", "  \(key.summary)",
      "  \(text(of: key.type, linked: false))",
    ]
    if key.companions != nil {
      lines.append("  Beside it: \(Language.scenarioStepKeys(beside: key.name).sorted().joined(separator: ", "))")
    }
    return lines
  }

  /// Returns the keys of tables that use a mapping.
  private static func users(of name: String, in tables: [KeyTable]) -> [String] {
    tables.flatMap { table in
      table.keys.filter { refers($0.type, to: name) }.map { "\(table.name).\($0.name)" }
    }
  }

  private static func refers(_ type: ValueType, to name: String) -> Bool {
    switch type {
    case .mapping(let other): other == name
    case .list(let member), .dictionary(let member): refers(member, to: name)
    case .choice(let choices): choices.contains { refers($0, to: name) }
    case .value: Language.generators.contains { $0.name == name }
    case .format: Language.formats.contains { $0.name == name }
    default: false
    }
  }

  /// Describes the type of a key's value.
  static func text(of type: ValueType, linked: Bool) -> String {
    switch type {
    case .text: return "text"
    case .boolean: return "true or false"
    case .integer(let range):
      if range.lowerBound == .min, range.upperBound == .max { return "a whole number" }
      return range.lowerBound == range.upperBound
        ? "\(range.lowerBound)" : "a whole number, \(range.lowerBound) to \(range.upperBound)"
    case .number: return "a number"
    case .duration(let range, let step): return "a duration, \(Durations.text(range, step))"
    case .octets: return "octets"
    case .scalar: return "a number, true, false, octets or text"
    case .any: return "anything"
    case .expression: return "an expression"
    case .uuid: return "a UUID or the name of one"
    case .appearance: return "the name of an appearance, or a number"
    case .names(let names): return names.count > 24 ? "one of \(names.count) names" : names.joined(separator: ", ")
    case .list(let member): return "a list of \(text(of: member, linked: linked))"
    case .mapping(let name): return linked ? "[\(name)](#\(name))" : "a mapping \(name)"
    case .dictionary(let member): return "a mapping from names to \(text(of: member, linked: linked))"
    case .choice(let choices): return choices.map { text(of: $0, linked: linked) }.joined(separator: "; or ")
    case .value: return "a value, or a generator"
    case .format: return "a format"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
