import BLECore

/// An initializer of C source.
indirect enum CInitializer: Sendable {
  case expression(ArraySlice<CToken>)
  case group([CMember], offset: Int)

  /// The members of a group.
  var members: [CMember] {
    guard case .group(let members, _) = self else { return [] }
    return members
  }

  /// The tokens of an expression.
  var tokens: ArraySlice<CToken> {
    guard case .expression(let tokens) = self else { return [] }
    return tokens
  }

  /// Returns the value of a member `.NAME = …`.
  subscript(name: String) -> CInitializer? { members.first { $0.name == name }?.value }

  /// The maximum depth of nested braces.
  private static let depthLimit = 64

  /// Parses the braces at the beginning of tokens, after casts such as `(struct name[])`; nil if there are none.
  init?(_ tokens: ArraySlice<CToken>, depth: Int = 0) {
    var rest = tokens
    while rest.first?.isSign("(") == true {
      var open = 0
      guard
        let end = rest.indices.first(where: { index in
          if rest[index].isSign("(") { open += 1 }
          if rest[index].isSign(")") { open -= 1 }
          return open == 0
        })
      else { return nil }
      rest = rest[(end + 1)...]
    }
    guard depth < Self.depthLimit, let first = rest.first, first.isSign("{") else { return nil }
    var members: [CMember] = []
    var start = rest.startIndex + 1
    var open = 0
    for index in rest.indices.dropFirst() {
      let token = rest[index]
      guard token.kind == .punctuation else { continue }
      let isEnd = token.text == "}" && open == 0
      if isEnd || token.text == "," && open == 0 {
        if index > start { members.append(CMember(rest[start..<index], depth: depth)) }
        start = index + 1
        if isEnd {
          self = .group(members, offset: first.offset)
          return
        }
      }
      if ["(", "{", "["].contains(token.text) { open += 1 }
      if [")", "}", "]"].contains(token.text) { open -= 1 }
    }
    return nil
  }
}

/// A member of an initializer.
struct CMember: Sendable {
  /// The name in `.name = …`.
  var name: String?
  var value: CInitializer

  fileprivate init(_ tokens: ArraySlice<CToken>, depth: Int) {
    var rest = tokens
    if rest.count > 2, rest[rest.startIndex].isSign("."), rest[rest.startIndex + 2].isSign("=") {
      name = rest[rest.startIndex + 1].text
      rest = rest.dropFirst(3)
    } else if rest.first?.isSign("[") == true, let equals = rest.firstIndex(where: { $0.isSign("=") }) {
      rest = rest[(equals + 1)...]
    }
    value = CInitializer(rest, depth: depth + 1) ?? .expression(rest)
  }
}

/// Evaluates expressions, as far as the text of one file allows.
struct CEvaluator {
  let source: CSource
  /// The names that the platform's headers define.
  var constants: [String: Int] = [:]
  /// The maximum length of a chain of names that refer to each other.
  private static let depthLimit = 16

  init(_ source: CSource, constants: [String: Int] = [:]) { (self.source, self.constants) = (source, constants) }

  /// Returns the tokens of an expression without casts, `&` and outer parentheses, and with a name replaced by its definition.
  func resolved(_ tokens: ArraySlice<CToken>, depth: Int = 0) -> ArraySlice<CToken> {
    var rest = tokens
    while true {
      if rest.first?.isSign("&") == true || rest.first?.isSign("*") == true {
        rest = rest.dropFirst()
      } else if let inner = Self.withoutParentheses(rest) {
        rest = inner
      } else if let uncast = Self.withoutCast(rest) {
        rest = uncast
      } else {
        break
      }
    }
    // A member such as `name.uuid` or `name.u` stands for the variable.
    if rest.count == 3, rest[rest.startIndex + 1].isSign("."), rest.first?.kind == .identifier { rest = rest.prefix(1) }
    guard rest.count == 1, let name = rest.first, name.kind == .identifier, depth < Self.depthLimit,
      let definition = source.definitions[name.text]
    else { return rest }
    return resolved(definition[...], depth: depth + 1)
  }

  private static func withoutParentheses(_ tokens: ArraySlice<CToken>) -> ArraySlice<CToken>? {
    guard tokens.first?.isSign("(") == true, tokens.last?.isSign(")") == true else { return nil }
    var open = 0
    for index in tokens.indices.dropLast() {
      if tokens[index].isSign("(") { open += 1 }
      if tokens[index].isSign(")") { open -= 1 }
      if open == 0 { return nil }
    }
    return tokens.dropFirst().dropLast()
  }

