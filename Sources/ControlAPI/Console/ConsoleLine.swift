import AccessoryProfile

/// A parsed line of a console: a request.
package struct ConsoleLine: Sendable {
  /// Why a line cannot be parsed.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to type instead.
    package var description: String
  }

  /// The verb.
  package let verb: ConsoleVerb
  /// The values of the names in its path.
  let names: [String: String]
  /// The body of the request.
  let body: ProfileValue?

  /// Parses a line.
  package init(parsing text: String) throws(Fault) {
    let tokens = Self.tokens(text)
    let fitting = ConsoleVerb.all.compactMap { verb in Self.match(verb, tokens).map { (verb, $0) } }
    // If several verbs fit, such as `bonds export` and `bonds BOND`, prefer the one with more words, then with more literal words.
    let best = fitting.max {
      ($0.0.words.count, $0.0.literalCount, -$0.0.fields.count) < (
        $1.0.words.count, $1.0.literalCount, -$1.0.fields.count
      )
    }
    guard let (verb, names) = best else { throw Self.unknown(tokens) }
    self.verb = verb
    self.names = names
    let rest = Array(tokens.dropFirst(verb.words.count))
    body = try Self.body(rest, of: verb, in: text)
  }

  /// Returns the path of the request, which is relative to the accessory's path or to `/v1`.
  package func path(of accessory: String) -> String {
    let parts = verb.route.segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .name(let name): PercentEncoding.encode(names[name] ?? "")
      }
    }
    let isState = verb.route.path == "accessory"
    switch verb.route.scope {
    case .program: return "/v1/" + parts.joined(separator: "/")
    case .accessory, .accessories: return isState ? accessory : "\(accessory)/" + parts.joined(separator: "/")
    }
  }

  // MARK: Words

  /// A word of a line, and its position.
  struct Token: Hashable {
    var text: String
    var start: String.Index
  }

  /// Returns the words of a line. They are separated by spaces, except within quotes.
  static func tokens(_ line: String) -> [Token] {
    var tokens: [Token] = []
    var place = line.startIndex
    while place < line.endIndex {
      if line[place].isWhitespace {
        place = line.index(after: place)
        continue
      }
      let start = place
      var text = ""
      var quote: Character?
      while place < line.endIndex, quote != nil || !line[place].isWhitespace {
        let character = line[place]
        if character == quote {
          quote = nil
        } else if quote == nil, character == "\"" || character == "'" {
          quote = character
        } else {
          text.append(character)
        }
        place = line.index(after: place)
      }
      tokens.append(Token(text: text, start: start))
    }
    return tokens
  }

  private static func match(_ verb: ConsoleVerb, _ tokens: [Token]) -> [String: String]? {
    guard tokens.count >= verb.words.count, tokens.count == verb.words.count || verb.takesValue else { return nil }
    var names: [String: String] = [:]
    for (word, token) in zip(verb.words, tokens) {
      switch word {
      case .word(let text): guard text == token.text else { return nil }
      case .name(let name): names[name] = token.text
      }
    }
    return names
  }

  private static func unknown(_ tokens: [Token]) -> Fault {
    let typed = tokens.map(\.text)
    let begun = ConsoleVerb.all.filter { verb in
      guard let first = typed.first, case .word(let word)? = verb.words.first else { return false }
      return word == first
    }
    guard begun.isEmpty else {
      return Fault(description: "expected \(begun.map(\.usage).joined(separator: ", or "))")
    }
    let known = ConsoleVerb.all.compactMap { verb in if case .word(let word)? = verb.words.first { word } else { nil } }
    let hint = typed.first.map { Spelling.hint(for: $0, among: known) } ?? ""
    return Fault(description: "unknown command '\(typed.first ?? "")'\(hint); help lists them")
  }

  // MARK: The body

  private static func body(_ tokens: [Token], of verb: ConsoleVerb, in line: String) throws(Fault) -> ProfileValue? {
    guard let first = tokens.first else {
      if verb.takesValue, verb.route.body?.isRequired == true { throw Fault(description: "expected \(verb.usage)") }
      return nil
    }
    let isMapping = line[first.start] == "{"
    guard !verb.fields.isEmpty, !isMapping else { return try value(String(line[first.start...]), "the value") }
    func field(of token: Token) -> String? {
      token.text.firstIndex(of: "=").map { String(token.text[..<$0]) }.flatMap { verb.fields.contains($0) ? $0 : nil }
    }
    // A value extends to the next field. A value without a field name belongs to the first field.
    let named = tokens.filter { field(of: $0) != nil }
    var parts = named.enumerated().map { index, token in
      let end = index + 1 < named.count ? named[index + 1].start : line.endIndex
      let name = field(of: token) ?? ""
      return (name, line[token.start..<end].dropFirst(name.count + 1))
    }
    if named.first != first, let unnamed = verb.fields.first {
      parts.insert((unnamed, line[first.start..<(named.first?.start ?? line.endIndex)]), at: 0)
    }
    var fields: [String: ProfileValue] = [:]
    for (name, text) in parts {
      guard fields.updateValue(try value(String(text), name), forKey: name) == nil else {
        throw Fault(description: "\(name) is given twice")
      }
    }
    return .object(fields)
  }

  private static func value(_ text: String, _ what: String) throws(Fault) -> ProfileValue {
    do throws(ProfileValueError) { return try ProfileValue(yaml: text) } catch {
      throw Fault(description: "\(what): \(error.message)")
    }
  }
}

extension ConsoleVerb {
  /// The number of its literal words.
  var literalCount: Int { words.count { if case .word = $0 { true } else { false } } }
}
