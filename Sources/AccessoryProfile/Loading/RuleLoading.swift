import BLEATT
import BLECore
import BLEGATT

extension ProfileLoader {
  /// Reads the rules of all characteristics, now that every id is known.
  mutating func resolveRules() {
    for index in characteristics.indices {
      if let node = characteristics[index].controlPoint {
        characteristics[index].behavior.controlPoint = controlPoint(node, on: CharacteristicIndex(index))
      }
      guard let node = characteristics[index].rules, let elements = list(node) else { continue }
      var rules: [WriteRule] = []
      for (position, element) in elements.enumerated() {
        guard let rule = rule(element) else { continue }
        rules.append(rule)
        if let otherwise = element.value(of: "otherwise"), position < elements.count - 1 {
          error(otherwise, "'otherwise' is for the writes that no rule fits, and so comes last")
        }
      }
      characteristics[index].behavior.writeRules = rules
    }
  }

  private mutating func rule(_ node: SyntaxNode) -> WriteRule? {
    guard let keys = keys(node, Language.writeRule) else { return nil }
    let timing = answerTiming(keys)
    if let otherwise = keys["otherwise"] {
      for name in ["when", "do", "error"] {
        if let other = keys.key(name) { error(other, "either 'otherwise' or '\(name)' is possible, not both") }
      }
      let outcome = outcome(otherwise)
      refuseErrorOfQuestion(keys, outcome.error)
      return WriteRule(condition: .any, error: outcome.error, effects: outcome.effects, timing: timing)
    }
    guard let when = keys["when"] else {
      error(node, "a rule needs 'when' or 'otherwise'")
      return nil
    }
    let condition = condition(when)
    var result: (error: ATTErrorCode?, effects: [WriteEffect]) = (nil, [])
    if let node = keys["error"] { result.error = errorCode(node) }
    if let node = keys["do"] {
      if let key = keys.key("error") { error(key, "either 'do' or 'error' is possible, not both") }
      result = outcome(node)
      refuseErrorOfQuestion(keys, result.error)
    } else if keys["error"] == nil, timing == nil {
      error(node, "a rule needs 'do', 'error', 'after' or 'ask'")
    }
    return condition.map {
      WriteRule(condition: $0, error: result.error, effects: result.effects, timing: timing)
    }
  }

  /// What somebody decides is not decided by the profile.
  private mutating func refuseErrorOfQuestion(_ keys: Keys, _ code: ATTErrorCode?) {
    guard code != nil, let ask = keys.key("ask"), keys["ask"]?.plainText == "true" else { return }
    error(ask, "either 'ask' or 'error' is possible, not both")
  }

  private mutating func condition(_ node: SyntaxNode) -> WriteRule.Condition? {
    if node.plainText == "any" { return .any }
    guard node.pairs != nil else { return octets(node).map { .octets($0.octets) } }
    guard let keys = keys(node, Language.condition) else { return nil }
    switch (keys["length"], keys["first"]) {
    case (let length?, nil):
      if let elements = length.elements {
        let bounds = elements.compactMap { integer($0, 0...512) }
        guard bounds.count == 2, elements.count == 2, bounds[0] <= bounds[1] else {
          error(length, "the fewest and the most octets are wanted, such as [1, 20]")
          return nil
        }
        return .length(Int(bounds[0])...Int(bounds[1]))
      }
      return integer(length, 0...512).map { .length(Int($0)...Int($0)) }
    case (nil, let first?): return integer(first, 0...255).map { .first(UInt8(truncatingIfNeeded: $0)) }
    default:
      error(node, "either 'length' or 'first' is wanted")
      return nil
    }
  }

  // MARK: Effects

  mutating func outcome(
    _ node: SyntaxNode, _ table: KeyTable = Language.effect
  ) -> (error: ATTErrorCode?, effects: [WriteEffect]) {
    var result: (error: ATTErrorCode?, effects: [WriteEffect]) = (nil, [])
    for element in node.elements ?? [node] {
      guard element.pairs != nil else {
        if oneOf(element, ["log"]) != nil { result.effects.append(.log) }
        continue
      }
      guard let pairs = element.pairs, let known = keys(element, table) else { continue }
      for pair in pairs where known[pair.name] != nil {
        if pair.name == "error" {
          result.error = errorCode(pair.value)
        } else {
          result.effects += effects(pair)
        }
      }
    }
    return result
  }

  mutating func effects(_ pair: SyntaxPair) -> [WriteEffect] {
    switch pair.name {
    case "reset": return reset(pair.value).map { [$0] } ?? []
    case "set": return settings(pair.value)
    case "copy": return reference(pair.value).map { [.copy($0)] } ?? []
    case "notify":
      guard let index = reference(pair.value) else { return [] }
      if characteristics[index.position].behavior.notify == nil { error(pair.value, "its properties lack 'notify'") }
      return [.notify(index)]
    case "indicate":
      guard let index = reference(pair.value) else { return [] }
      if characteristics[index.position].behavior.indicate == nil {
        error(pair.value, "its properties lack 'indicate'")
      }
      return [.indicate(index)]
    default: return []
    }
  }

  private mutating func reset(_ node: SyntaxNode) -> WriteEffect? {
    guard let text = text(node) else { return nil }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    guard let index = reference(parts[0], node) else { return nil }
    guard parts.count == 2 else { return .reset(index, field: nil) }
    let names = (characteristics[index.position].behavior.format.fields ?? []).map(\.name)
    guard names.contains(parts[1]) else {
      error(node, "'\(parts[0])' has no field '\(parts[1])'\(Spelling.hint(for: parts[1], among: names))")
      return nil
    }
    return .reset(index, field: parts[1])
  }

  private mutating func settings(_ node: SyntaxNode) -> [WriteEffect] {
    guard let pairs = node.pairs else {
      error(node, "a mapping from characteristics to values is wanted, not \(node.kindName)")
      return []
    }
    return pairs.compactMap { pair in
      guard let index = reference(pair.name, pair.key),
        let value = setting(pair.value, characteristics[index.position].behavior.format)
      else { return nil }
      return .set(index, value)
    }
  }

  /// A constant, or of a format with fields some of them.
  private mutating func setting(_ node: SyntaxNode, _ format: ValueFormat) -> ProfileValue? {
    guard let pairs = node.pairs, let fields = format.fields else { return constant(node, format) }
    var values: [String: ProfileValue] = [:]
    for pair in pairs {
      guard let field = fields.first(where: { $0.name == pair.name }) else {
        error(pair.key, "there is no field '\(pair.name)'\(Spelling.hint(for: pair.name, among: fields.map(\.name)))")
        continue
      }
      values[field.name] = constant(pair.value, field.format)
    }
    return values.count == pairs.count ? .object(values) : nil
  }

  mutating func reference(_ node: SyntaxNode) -> CharacteristicIndex? {
    guard let id = text(node) else { return nil }
    return reference(id, node)
  }

  private mutating func reference(_ id: String, _ place: SyntaxNode) -> CharacteristicIndex? {
    let known = characteristics.map(\.behavior).filter(\.isPresent).map(\.id)
    guard known.contains(id), let position = characteristics.firstIndex(where: { $0.behavior.id == id }) else {
      error(place, "there is no characteristic '\(id)'\(Spelling.hint(for: id, among: known))")
      return nil
    }
    let index = CharacteristicIndex(position)
    references.insert(index)
    return index
  }
}
