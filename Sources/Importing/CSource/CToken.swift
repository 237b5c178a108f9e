/// A token of C source.
struct CToken: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case identifier, number, string, punctuation }

  var kind: Kind
  /// The text; for a string, its contents.
  var text: String
  var offset: Int

  /// Whether it is this sign.
  func isSign(_ sign: String) -> Bool { kind == .punctuation && text == sign }
}

/// C source as tokens, without comments. It knows the preprocessor's macros without parameters, and takes every condition as true.
struct CSource: Sendable {
  let source: ImportSource
  private(set) var tokens: [CToken] = []
  /// The definitions by name: the tokens of a macro, or of a variable's initializer.
  private(set) var definitions: [String: [CToken]] = [:]

  // The limits keep the time proportional to the size of the file, however deeply its brackets are nested.

  /// The maximum number of tokens in a file.
  private static let tokenLimit = 100_000
  /// The maximum number of tokens in an initializer.
  private static let initializerLimit = 8000
  /// The maximum number of tokens in the arguments of a call.
  private static let argumentLimit = 4000

  init(_ source: ImportSource) throws(ImportError) {
    self.source = source
    var lexer = CLexer(octets: source.octets)
    tokens = lexer.tokens(limit: Self.tokenLimit)
    if tokens.count > Self.tokenLimit {
      throw source.error(
        tokens.last?.offset ?? 0,
        "the file has more than \(Self.tokenLimit) words and signs of C; import a file with only the services")
    }
    definitions = lexer.macros
    collectVariables()
  }

  /// Collects the initializers `NAME = …;`, `NAME[] = …,` and so on, at any depth.
  private mutating func collectVariables() {
    var index = 0
    while index < tokens.count {
      defer { index += 1 }
      guard tokens[index].isSign("="), let name = name(before: index), definitions[name] == nil else { continue }
      var end = index + 1
      var depth = 0
      while end < tokens.count, end - index <= Self.initializerLimit {
        let token = tokens[end]
        if token.kind == .punctuation {
          if ["(", "{", "["].contains(token.text) { depth += 1 }
          if [")", "}", "]"].contains(token.text) { depth -= 1 }
          if depth < 0 || depth == 0 && (token.text == ";" || token.text == ",") { break }
        }
        end += 1
      }
      definitions[name] = Array(tokens[(index + 1)..<end])
    }
  }

  /// Returns the variable before an `=`, with or without brackets in between; nil for a member of a structure.
  private func name(before index: Int) -> String? {
    var place = index - 1
    while place >= 0, tokens[place].isSign("]") {
      while place >= 0, !tokens[place].isSign("[") { place -= 1 }
      place -= 1
    }
    guard place >= 0, tokens[place].kind == .identifier, place == 0 || !tokens[place - 1].isSign(".") else {
      return nil
    }
    return tokens[place].text
  }

  /// Returns the arguments of the macro or function whose name is at an index, and the index after them; nil if none follow.
  func arguments(at index: Int) -> (arguments: [ArraySlice<CToken>], end: Int)? {
    Self.arguments(in: tokens[...], at: index)
  }

  /// Returns the arguments of the macro or function whose name is at an index of `tokens`, and the index after them; nil if none follow.
  static func arguments(
    in tokens: ArraySlice<CToken>, at index: Int
  ) -> (arguments: [ArraySlice<CToken>], end: Int)? {
    var place = index + 1
    guard place < tokens.endIndex, tokens[place].isSign("(") else { return nil }
    place += 1
    var arguments: [ArraySlice<CToken>] = []
    var start = place
    var depth = 0
    while place < tokens.endIndex, place - index <= argumentLimit {
      let token = tokens[place]
      if token.kind == .punctuation {
        if ["(", "{", "["].contains(token.text) { depth += 1 }
        if token.text == ")", depth == 0 {
          if place > start || !arguments.isEmpty { arguments.append(tokens[start..<place]) }
          return (arguments, place + 1)
        }
        if [")", "}", "]"].contains(token.text) { depth -= 1 }
        if token.text == ",", depth == 0 {
          arguments.append(tokens[start..<place])
          start = place + 1
        }
      }
      place += 1
    }
    return nil
  }

  /// Returns the text of tokens for comments, at most 80 characters.
  static func text(_ tokens: some Sequence<CToken>) -> String {
    var text = ""
    for token in tokens {
      let isWord = token.kind != .punctuation
      if isWord, let last = text.last, last.isLetter || last.isNumber || last == "_" { text += " " }
      text += token.kind == .string ? "\"\(token.text)\"" : token.text
      if text.count > 80 { return "\(text.prefix(80))…" }
    }
    return text
  }
}

