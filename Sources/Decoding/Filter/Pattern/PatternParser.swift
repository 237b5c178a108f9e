/// The syntax tree of a regular expression.
indirect enum PatternNode {
  case test(TextPattern.Test)
  case anchor(TextPattern.Anchor)
  case sequence([PatternNode])
  case choice([PatternNode])
  /// Without `most` it is unlimited.
  case repetition(PatternNode, least: Int, most: Int?)
}

/// An error in a regular expression, with its position.
struct PatternFault: Error, Hashable {
  /// The character position, counted from 0.
  var place: Int
  /// The error, and the valid alternatives.
  var description: String
}

/// Parses a regular expression: characters, `.`, classes, `\d \w \s` and their opposites, `\t \n \r \xHH`, groups, `|`, `* + ?`, `{m}`,
/// `{m,}`, `{m,n}`, `^ $ \b \B`. Rejects everything else that has a meaning in other dialects.
struct PatternParser {
  /// The maximum length of an expression, in characters.
  static let longest = 1000
  /// The maximum number of states. A repeated part counts as often as it may occur.
  static let mostStates = 2000
  private static let deepest = 50

  /// A part with its number of states, at least one, so that repetitions of empty parts count as well.
  private struct Part {
    var node: PatternNode
    var states: Int
  }

  private let characters: [Character]
  private var place = 0
  private var depth = 0

  init(_ text: some Collection<Character>) { characters = Array(text) }

  mutating func parse() throws(PatternFault) -> PatternNode {
    guard characters.count <= Self.longest else {
      throw fault("a regular expression has at most \(Self.longest) characters", at: Self.longest)
    }
    let part = try choice()
    guard next == nil else { throw fault("unmatched ); \\) is the character") }
    return part.node
  }

  private var next: Character? { place < characters.count ? characters[place] : nil }

  private func fault(_ description: String, at place: Int? = nil) -> PatternFault {
    PatternFault(place: place ?? self.place, description: description)
  }

  /// Consumes the next character if it is this one.
  private mutating func take(_ character: Character) -> Bool {
    guard next == character else { return false }
    place += 1
    return true
  }

  private func checked(_ part: Part, at place: Int) throws(PatternFault) -> Part {
    guard part.states <= Self.mostStates else {
      throw fault(
        "too large: counting repetitions, a regular expression has at most \(Self.mostStates) "
          + "characters and classes", at: place)
    }
    return part
  }

  // MARK: Grammar

