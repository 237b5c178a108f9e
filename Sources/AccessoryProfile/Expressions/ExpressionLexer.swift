import BLECore

/// Splits the text of an expression into tokens.
struct ExpressionLexer {
  enum Token: Hashable {
    case name(String)
    case literal(ExpressionValue)
    case sign(String)
    case end
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0
  /// The position of the next token.
  private(set) var offset = 0
  /// The next token.
  private(set) var token = Token.end

  /// The operators and punctuation, longer ones first.
  private static let signs = [
    "++", "==", "!=", "<=", ">=", "<<", ">>", "..", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "~", "(", ")",
    "[",
    "]", ",", ".",
  ].map { Array($0.unicodeScalars) }

  init(_ text: String) throws(ExpressionError) {
    scalars = Array(text.unicodeScalars)
    guard scalars.count <= Expression.longestText else {
      throw ExpressionError(
        "the expression has \(scalars.count) characters; the maximum is \(Expression.longestText)")
    }
    try advance()
  }

  /// Advances to the next token.
  mutating func advance() throws(ExpressionError) {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
    offset = position
    guard position < scalars.count else {
      token = .end
      return
    }
    let first = scalars[position]
    if first.properties.isAlphabetic || first == "_" {
      token = try word()
    } else if first.properties.numericType == .decimal {
      token = .literal(try number())
    } else if first == "\"" || first == "'" {
      token = .literal(.text(try text(first)))
    } else {
      token = try sign()
    }
  }

  /// Returns the text with names replaced; nil if it is not an expression.
  static func renaming(_ text: String, _ names: [String: String]) -> String? {
    guard var lexer = try? ExpressionLexer(text) else { return nil }
    var result = String.UnicodeScalarView()
    var end = 0
    while lexer.token != .end {
      result += lexer.scalars[end..<lexer.offset]
      let isField = result.last == "."
      if case .name(let name) = lexer.token, !isField, let other = names[name] {
        result += other.unicodeScalars
      } else {
        result += lexer.scalars[lexer.offset..<lexer.position]
      }
      end = lexer.position
      guard (try? lexer.advance()) != nil else { return nil }
    }
    return String(result)
  }

  /// Reads a name. A hyphen is part of it if a letter or a digit follows immediately.
  private mutating func word() throws(ExpressionError) -> Token {
    let start = position
    while position < scalars.count {
      let scalar = scalars[position]
      let isHyphen = scalar == "-" && position + 1 < scalars.count && Self.isWordPart(scalars[position + 1])
      guard Self.isWordPart(scalar) || isHyphen else { break }
      position += 1
    }
    let name = String(String.UnicodeScalarView(scalars[start..<position]))
    switch name {
    case "true": return .literal(.boolean(true))
    case "false": return .literal(.boolean(false))
    case "hex" where position < scalars.count && scalars[position] == ":": return .literal(.octets(try hexadecimal()))
    default: return .name(name)
    }
  }

  static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal || scalar == "_"
  }

  private mutating func hexadecimal() throws(ExpressionError) -> [UInt8] {
    position += 1
    let start = position
    while position < scalars.count, Self.isWordPart(scalars[position]) { position += 1 }
    let digits = String(String.UnicodeScalarView(scalars[start..<position]))
    guard let octets = [UInt8](hexadecimal: digits) else {
      throw ExpressionError("'hex:' must be followed by pairs of hexadecimal digits, not '\(digits)'", at: start)
    }
    return octets
  }

  private mutating func number() throws(ExpressionError) -> ExpressionValue {
    let start = position
    while position < scalars.count {
      let isPoint =
        scalars[position] == "." && position + 1 < scalars.count
        && scalars[position + 1].properties.numericType == .decimal
      guard Self.isWordPart(scalars[position]) || isPoint else { break }
      position += 1
    }
    let text = String(String.UnicodeScalarView(scalars[start..<position]))
    if let whole = Numbers.integer(text) { return .whole(whole) }
    if let real = Numbers.decimal(text) { return .real(real) }
    throw ExpressionError("'\(text)' is not a number", at: start)
  }

  private mutating func text(_ quote: Unicode.Scalar) throws(ExpressionError) -> String {
    let start = position
    guard let end = scalars[(position + 1)...].firstIndex(of: quote) else {
      throw ExpressionError("the text that begins here is not terminated", at: start)
    }
    position = end + 1
    return String(String.UnicodeScalarView(scalars[(start + 1)..<end]))
  }

  private mutating func sign() throws(ExpressionError) -> Token {
    guard let sign = Self.signs.first(where: { scalars[position...].starts(with: $0) }) else {
      let found = String(Character(scalars[position]))
      let advice = ["=": ": equality is '=='", "!": ": 'not' negates"][found] ?? ""
      throw ExpressionError("'\(found)' is not valid here\(advice)", at: position)
    }
    position += sign.count
    return .sign(String(String.UnicodeScalarView(sign)))
  }
}