  /// Returns the tokens after a cast such as `(uint8_t *)`.
  private static func withoutCast(_ tokens: ArraySlice<CToken>) -> ArraySlice<CToken>? {
    guard tokens.first?.isSign("(") == true, let end = tokens.firstIndex(where: { $0.isSign(")") }) else { return nil }
    let inner = tokens[(tokens.startIndex + 1)..<end]
    let isType = inner.allSatisfy { $0.kind == .identifier || $0.isSign("*") || $0.isSign("[") || $0.isSign("]") }
    guard isType, end + 1 < tokens.endIndex, !tokens[end + 1].isSign("|") else { return nil }
    return tokens[(end + 1)...]
  }

  /// Returns the value of a whole number, with `|`, `+`, `-` and `<<` from left to right; nil if a part is unknown.
  func number(_ tokens: ArraySlice<CToken>, depth: Int = 0) -> Int? {
    guard depth < Self.depthLimit else { return nil }
    let tokens = resolved(tokens, depth: depth)
    guard !tokens.isEmpty else { return nil }
    if tokens.count == 1, let token = tokens.first { return number(token) }
    if tokens.first?.text == "BIT", let (arguments, end) = CSource.arguments(in: tokens, at: tokens.startIndex),
      end == tokens.endIndex, arguments.count == 1, let shift = number(arguments[0], depth: depth + 1),
      (0..<32).contains(shift)
    {
      return 1 << shift
    }
    // The operator with the lowest precedence splits the expression.
    for signs in [["|"], ["+", "-"], ["<<"]] {
      guard let place = Self.lastOperator(signs, in: tokens) else { continue }
      guard let left = number(tokens[..<place], depth: depth + 1),
        let right = number(tokens[(place + 1)...], depth: depth + 1)
      else { return nil }
      return Self.combine(left, tokens[place].text, right)
    }
    return nil
  }

  private static func lastOperator(_ signs: [String], in tokens: ArraySlice<CToken>) -> Int? {
    var open = 0
    var found: Int?
    for index in tokens.indices where tokens[index].kind == .punctuation {
      let text = tokens[index].text
      if text == "(" { open += 1 }
      if text == ")" { open -= 1 }
      if open == 0, index > tokens.startIndex, signs.contains(text) { found = index }
    }
    return found
  }

  private static func combine(_ left: Int, _ sign: String, _ right: Int) -> Int? {
    let (result, isTooLarge): (Int, Bool) =
      switch sign {
      case "|": (left | right, false)
      case "+": left.addingReportingOverflow(right)
      case "-": left.subtractingReportingOverflow(right)
      default: (0..<32).contains(right) && abs(left) < 1 << 31 ? (left << right, false) : (0, true)
      }
    return isTooLarge ? nil : result
  }

  private func number(_ token: CToken) -> Int? {
    switch token.kind {
    case .identifier: return constants[token.text]
    case .number:
      var digits = Substring(token.text.lowercased())
      while let last = digits.last, last == "u" || last == "l" { digits.removeLast() }
      if digits.hasPrefix("0x") { return Int(digits.dropFirst(2), radix: 16) }
      return Int(digits)
    case .string, .punctuation: return nil
    }
  }

  /// Returns the octets of a string or of a list of octets; nil for any other expression.
  func octets(_ tokens: ArraySlice<CToken>) -> (octets: [UInt8], isText: Bool)? {
    let tokens = resolved(tokens)
    if !tokens.isEmpty, tokens.allSatisfy({ $0.kind == .string }) {
      return (tokens.flatMap { Array($0.text.utf8) }, true)
    }
    guard let group = CInitializer(tokens), !group.members.isEmpty else { return nil }
    if group.members.count == 1, let only = group.members.first?.value.tokens, only.first?.kind == .string {
      return (Array(only.flatMap { Array($0.text.utf8) }), true)
    }
    var octets: [UInt8] = []
    for member in group.members {
      guard let number = number(member.value.tokens), (-128...255).contains(number) else { return nil }
      octets.append(UInt8(truncatingIfNeeded: number))
    }
    return (octets, false)
  }
}
