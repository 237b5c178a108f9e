import BLECore

extension ProfileLoader {
  /// Loads a constant, a generator, or a record of both.
  mutating func source(_ node: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    guard let pairs = node.pairs else { return constant(node, format).map { .constant($0) } }
    let fieldNames = (format.fields ?? []).map(\.name)
    let head = Language.generators.first { table in
      guard let name = table.names.first else { return false }
      return node.value(of: name) != nil && !fieldNames.contains(name)
    }
    if let head { return generator(node, head, format) }
    guard format.fields != nil else {
      let heads = Language.generators.compactMap(\.names.first).joined(separator: ", ")
      let advice = pairs.first.flatMap { FamiliarKey.row(for: $0.name, in: "generator")?.hint }
      let fields = "; for a value with fields, add format: { struct: { \(pairs.first?.name ?? "level"): u8 } }"
      error(node, "expected a value or a generator (known: \(heads))\(advice ?? (format == .octets ? fields : ""))")
      return nil
    }
    return record(node, pairs, format)
  }

  private mutating func record(
    _ node: SyntaxNode, _ pairs: [SyntaxPair], _ format: ValueFormat
  ) -> ValueSource? {
    let fields = format.fields ?? []
    let known = fields.map(\.name)
    var sources: [ValueSource.Field] = []
    var isWhole = true
    // In the order of the format, because a field may depend on one before it.
    for field in fields {
      guard let pair = pairs.first(where: { $0.name == field.name }) else { continue }
      let chosen = field.format(beside: { flag in pairs.first { $0.name == flag }?.value.constantText }, fields)
      let source = intervals(pair.value, field, after: sources.map(\.name)) ?? source(pair.value, chosen)
      if let source {
        sources.append(.init(field.name, source))
      } else {
        isWhole = false
      }
    }
    for pair in pairs where !known.contains(pair.name) {
      error(pair.key, "there is no field '\(pair.name)'\(hint(for: pair.name, among: known))")
      isWhole = false
    }
    let fault = isWhole ? format.fault(of: pairs.map(\.name)) : format.missing(in: pairs.map(\.name))
    if let fault { error(node, fault) }
    return isWhole && fault == nil ? .record(sources) : nil
  }

  // MARK: Constants

  /// Reads a constant of a format. All formats accept octets that begin with `hex:`.
  mutating func constant(_ node: SyntaxNode, _ format: ValueFormat) -> ProfileValue? {
    if let text = node.plainText, text.hasPrefix("hex:") { return octets(node).map { .octets($0.octets) } }
    guard let value = unchecked(node, format) else { return nil }
    do throws(ProfileValueError) {
      warnOfRounding(node, value, format, try format.encode(value))
      return value
    } catch {
      self.error(node, error.message)
      return nil
    }
  }

  /// Warns if the format cannot hold a number exactly and rounds it. Binary fractions only approximate decimal ones, so they are exempt.
  private mutating func warnOfRounding(
    _ node: SyntaxNode, _ value: ProfileValue, _ format: ValueFormat, _ octets: [UInt8]
  ) {
    switch format {
    case .integer, .medical:
      let stored = format.decode(octets)
      guard let given = value.number, let number = stored.number, abs(number - given) > abs(given) * 1e-9 else {
        return
      }
      warn(node, "the format cannot hold \(node.kindName) exactly; \(stored) is used")
    default: break
    }
  }

  private mutating func unchecked(_ node: SyntaxNode, _ format: ValueFormat) -> ProfileValue? {
    switch format {
    case .hex: return octets(node).map { .octets($0.octets) }
    case .boolean: return boolean(node).map { .bool($0) }
    case .utf8:
      guard let text = node.text, node.plainText == nil || !node.isNull else {
        error(node, "expected text, not \(node.kindName)")
        return nil
      }
      warnOfLikeness(node)
      return .string(text)
    case .uuid: return text(node).map { .string(String(($0.dropping(prefix: "uuid:") ?? $0[...]).trimmed)) }
    case .dateTime, .timeZone: return text(node).map { .string($0) }
    case .integer(let format): return number(node, format)
    case .medical, .floating:
      guard let text = text(node) else { return nil }
      return node.plainText.flatMap { Numbers.decimal($0) }.map { .double($0) } ?? .string(text)
    case .named(let names, _):
      guard let text = text(node) else { return nil }
      if names.contains(where: { $0.name == text }) { return .string(text) }
      return node.plainText.flatMap { Numbers.whole($0) } ?? .string(text)
    case .flags(let names, let word):
      return list(node).map { .array($0.compactMap { unchecked($0, .named(names, word)) }) }
    case .list(let member, _):
      guard let elements = list(node) else { return nil }
      let values = elements.compactMap { constant($0, member) }
      return values.count == elements.count ? .array(values) : nil
    case .structure, .bits: return fields(node, format.fields ?? [])
    }
  }

