/// A value that a step of a scenario expects: octets, or a value with numbers that may lie anywhere within a range.
package struct ExpectedValue: Hashable, Sendable {
  /// The octets; with ranges, an example of them.
  package let octets: [UInt8]
  /// The numbers that may differ from those of the octets.
  let ranges: [NumberRange]
  let format: ValueFormat

  /// A range of numbers at a place within the value. A missing bound excludes nothing.
  struct NumberRange: Hashable, Sendable {
    var path: [Part]
    var low: Double?
    var high: Double?

    func contains(_ number: Double) -> Bool { number >= low ?? -.infinity && number <= high ?? .infinity }
  }

  /// A step from a value to one of its parts.
  enum Part: Hashable, Sendable {
    case field(String)
    case member(Int)
  }

  /// Returns whether octets are as expected. Apart from the numbers with ranges, the value must be exactly that of the octets.
  package func matches(_ octets: [UInt8]) -> Bool {
    guard !ranges.isEmpty else { return octets == self.octets }
    let wanted = format.decode(self.octets)
    var value = format.decode(octets)
    for range in ranges {
      guard let number = value.part(range.path[...])?.number, range.contains(number),
        let example = wanted.part(range.path[...])
      else { return false }
      value = value.replacing(range.path[...], by: example)
    }
    return value == wanted
  }

  /// The value with its ranges as in the file; nil if it has none.
  package var withRanges: ProfileValue? {
    guard !ranges.isEmpty else { return nil }
    return ranges.reduce(format.decode(octets)) { value, range in
      var bounds: [String: ProfileValue] = [:]
      if let low = range.low { bounds["low"] = .shortest(low) }
      if let high = range.high { bounds["high"] = .shortest(high) }
      return value.replacing(range.path[...], by: .object(bounds))
    }
  }
}

extension ProfileValue {
  /// Returns a number as a whole one if it is one.
  fileprivate static func shortest(_ number: Double) -> ProfileValue {
    Int64(exactly: number).map { .int($0) } ?? .double(number)
  }

  fileprivate func part(_ path: ArraySlice<ExpectedValue.Part>) -> ProfileValue? {
    switch path.first {
    case nil: self
    case .field(let name): self[name]?.part(path.dropFirst())
    case .member(let place): self[place]?.part(path.dropFirst())
    }
  }

  fileprivate func replacing(_ path: ArraySlice<ExpectedValue.Part>, by other: ProfileValue) -> ProfileValue {
    switch (path.first, self) {
    case (nil, _): return other
    case (.field(let name), .object(var fields)):
      fields[name] = fields[name]?.replacing(path.dropFirst(), by: other)
      return .object(fields)
    case (.member(let place), .array(var members)) where members.indices.contains(place):
      members[place] = members[place].replacing(path.dropFirst(), by: other)
      return .array(members)
    default: return self
    }
  }
}

// MARK: - Loading

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
