import BLECore
import BLEGATT

extension ProfileLoader {
  /// Loads the steps on the servers of centrals, after all characteristics are known.
  mutating func clientSteps(_ node: SyntaxNode?) -> [ClientStep] {
    guard let node, let elements = list(node) else { return [] }
    return elements.compactMap { clientStep($0) }
  }

  private mutating func clientStep(_ node: SyntaxNode) -> ClientStep? {
    guard let keys = keys(node, Language.clientStep) else { return nil }
    let given = Language.clientActions.filter { keys[$0] != nil }
    let known = Language.clientActions.joined(separator: ", ")
    guard let word = given.first, let target = keys[word] else {
      error(node, "a step needs one of \(known)")
      return nil
    }
    for other in given.dropFirst() {
      if let key = keys.key(other) {
        error(key, "a step has only one action (\(known)), and this one already has '\(word)'")
      }
    }
    let trigger: ClientStep.Trigger? = if let node = keys["when"] { trigger(node) } else { .connected }
    defer { scope = ExpressionScope() }
    if case .received = trigger { scope.absent.remove(.written) }
    let action = action(word, target, keys)
    let condition = keys["if"].map { expression($0) }
    let delay: Duration? =
      if keys["after"] == nil { .zero } else { duration(keys, "after") }
    let service = keys["service"].flatMap { uuid($0, .service) }
    scope.absent.remove(.written)
    let effects = keys["do"].map { outcome($0, Language.ruleEffect).effects } ?? []
    let retry = keys["retry"].flatMap { self.keys($0, Language.clientRetry) }
    let retries = retry.flatMap { integer($0, "times") } ?? 0
    let interval = retry.flatMap { duration($0, "every") } ?? .zero
    if word == "discover" {
      for name in ["do", "service"] {
        if let key = keys.key(name) { error(key, "'\(name)' needs a characteristic, but 'discover' finds all") }
      }
    }
    guard let action, let trigger, let delay, condition == nil || condition != .some(nil) else { return nil }
    var step = ClientStep(action, name: "\(word) \(target.text ?? "")", when: trigger, after: delay)
    step.condition = condition ?? nil
    step.service = service
    step.effects = effects
    step.retries = Int(retries)
    step.retryInterval = interval
    return step
  }

  private mutating func action(_ word: String, _ target: SyntaxNode, _ keys: Keys) -> ClientStep.Action? {
    if word != "write", let key = keys.key("value") { error(key, "'value' is for 'write'") }
    if word == "discover" { return oneOf(target, ["all"]).map { _ in .discover } }
    guard let uuid = uuid(target, .characteristic) else { return nil }
    switch word {
    case "read": return .read(uuid)
    case "subscribe": return .subscribe(uuid)
    default: break
    }
    guard let node = keys["value"] else {
      error(target, "'write' needs a 'value'")
      return nil
    }
    if let keys = node.value(of: "compute").flatMap({ _ in self.keys(node, Language.computedValue) }),
      let text = keys["compute"]
    {
      return expression(text).map { .compute(uuid, $0) }
    }
    guard let format = ShippedFormats.format(of: uuid) else {
      return octets(node).map { .write(uuid, $0.octets) }
    }
    guard let value = constant(node, format), let octets = try? format.encode(value) else { return nil }
    return .write(uuid, octets)
  }

  private mutating func trigger(_ node: SyntaxNode) -> ClientStep.Trigger? {
    guard node.pairs != nil else { return oneOf(node, ["connected"]).map { _ in .connected } }
    guard let keys = keys(node, Language.clientTrigger) else { return nil }
    let known = Language.clientTrigger.names
    let given = known.filter { keys[$0] != nil }
    guard given.count == 1, let word = given.first, let target = keys[word] else {
      error(node, "expected exactly one trigger (known: \(known.joined(separator: ", ")))")
      return nil
    }
    switch word {
    case "received": return uuid(target, .characteristic).map { .received($0) }
    case "button": return button(target).map { .button($0) }
    default: break
    }
    guard let index = reference(target) else { return nil }
    let behavior = characteristics[index.position].behavior
    if behavior.notify == nil, behavior.indicate == nil {
      error(target, "it cannot be subscribed to: its properties lack 'notify' and 'indicate'")
    }
    return .subscribed(index)
  }
}