  private mutating func fields(_ node: SyntaxNode, _ fields: [ValueFormat.Field]) -> ProfileValue? {
    let known = fields.map(\.name)
    guard let pairs = node.pairs else {
      error(node, "expected a mapping with \(known.joined(separator: ", ")), not \(node.kindName)")
      return nil
    }
    var values: [String: ProfileValue] = [:]
    for pair in pairs {
      guard let field = fields.first(where: { $0.name == pair.name }) else {
        error(pair.key, "there is no field '\(pair.name)'\(hint(for: pair.name, among: known))")
        continue
      }
      let chosen = field.format(beside: { flag in pairs.first { $0.name == flag }?.value.constantText }, fields)
      values[field.name] = constant(pair.value, chosen)
    }
    return values.count == pairs.count ? .object(values) : nil
  }

  private mutating func number(_ node: SyntaxNode, _ format: IntegerFormat) -> ProfileValue? {
    guard let text = node.plainText else {
      error(node, "expected a number, not \(node.kindName)")
      return nil
    }
    if let whole = Numbers.whole(text) { return whole }
    if !format.isWhole, let fraction = Numbers.decimal(text) { return .double(fraction) }
    if format.special.contains(where: { $0.name == text }) { return .string(text) }
    // A number with a width, such as u8:5, if that is the width of the format.
    if let literal = OctetLiteral(plain: text), literal.octets.count == format.octets { return .octets(literal.octets) }
    let names = format.special.isEmpty ? "" : ", or one of \(format.special.map(\.name).joined(separator: ", "))"
    error(node, "expected a \(format.isWhole ? "whole " : "")number\(names), not \(node.kindName)")
    return nil
  }
}

extension SyntaxNode {
  /// The value of a word, as a flag or a name.
  var constantText: ProfileValue? {
    plainText.map { text in ["true", "false"].contains(text) ? .bool(text == "true") : .string(text) }
  }
}

extension ValueFormat {
  /// Returns why a value cannot have exactly these fields; nil if it can.
  func fault(of given: [String]) -> String? {
    if case .structure(let layout) = self, let fault = layout.gateFault(given) { return fault }
    return missing(in: given)
  }

  /// Returns the message for the first required field that is missing.
  func missing(in given: [String]) -> String? {
    fields?.first { !$0.canBeLeftOut && !given.contains($0.name) }.map { "'\($0.name)' is missing" }
  }
}

extension StructFormat {
  /// Returns the message for fields that exclude each other, or whose group is incomplete.
  fileprivate func gateFault(_ given: [String]) -> String? {
    for gate in gates {
      let set = gate.set.map { fields[$0] }
      let unset = gate.unset.map { fields[$0] }
      let isSet = set.first { given.contains($0.name) }
      let isUnset = unset.first { given.contains($0.name) }
      if let isSet, let isUnset {
        return "'\(isSet.name)' and '\(isUnset.name)' cannot be combined"
      }
      let group = isSet != nil || (isUnset == nil && set.isEmpty) ? set : unset
      let isThere = isSet != nil || isUnset != nil || !set.isEmpty
      guard isThere, let beside = isSet ?? isUnset ?? (unset.isEmpty ? nil : group.first) else { continue }
      if let missing = group.first(where: { $0.defaultValue == nil && !given.contains($0.name) }) {
        return missing == beside
          ? "'\(missing.name)' is missing" : "'\(missing.name)' is missing; '\(beside.name)' needs it"
      }
    }
    return nil
  }
}
