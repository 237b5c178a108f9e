/// Parses the text of an expression.
struct ExpressionParser {
  private var lexer: ExpressionLexer
  private var depth = 0

  /// Parses a text. The names in it are not resolved yet.
  static func parse(_ text: String) throws(ExpressionError) -> Expression {
    var parser = ExpressionParser(lexer: try ExpressionLexer(text))
    if parser.lexer.token == .end { throw ExpressionError("expected an expression, found nothing", at: 0) }
    let root = try parser.operation(atLeast: 0)
    guard parser.lexer.token == .end else { throw parser.unexpected("an operator or the end") }
    return Expression(text: text, root: root)
  }

  private func unexpected(_ wanted: String) -> ExpressionError {
    let found =
      switch lexer.token {
      case .name(let name): "'\(name)'"
      case .literal: "a value"
      case .sign(let sign): "'\(sign)'"
      case .end: "the end"
      }
    return ExpressionError("expected \(wanted) here, not \(found)", at: lexer.offset)
  }

  private mutating func deeper<Result>(
    _ body: (inout ExpressionParser) throws(ExpressionError) -> Result
  ) throws(ExpressionError) -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth < Expression.deepest else { throw ExpressionError("this is nested too deeply", at: lexer.offset) }
    return try body(&self)
  }

  // MARK: Operators

  private var infix: Expression.Infix? {
    switch lexer.token {
    case .sign(let sign): Expression.Infix(rawValue: sign)
    case .name("and"): .and
    case .name("or"): .or
    default: nil
    }
  }

  private mutating func operation(atLeast precedence: Int) throws(ExpressionError) -> Expression.Node {
    var left = try deeper { parser throws(ExpressionError) in try parser.operand() }
    var chain = 0
    while let sign = infix, sign.precedence >= precedence {
      chain += 1
      guard chain <= Expression.deepest else { throw ExpressionError("this is nested too deeply", at: lexer.offset) }
      try lexer.advance()
      let right = try deeper { parser throws(ExpressionError) in
        try parser.operation(atLeast: sign.precedence + 1)
      }
      if sign.precedence == 4, infix?.precedence == 4 {
        throw ExpressionError("comparisons cannot be chained; join them with 'and'", at: lexer.offset)
      }
      left = .infix(sign, left, right)
    }
    return left
  }

  private mutating func operand() throws(ExpressionError) -> Expression.Node {
    let prefix: (Expression.Prefix, Int)? =
      switch lexer.token {
      case .sign("-"): (.minus, 12)
      case .sign("~"): (.complement, 12)
      // `not` applies to a whole comparison.
      case .name("not"): (.not, 3)
      default: nil
      }
    guard let (sign, precedence) = prefix else { return try postfix() }
    try lexer.advance()
    return .prefix(
      sign, try deeper { parser throws(ExpressionError) in try parser.operation(atLeast: precedence) })
  }

  // MARK: Values

  private mutating func postfix() throws(ExpressionError) -> Expression.Node {
    var node = try value()
    var chain = 0
    while true {
      chain += 1
      guard chain <= Expression.deepest else { throw ExpressionError("this is nested too deeply", at: lexer.offset) }
      switch lexer.token {
      case .sign("."):
        try lexer.advance()
        guard case .name(let field) = lexer.token else { throw unexpected("the name of a field") }
        try lexer.advance()
        node = .member(node, field)
      case .sign("["):
        try lexer.advance()
        node = try bracket(node)
      default: return node
      }
    }
  }

  /// Parses `[3]`, `[2..4]`, `[2..]` or `[..4]` after the opening bracket.
  private mutating func bracket(_ base: Expression.Node) throws(ExpressionError) -> Expression.Node {
    var from: Expression.Node?
    if lexer.token != .sign("..") {
      from = try deeper { parser throws(ExpressionError) in try parser.operation(atLeast: 0) }
    }
    if let index = from, lexer.token == .sign("]") {
      try lexer.advance()
      return .element(base, index)
    }
    guard lexer.token == .sign("..") else { throw unexpected("'..' or ']'") }
    try lexer.advance()
    var to: Expression.Node?
    if lexer.token != .sign("]") {
      to = try deeper { parser throws(ExpressionError) in try parser.operation(atLeast: 0) }
    }
    try close("]")
    return .slice(base, from: from, to: to)
  }

  private mutating func close(_ sign: String) throws(ExpressionError) {
    guard lexer.token == .sign(sign) else { throw unexpected("'\(sign)'") }
    try lexer.advance()
  }

  private mutating func value() throws(ExpressionError) -> Expression.Node {
    switch lexer.token {
    case .literal(let value):
      try lexer.advance()
      return .literal(value)
    case .sign("("):
      try lexer.advance()
      let inner = try deeper { parser throws(ExpressionError) in try parser.operation(atLeast: 0) }
      try close(")")
      return inner
    case .name(let name) where name != "and" && name != "or":
      let offset = lexer.offset
      try lexer.advance()
      guard lexer.token == .sign("(") else { return .name(name, offset: offset) }
      return try call(name, at: offset)
    default: throw unexpected("a value")
    }
  }

  private mutating func call(_ name: String, at offset: Int) throws(ExpressionError) -> Expression.Node {
    guard let function = Expression.Function(rawValue: name) else {
      let hint = Spelling.nearest(to: name, among: Expression.Function.allCases.map(\.rawValue))
      throw ExpressionError(
        "there is no function '\(name)'\(hint.map { ", did you mean '\($0)'?" } ?? "")", at: offset)
    }
    try lexer.advance()
    var arguments: [Expression.Node] = []
    while lexer.token != .sign(")") {
      if !arguments.isEmpty {
        guard lexer.token == .sign(",") else { throw unexpected("',' or ')'") }
        try lexer.advance()
      }
      arguments.append(try deeper { parser throws(ExpressionError) in try parser.operation(atLeast: 0) })
    }
    try lexer.advance()
    guard function.arguments.contains(arguments.count) else {
      throw ExpressionError("'\(name)' does not take these arguments: \(function.usage)", at: offset)
    }
    return .call(function, arguments)
  }
}
