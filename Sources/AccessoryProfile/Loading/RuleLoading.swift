import BLEATT
import BLECore
import BLEGATT

extension ProfileLoader {
  /// Loads the rules of all characteristics, after all ids are known.
  mutating func resolveRules() {
    for index in characteristics.indices {
      if let node = characteristics[index].controlPoint {
        characteristics[index].behavior.controlPoint = controlPoint(node, on: CharacteristicIndex(index))
      }
      guard let node = characteristics[index].rules, let elements = list(node) else { continue }
      scope.absent.remove(.written)
      defer { scope = ExpressionScope() }
      var rules: [WriteRule] = []
      for (position, element) in elements.enumerated() {
        guard let rule = rule(element, isLast: position == elements.count - 1) else { continue }
        rules.append(rule)
        if let otherwise = element.value(of: "otherwise"), position < elements.count - 1 {
          error(otherwise, "'otherwise' is for writes that match no other rule, and must be last")
        }
      }
      characteristics[index].behavior.writeRules = rules
    }
  }

  private mutating func rule(_ node: SyntaxNode, isLast: Bool) -> WriteRule? {
    guard let keys = keys(node, Language.writeRule) else { return nil }
    deprecateAny(keys, isLast: isLast)
    let timing = answerTiming(keys)
    if let otherwise = keys["otherwise"] {
      for name in ["when", "if", "do", "error"] {
        if let other = keys.key(name) { error(other, "'otherwise' and '\(name)' cannot be combined") }
      }
      let outcome = outcome(otherwise)
      refuseErrorOfQuestion(keys, outcome.error)
      return WriteRule(condition: .any, error: outcome.error, effects: outcome.effects, timing: timing)
    }
    guard keys["when"] != nil || keys["if"] != nil else {
      error(node, "a rule needs 'when', 'if' or 'otherwise'")
      return nil
    }
    let condition: WriteRule.Condition? = if let when = keys["when"] { self.condition(when) } else { .any }
    let requirement = keys["if"].map { expression($0) }
    var result: (error: ATTErrorCode?, effects: [RuleEffect]) = (nil, [])
    if let node = keys["error"] { result.error = errorCode(node) }
    if let node = keys["do"] {
      if let key = keys.key("error") {
        error(
          key,
          "'do' and 'error' cannot be combined; write the error as one of the actions: do: [ ..., { error: CODE } ]")
      }
      result = outcome(node)
      refuseErrorOfQuestion(keys, result.error)
    } else if keys["error"] == nil, timing == nil {
      error(node, "a rule needs 'do', 'error', 'after' or 'ask'")
    }
    guard let condition, requirement == nil || requirement != .some(nil) else { return nil }
    return WriteRule(
      condition: condition, requirement: requirement ?? nil, error: result.error, effects: result.effects,
      timing: timing)
  }

  /// Rejects an error that the profile defines for an access that a question decides.
  private mutating func refuseErrorOfQuestion(_ keys: Keys, _ code: ATTErrorCode?) {
    guard code != nil, let ask = keys.key("ask"), keys["ask"]?.plainText == "true" else { return }
    error(ask, "'ask' and 'error' cannot be combined")
  }

  private mutating func condition(_ node: SyntaxNode) -> WriteRule.Condition? {
    if node.plainText == "any" { return .any }
    guard node.pairs != nil else { return octets(node).map { .octets($0.octets) } }
    guard let keys = keys(node, Language.condition) else { return nil }
    switch (keys["length"], keys["first"]) {
    case (let length?, nil):
      if let elements = length.elements {
        let bounds = elements.compactMap { integer($0, keys.table, "length") }
        guard bounds.count == 2, elements.count == 2, bounds[0] <= bounds[1] else {
          error(length, "expected the fewest and the most octets, such as [1, 20]")
          return nil
        }
        return .length(Int(bounds[0])...Int(bounds[1]))
      }
      return integer(length, keys.table, "length").map { .length(Int($0)...Int($0)) }
    case (nil, let first?): return integer(first, keys.table, "first").map { .first(UInt8(truncatingIfNeeded: $0)) }
    default:
      error(node, "expected either 'length' or 'first'")
      return nil
    }
  }
}
