/// Reads the values that the steps of a scenario expect.
extension ProfileLoader {
  /// Reads a value, and encodes it in its format. An empty text in quotes means no octets, whatever the format.
  mutating func encoded(_ node: SyntaxNode, _ format: ValueFormat) -> [UInt8]? {
    if case .scalar("", isQuoted: true) = node.content, !format.isText { return [] }
    return constant(node, format).flatMap { try? format.encode($0) }
  }

  /// Reads a value that a step expects, in which `{ low: 60, high: 100 }` can stand for a number.
  mutating func expected(_ node: SyntaxNode, _ format: ValueFormat) -> ExpectedValue? {
    var ranges: [ExpectedValue.NumberRange] = []
    guard let example = example(of: node, format, [], &ranges), let octets = encoded(example, format) else {
      return nil
    }
    return ExpectedValue(octets: octets, ranges: ranges, format: format)
  }

  /// Returns a value with a number in place of each range, and adds the ranges.
  private mutating func example(
    of node: SyntaxNode, _ format: ValueFormat, _ path: [ExpectedValue.Part],
    _ ranges: inout [ExpectedValue.NumberRange]
  ) -> SyntaxNode? {
    switch (node.content, format) {
    case (_, .integer), (_, .medical), (_, .floating): return number(in: node, format, path, &ranges)
    case (.sequence(let elements), .list(let member, _)):
      var examples: [SyntaxNode] = []
      for (place, element) in elements.enumerated() {
        guard let example = example(of: element, member, path + [.member(place)], &ranges) else { return nil }
        examples.append(example)
      }
      return node.with(.sequence(examples))
    case (.mapping(let pairs), _):
      guard let fields = format.fields else { return node }
      var examples: [SyntaxPair] = []
      for pair in pairs {
        var pair = pair
        if let field = fields.first(where: { $0.name == pair.name }) {
          let chosen = field.format(beside: { flag in pairs.first { $0.name == flag }?.value.constantText }, fields)
          guard let example = example(of: pair.value, chosen, path + [.field(pair.name)], &ranges) else { return nil }
          pair.value = example
        }
        examples.append(pair)
      }
      return node.with(.mapping(examples))
    default: return node
    }
  }

  /// Returns the number of a node, or one of its range.
  private mutating func number(
    in node: SyntaxNode, _ format: ValueFormat, _ path: [ExpectedValue.Part],
    _ ranges: inout [ExpectedValue.NumberRange]
  ) -> SyntaxNode? {
    if let (low, high) = Self.bounds(in: node) {
      error(node, "expected a number, not \(node.kindName): a range is { low: \(low), high: \(high) }")
      return nil
    }
    guard node.pairs != nil else { return node }
    guard let keys = keys(node, Language.numberRange) else { return nil }
    let bounds = ["low", "high"].compactMap { keys[$0] }
    guard let first = bounds.first else {
      if node.pairs?.isEmpty ?? false { error(node, "a range has 'low', 'high' or both") }
      return nil
    }
    let (low, high) = (keys["low"].map { number($0) }, keys["high"].map { number($0) })
    guard low != .some(nil), high != .some(nil), bounds.allSatisfy({ constant($0, format) != nil }) else { return nil }
    let range = ExpectedValue.NumberRange(path: path, low: low ?? nil, high: high ?? nil)
    if let low = range.low, let high = range.high, low > high {
      error(node, "'low' is above 'high'")
      return nil
    }
    ranges.append(range)
    return first
  }

  /// Returns the bounds of a range in the notation of another language: `60..100`, `60...100`, `60-100` or `[60, 100]`.
  private static func bounds(in node: SyntaxNode) -> (low: String, high: String)? {
    var parts: [String] = []
    if let elements = node.elements {
      parts = elements.compactMap(\.plainText)
    } else if let text = node.text {
      for sign in ["...", "..", "-"] where parts.isEmpty {
        guard let place = text.firstRange(of: sign) else { continue }
        parts = [text[..<place.lowerBound], text[place.upperBound...]].map { String($0.trimmed) }
      }
    }
    guard parts.count == 2, parts.allSatisfy({ Numbers.decimal($0) != nil }) else { return nil }
    return (parts[0], parts[1])
  }
}

extension ValueFormat {
  /// Whether its values are texts, which say themselves how many octets an empty one has.
  fileprivate var isText: Bool {
    if case .utf8 = self { return true }
    return false
  }
}
