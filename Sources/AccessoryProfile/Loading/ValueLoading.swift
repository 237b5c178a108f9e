import BLECore

extension ProfileLoader {
  /// A constant, a generator, or a record of both.
  mutating func source(_ node: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    guard let pairs = node.pairs else { return constant(node, format).map { .constant($0) } }
    let fieldNames = (format.fields ?? []).map(\.name)
    let head = Language.generators.first { table in
      guard let name = table.names.first else { return false }
      return node.value(of: name) != nil && !fieldNames.contains(name)
    }
    if let head { return generator(node, head, format) }
    guard let fields = format.fields else {
      let heads = Language.generators.compactMap(\.names.first).joined(separator: ", ")
      error(node, "a value, or a mapping that generates one is wanted (known: \(heads))")
      return nil
    }
    return record(node, pairs, fields)
  }

  private mutating func record(
    _ node: SyntaxNode, _ pairs: [SyntaxPair], _ fields: [ValueFormat.Field]
  ) -> ValueSource? {
    let known = fields.map(\.name)
    var sources: [ValueSource.Field] = []
    var isWhole = true
    // In the order of the format: one field may follow from another before it.
    for field in fields {
      guard let pair = pairs.first(where: { $0.name == field.name }) else {
        if field.defaultValue == nil {
          error(node, "'\(field.name)' is missing")
          isWhole = false
        }
        continue
      }
      if case .heartRateMeasurement = formatOfRecord(fields), field.name == "rr", pair.value.plainText == "from-bpm" {
        sources.append(.init("rr", .intervalsFromRate))
      } else if let source = source(pair.value, field.format) {
        sources.append(.init(field.name, source))
      } else {
        isWhole = false
      }
    }
    for pair in pairs where !known.contains(pair.name) {
      error(pair.key, "there is no field '\(pair.name)'\(Spelling.hint(for: pair.name, among: known))")
      isWhole = false
    }
    return isWhole ? .record(sources) : nil
  }

  private func formatOfRecord(_ fields: [ValueFormat.Field]) -> ValueFormat {
    fields == HeartRateMeasurement.fields ? .heartRateMeasurement : .structure(fields)
  }

  // MARK: Constants

  /// A constant of a format; octets are taken by every format when they begin with `hex:`.
  mutating func constant(_ node: SyntaxNode, _ format: ValueFormat) -> ProfileValue? {
    if let text = node.plainText, text.hasPrefix("hex:") { return octets(node).map { .octets($0.octets) } }
    guard let value = unchecked(node, format) else { return nil }
    do throws(ProfileValueError) {
      _ = try format.encode(value)
      return value
    } catch {
      self.error(node, error.message)
      return nil
    }
  }

  private mutating func unchecked(_ node: SyntaxNode, _ format: ValueFormat) -> ProfileValue? {
    switch format {
    case .octets: return octets(node).map { .octets($0.octets) }
    case .boolean: return boolean(node).map { .bool($0) }
    case .text:
      guard let text = node.text, node.plainText == nil || !node.isNull else {
        error(node, "text is wanted, not \(node.kindName)")
        return nil
      }
      warnOfLikeness(node)
      return .string(text)
    case .uuid: return text(node).map { .string(String(($0.dropping(prefix: "uuid:") ?? $0[...]).trimmed)) }
    case .dateTime, .timeZone: return text(node).map { .string($0) }
    case .integer(let format): return number(node, format)
    case .named(let names):
      guard let text = text(node) else { return nil }
      if names.contains(where: { $0.name == text }) { return .string(text) }
      return node.plainText.flatMap { Numbers.integer($0) }.map { .int($0) } ?? .string(text)
    case .flags(let names): return list(node).map { .array($0.compactMap { unchecked($0, .named(names)) }) }
    case .list(let member):
      guard let elements = list(node) else { return nil }
      let values = elements.compactMap { constant($0, member) }
      return values.count == elements.count ? .array(values) : nil
    case .structure, .currentTime, .heartRateMeasurement:
      let names = (format.fields ?? []).map(\.name).joined(separator: ", ")
      error(node, "a mapping with \(names) is wanted, not \(node.kindName)")
      return nil
    }
  }

  private mutating func number(_ node: SyntaxNode, _ format: IntegerFormat) -> ProfileValue? {
    guard let text = node.plainText else {
      error(node, "a number is wanted, not \(node.kindName)")
      return nil
    }
    if let whole = Numbers.whole(text) { return whole }
    if format.decimals > 0, let fraction = Numbers.decimal(text) { return .double(fraction) }
    // A number with its width, such as u8:5, where that is the width of the format.
    if let literal = OctetLiteral(plain: text), literal.octets.count == format.octets { return .octets(literal.octets) }
    error(node, "a \(format.decimals > 0 ? "" : "whole ")number is wanted, not \(node.kindName)")
    return nil
  }
}