/// Splits C source into tokens.
private struct CLexer {
  let octets: [UInt8]
  private var position = 0
  private(set) var macros: [String: [CToken]] = [:]

  init(octets: [UInt8]) { self.octets = octets }

  private func at(_ offset: Int) -> UInt8? { offset < octets.count ? octets[offset] : nil }

  /// Reads all tokens, or one more than the limit.
  mutating func tokens(limit: Int) -> [CToken] {
    var tokens: [CToken] = []
    var isLineStart = true
    while let octet = at(position), tokens.count <= limit {
      if octet == UInt8(ascii: "\n") {
        isLineStart = true
        position += 1
      } else if octet == UInt8(ascii: "#"), isLineStart {
        directive()
      } else if let token = token() {
        isLineStart = false
        tokens.append(token)
      }
    }
    return tokens
  }

  /// Reads the next token, or skips white space or a comment.
  private mutating func token() -> CToken? {
    guard let octet = at(position) else { return nil }
    let start = position
    if octet == UInt8(ascii: "/"), at(position + 1) == UInt8(ascii: "/") {
      while let octet = at(position), octet != UInt8(ascii: "\n") { position += 1 }
      return nil
    }
    if octet == UInt8(ascii: "/"), at(position + 1) == UInt8(ascii: "*") {
      position += 2
      while at(position) != nil, !(at(position) == UInt8(ascii: "*") && at(position + 1) == UInt8(ascii: "/")) {
        position += 1
      }
      position = min(position + 2, octets.count)
      return nil
    }
    if Self.isWord(octet) {
      while let octet = at(position), Self.isWord(octet) { position += 1 }
      let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
      return CToken(kind: isNumber ? .number : .identifier, text: text(start), offset: start)
    }
    if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "'") { return string(octet) }
    position += 1
    guard octet > 0x20 else { return nil }
    if octet == UInt8(ascii: "<"), at(position) == octet { position += 1 }
    return CToken(kind: .punctuation, text: text(start), offset: start)
  }

  private func text(_ start: Int) -> String { String(decoding: octets[start..<position], as: UTF8.self) }

  private static func isWord(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  /// Reads a string, or a character as its number.
  private mutating func string(_ quote: UInt8) -> CToken {
    let start = position
    position += 1
    var contents: [UInt8] = []
    while let octet = at(position), octet != quote, octet != UInt8(ascii: "\n") {
      position += 1
      contents.append(octet == UInt8(ascii: "\\") ? escaped() : octet)
    }
    if at(position) == quote { position += 1 }
    guard quote == UInt8(ascii: "\"") else {
      return CToken(kind: .number, text: "\(contents.first ?? 0)", offset: start)
    }
    return CToken(kind: .string, text: String(decoding: contents, as: UTF8.self), offset: start)
  }

  private mutating func escaped() -> UInt8 {
    guard let octet = at(position) else { return UInt8(ascii: "\\") }
    position += 1
    switch octet {
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "0"): return 0
    case UInt8(ascii: "x"):
      var value: UInt8 = 0
      for _ in 0..<2 {
        guard let digit = at(position).flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { break }
        value = value << 4 | UInt8(digit)
        position += 1
      }
      return value
    default: return octet
    }
  }

  /// Reads a directive up to the end of its line, with continued lines. It keeps macros without parameters.
  private mutating func directive() {
    let start = position
    var end = position
    while let octet = at(end), octet != UInt8(ascii: "\n") {
      end += octet == UInt8(ascii: "\\") ? 2 : 1
      if octet == UInt8(ascii: "\\"), at(end - 1) == UInt8(ascii: "\r") { end += 1 }
    }
    end = min(end, octets.count)
    var line = CLexer(octets: Array(octets[start..<end]).map { $0 == UInt8(ascii: "\\") ? 0x20 : $0 })
    line.position = 1
    var tokens: [CToken] = []
    while line.position < line.octets.count {
      if line.at(line.position) == UInt8(ascii: "\n") { line.position += 1 }
      if let token = line.token() {
        tokens.append(CToken(kind: token.kind, text: token.text, offset: token.offset + start))
      }
    }
    position = end
    guard tokens.count > 1, tokens[0].text == "define", tokens[1].kind == .identifier else { return }
    // A parenthesis right after the name begins parameters.
    if tokens.count > 2, tokens[2].isSign("("), tokens[2].offset == tokens[1].offset + tokens[1].text.utf8.count {
      return
    }
    macros[tokens[1].text] = Array(tokens.dropFirst(2))
  }
}
