import AccessoryProfile

/// Completion of the last word in a console.
package enum ConsoleCompletion {
  /// The request that lists the possible values of a name, and the field with the value in each entry.
  private static let lists: [String: (path: String, list: String, field: String)] = [
    "characteristic": ("characteristics", "characteristics", "id"), "button": ("buttons", "buttons", ""),
    "connection": ("", "connections", "connection"), "question": ("questions", "questions", "ticket"),
    "fault": ("faults", "faults", "id"), "bond": ("bonds", "bonds", "id"), "set": ("advertising", "advertising", "id"),
    "service": ("services", "services", "id"), "publication": ("published", "published", "id"),
    "snapshot": ("snapshots", "snapshots", "id"), "notification": ("notifications", "notifications", "uid"),
    "controller": ("/v1/radio", "controllers", "name"), "from": ("/v1/radio", "controllers", "name"),
    "to": ("/v1/radio", "controllers", "name"),
  ]

  /// Returns the words that can complete the last word of a line. `ask` returns the answer to a GET; paths
  /// that do not begin with a slash are relative to the accessory's path.
  package static func words(for line: String, ask: (String) -> [String: ProfileValue]?) -> [String] {
    var typed = ConsoleLine.tokens(line).map(\.text)
    if line.isEmpty || line.last?.isWhitespace == true { typed.append("") }
    let (last, before) = (typed.last ?? "", typed.dropLast())
    var words: Set<String> = []
    for verb in ConsoleVerb.all where fits(verb, before) {
      guard before.count < verb.words.count else {
        words.formUnion(fieldWords(of: verb, last, given: before.dropFirst(verb.words.count)))
        continue
      }
      switch verb.words[before.count] {
      case .word(let word): words.insert(word)
      case .name(let name): words.formUnion(values(of: name, ask))
      }
    }
    if before.isEmpty { words.formUnion(["help", "quit"]) }
    return words.filter { $0.hasPrefix(last) }.sorted()
  }

  private static func fits(_ verb: ConsoleVerb, _ typed: ArraySlice<String>) -> Bool {
    zip(verb.words, typed).allSatisfy { word, text in if case .word(let word) = word { word == text } else { true } }
      && (typed.count < verb.words.count || verb.takesValue)
  }

  private static func fieldWords(of verb: ConsoleVerb, _ last: String, given: ArraySlice<String>) -> [String] {
    if let sign = last.firstIndex(of: "=") {
      let field = String(last[..<sign])
      return verb.choices(of: field).map { "\(field)=\($0)" }
    }
    return verb.fields.filter { field in !given.contains { $0.hasPrefix("\(field)=") } }.map { "\($0)=" }
  }

  private static func values(of name: String, _ ask: (String) -> [String: ProfileValue]?) -> [String] {
    guard let row = lists[name], case .array(let entries)? = ask(row.path)?[row.list] else { return [] }
    return entries.compactMap { entry in
      switch (entry, row.field.isEmpty) {
      case (.string(let text), true): return text
      case (.object(let fields), false):
        switch fields[row.field] {
        case .string(let text)?: return text
        case .int(let number)?: return "\(number)"
        default: return nil
        }
      default: return nil
      }
    }
  }

  /// Returns the common prefix of all words.
  package static func common(_ words: [String]) -> String {
    guard var common = words.first else { return "" }
    for word in words.dropFirst() { common = String(zip(common, word).prefix { $0 == $1 }.map(\.0)) }
    return common
  }
}