  private mutating func choice() throws(PatternFault) -> Part {
    let start = place
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw fault("groups must not be nested more than \(Self.deepest) deep") }
    var parts = [try sequence()]
    while take("|") { parts.append(try sequence()) }
    guard parts.count > 1 else { return parts[0] }
    let states = parts.reduce(parts.count) { $0 + $1.states }
    return try checked(Part(node: .choice(parts.map(\.node)), states: states), at: start)
  }

  private mutating func sequence() throws(PatternFault) -> Part {
    let start = place
    var parts: [Part] = []
    while let character = next, character != "|", character != ")" { parts.append(try repeated(try atom())) }
    let states = max(1, parts.reduce(0) { $0 + $1.states })
    return try checked(Part(node: .sequence(parts.map(\.node)), states: states), at: start)
  }

  private mutating func repeated(_ part: Part) throws(PatternFault) -> Part {
    let start = place
    let (least, most): (Int, Int?)
    switch next {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{": (least, most) = try bounds()
    default: return part
    }
    place += 1
    if case .anchor = part.node { throw fault("the preceding part has no length and cannot be repeated", at: start) }
    // Greedy or not makes no difference to whether the text matches.
    _ = take("?")
    if let character = next, "*+?{".contains(character) {
      throw fault("`\(character)` has nothing to repeat; enclose the preceding part in ( )")
    }
    let states = (part.states + 1) * max(1, most ?? least + 1)
    return try checked(Part(node: .repetition(part.node, least: least, most: most), states: states), at: start)
  }

  /// Parses `{m}`, `{m,}` or `{m,n}`, including its closing brace.
  private mutating func bounds() throws(PatternFault) -> (Int, Int?) {
    let start = place
    place += 1
    let least = number()
    var most = least
    if take(",") { most = next == "}" ? nil : number() ?? -1 }
    guard let least, next == "}", most != -1 else {
      throw fault("a repetition is {m}, {m,} or {m,n}; \\{ is the character", at: start)
    }
    guard least <= Self.mostStates, (most ?? least) <= Self.mostStates else {
      throw fault("a part can be repeated at most \(Self.mostStates) times", at: start)
    }
    guard least <= most ?? least else { throw fault("the first number is larger than the second", at: start) }
    return (least, most)
  }

  /// Parses decimal digits. A number above the maximum becomes the maximum plus one.
  private mutating func number() -> Int? {
    var value: Int?
    while let digit = next?.wholeNumberValue, next?.isASCII ?? false {
      value = min((value ?? 0) * 10 + digit, Self.mostStates + 1)
      place += 1
    }
    return value
  }

  private mutating func atom() throws(PatternFault) -> Part {
    let start = place
    let character = characters[place]
    place += 1
    switch character {
    case ".": return Part(node: .test(.any), states: 1)
    case "^": return Part(node: .anchor(.start), states: 1)
    case "$": return Part(node: .anchor(.end), states: 1)
    case "(": return try group(start)
    case "[": return Part(node: .test(.set(try set(start))), states: 1)
    case "\\": return try escape(start)
    case "*", "+", "?", "{":
      throw fault("`\(character)` has nothing to repeat; \\\(character) is the character", at: start)
    default:
      // A character may consist of several scalars, which belong together.
      let tests = character.unicodeScalars.map { PatternNode.test(.scalar($0)) }
      return Part(node: tests.count == 1 ? tests[0] : .sequence(tests), states: tests.count)
    }
  }

  private mutating func group(_ start: Int) throws(PatternFault) -> Part {
    if take("?"), !take(":") {
      throw fault("`(?` must be followed by `:`; names, options and lookaround are not supported", at: start)
    }
    let part = try choice()
    guard take(")") else { throw fault("the closing ) is missing", at: start) }
    return part
  }

  // MARK: Escapes and classes

  private mutating func escape(_ start: Int) throws(PatternFault) -> Part {
    switch next {
    case "b", "B":
      let anchor: TextPattern.Anchor = next == "b" ? .boundary : .noBoundary
      place += 1
      return Part(node: .anchor(anchor), states: 1)
    default:
      switch try member(start) {
      case .range(let range) where range.count == 1:
        guard let scalar = UnicodeScalar(range.lowerBound) else { throw unsupported(start) }
        return Part(node: .test(.scalar(scalar)), states: 1)
      case let member: return Part(node: .test(.set(ScalarSet(members: [member]))), states: 1)
      }
    }
  }

  private func unsupported(_ start: Int) -> PatternFault {
    let name = start + 1 < characters.count ? "\\\(characters[start + 1])" : "\\"
    return fault("`\(name)` is not supported (known: \\d \\D \\w \\W \\s \\S \\b \\B \\t \\n \\r \\xHH)", at: start)
  }

  /// Parses the escape after a backslash, inside or outside a class.
  private mutating func member(_ start: Int) throws(PatternFault) -> ScalarSet.Member {
    guard let character = next else { throw fault("a character is missing after the \\", at: start) }
    place += 1
    switch character {
    case "d", "D": return .class(.digit, isNegated: character == "D")
    case "w", "W": return .class(.word, isNegated: character == "W")
    case "s", "S": return .class(.space, isNegated: character == "S")
    case "t": return .range(0x09...0x09)
    case "n": return .range(0x0A...0x0A)
    case "r": return .range(0x0D...0x0D)
    case "x":
      let digits = characters[place...].prefix(2)
      guard digits.count == 2, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
        let value = UInt32(String(digits), radix: 16)
      else { throw fault("\\x must be followed by two hexadecimal digits", at: start) }
      place += 2
      return .range(value...value)
    default:
      // Symbols stand for themselves. Letters and digits have meanings in other dialects that they do not have here.
      guard let value = Self.single(character), !character.isLetter, !character.isNumber else {
        throw unsupported(start)
      }
      return .range(value...value)
    }
  }

  private static func single(_ character: Character) -> UInt32? {
    character.unicodeScalars.count == 1 ? character.unicodeScalars.first?.value : nil
  }

  private mutating func set(_ start: Int) throws(PatternFault) -> ScalarSet {
    var set = ScalarSet()
    set.isNegated = take("^")
    var isFirst = true
    while let character = next, character != "]" || isFirst {
      isFirst = false
      let from = try setMember(character)
      guard case .range(let range) = from, next == "-", place + 1 < characters.count, characters[place + 1] != "]"
      else {
        set.members.append(from)
        continue
      }
      let sign = place
      place += 1
      guard case .range(let end) = try setMember(characters[place]), range.lowerBound <= end.lowerBound else {
        throw fault("a range goes from a character to a later one; \\- is the character", at: sign)
      }
      set.members.append(.range(range.lowerBound...end.lowerBound))
    }
    guard take("]") else { throw fault("the closing ] is missing", at: start) }
    return set
  }

  private mutating func setMember(_ character: Character) throws(PatternFault) -> ScalarSet.Member {
    let start = place
    place += 1
    if character == "\\" { return try member(start) }
    if character == "[" { throw fault("a class within a class is not supported; \\[ is the character", at: start) }
    guard let value = Self.single(character) else {
      throw fault("a class cannot contain a character made of several code points", at: start)
    }
    return .range(value...value)
  }
}
