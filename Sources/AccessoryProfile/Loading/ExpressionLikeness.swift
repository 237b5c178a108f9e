/// Texts that rules give to values and variables, but that were probably meant as expressions, or have another type than the variable.
extension ProfileLoader {
  /// Returns whether a text was probably meant as an expression: it is one, and uses a value of the profile or a function. A name alone is
  /// only meant if the profile defines it and it has no quotes.
  private func isLikeExpression(_ node: SyntaxNode) -> Bool {
    guard let text = node.text, let parsed = try? ExpressionParser.parse(text),
      let expression = try? parsed.resolved({ meaning(of: $0) })
    else { return false }
    switch expression.root {
    case .reference(.known(let known)): return known == .written && node.plainText != nil
    case .reference: return node.plainText != nil
    default: return !expression.references.isEmpty || expression.callsFunction
    }
  }

  /// Rejects an expression in place of a value of a format, and warns if the format is a text. Returns whether it was rejected.
  mutating func refuseExpression(_ node: SyntaxNode, for format: ValueFormat) -> Bool {
    guard let text = node.text, !format.names(text), isLikeExpression(node) else { return false }
    switch format {
    case .utf8:
      warnOfExpression(node, text)
      return false
    // In quotes, it is text as octets.
    case .hex where node.plainText == nil: return false
    default:
      error(node, "expected a value, not the expression '\(text)': write \(Self.computing(text))")
      return true
    }
  }

  /// Warns about an unquoted text that was probably meant as an expression.
  mutating func warnOfExpression(_ node: SyntaxNode) {
    guard let text = node.plainText, isLikeExpression(node) else { return }
    warnOfExpression(node, text)
  }

  private mutating func warnOfExpression(_ node: SyntaxNode, _ text: String) {
    guard node.plainText != nil else { return }
    warn(node, "'\(text)' is text here: write \(Self.computing(text)), or put it in quotes to confirm the text")
  }

  /// Checks a text that a rule gives a variable. The type of a variable is that of its initial value.
  mutating func checkText(_ node: SyntaxNode, for variable: Variable) {
    guard let text = node.text else { return }
    let isPlain = node.plainText != nil
    switch variable.initial {
    case .text: return warnOfExpression(node)
    // In quotes, it is text as octets.
    case .octets where !isPlain: return
    default: break
    }
    let mismatch = "'\(variable.name)' begins as \(variable.initial.kind), and this is the text '\(text)'"
    if isLikeExpression(node) {
      error(node, "\(mismatch): write \(Self.computing(text))")
    } else if !isPlain, Numbers.decimal(text) != nil || text == "true" || text == "false" {
      warn(node, mismatch + Self.leaveQuotes)
    } else {
      warn(node, "\(mismatch); values of different types are never equal")
    }
  }

  /// Returns an expression as the value of an action, with quotes if YAML needs them there.
  private static func computing(_ text: String) -> String {
    let needsQuotes = text.contains { "[]{},#\"':&*|>%".contains($0) }
    guard needsQuotes else { return "{ compute: \(text) }" }
    return text.contains("\"") ? "{ compute: '\(text.replacing("'", with: "''"))' }" : "{ compute: \"\(text)\" }"
  }
}

extension Expression {
  /// Whether it calls a function.
  fileprivate var callsFunction: Bool {
    var calls = false
    root.visit { if case .call = $0 { calls = true } }
    return calls
  }
}

extension ValueFormat {
  /// Returns whether a text is the name of one of the format's values.
  fileprivate func names(_ text: String) -> Bool {
    switch self {
    case .named(let names, _): names.contains { $0.name == text }
    case .integer(let format): format.special.contains { $0.name == text }
    case .medical, .floating: ["nan", "nres", "inf", "-inf", "reserved"].contains(text)
    default: false
    }
  }
}
