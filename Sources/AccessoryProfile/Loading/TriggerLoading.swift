import BLECore
import BLEGATT

/// Rules, states and variables.
extension ProfileLoader {
  /// Loads the variables of rules.
  mutating func variables(_ node: SyntaxNode?) {
    guard let node else { return }
    guard let pairs = node.pairs else {
      return error(node, "expected a mapping from names to values, not \(node.kindName)")
    }
    for pair in pairs {
      guard Self.isIdentifier(pair.name), pair.name.first?.isNumber == false else {
        error(pair.key, "a name consists of letters, digits, '-' and '_', and begins with a letter, not '\(pair.name)'")
        continue
      }
      var value = pair.value
      var owner = ValueOwner.accessory
      if pair.value.pairs != nil {
        guard let keys = keys(pair.value, Language.variable), let initial = keys["value"] else { continue }
        value = initial
        owner = keys["per"].flatMap { self.owner($0, Language.variable) } ?? .accessory
      }
      guard let initial = plainValue(value) else { continue }
      variables.append(
        Variable(name: pair.name, initial: ExpressionValue(initial), owner: owner))
    }
  }

  /// Reads the owner of a value.
  mutating func owner(_ node: SyntaxNode, _ table: KeyTable) -> ValueOwner? {
    let owner = oneOf(node, table.words(of: "per")).flatMap { ValueOwner(rawValue: $0) }
    if owner == .bond, !security.canBond {
      warn(node, "no central can bond with this accessory, so this is the same as 'connection'")
    }
    return owner
  }

  /// Rejects variables with the id of a characteristic.
  mutating func checkVariables(_ node: SyntaxNode?) {
    for pair in node?.pairs ?? [] where characteristicIDs[pair.name] != nil {
      error(pair.key, "a characteristic already has the name '\(pair.name)'")
    }
  }

  /// Reads a value without a format: a number, true or false, octets, or text.
  mutating func plainValue(_ node: SyntaxNode) -> ProfileValue? {
    if node.elements != nil { return octets(node).map { .octets($0.octets) } }
    guard let text = text(node) else { return nil }
    guard let plain = node.plainText else { return .string(text) }
    if let number = Numbers.whole(plain) { return number }
    if let number = Numbers.decimal(plain) { return .double(number) }
    if plain == "true" || plain == "false" { return .bool(plain == "true") }
    if plain.hasPrefix("hex:") { return octets(node).map { .octets($0.octets) } }
    return .string(plain)
  }

  /// Loads the names of the states, before anything that may refer to them.
  mutating func stateNames(_ node: SyntaxNode?) {
    guard let node else { return }
    guard let pairs = node.pairs, !pairs.isEmpty else {
      return error(node, "expected a mapping from states to their rules, not \(node.kindName)")
    }
    for pair in pairs where !Self.isIdentifier(pair.name) {
      error(pair.key, "the name of a state consists of letters, digits, '-' and '_', not '\(pair.name)'")
    }
    stateNames = pairs.map(\.name)
  }

  /// Finds the characteristics with rules for reads. The runtime must be asked for their values.
  mutating func findReads(_ rules: SyntaxNode?, states: SyntaxNode?) {
    let all = (rules?.elements ?? []) + (states?.pairs ?? []).flatMap { $0.value.elements ?? [] }
    for rule in all { if let id = rule.value(of: "when")?.value(of: "read")?.text { readIDs.insert(id) } }
  }

  /// Returns whether any rule is triggered by reads of a characteristic.
  func hearsReads(_ keys: Keys, _ id: String?) -> Bool {
    if let id, readIDs.contains(id) { return true }
    return (keys["rules"]?.elements ?? []).contains { $0.value(of: "when")?.plainText == "read" }
  }

  /// Loads all rules: those of the profile, of its states, and of its characteristics.
  mutating func rules(_ node: SyntaxNode?, states: SyntaxNode?) -> [Rule] {
    var rules = (node.flatMap { list($0) } ?? []).compactMap { rule($0, state: nil, own: nil) }
    for (state, pair) in (states?.pairs ?? []).enumerated() {
      guard !pair.value.isNull else { continue }
      rules += (list(pair.value) ?? []).compactMap { rule($0, state: state, own: nil) }
    }
    for position in characteristics.indices {
      guard let node = characteristics[position].triggered else { continue }
      rules += (list(node) ?? []).compactMap { rule($0, state: nil, own: CharacteristicIndex(position)) }
    }
    return rules
  }

  private mutating func rule(_ node: SyntaxNode, state: Int?, own: CharacteristicIndex?) -> Rule? {
    guard let keys = keys(node, Language.rule), let when = keys["when"], let what = keys["do"] else { return nil }
    let trigger = trigger(when, isInState: state != nil, own: own)
    let isWrite = if case .written = trigger { true } else { false }
    if isWrite { scope.absent.remove(.written) }
    defer { scope = ExpressionScope() }
    let condition = keys["if"].map { expression($0) }
    let delay = keys["after"].map { duration($0, keys.table, "after") } ?? .zero
    let outcome = outcome(what, Language.ruleEffect)
    if trigger != nil, !isWrite { checkNothingWritten(what) }
    guard let trigger, let delay, condition == nil || condition != .some(nil) else { return nil }
    return Rule(trigger: trigger, condition: condition ?? nil, delay: delay, effects: outcome.effects, state: state)
  }

  /// Rejects effects that need a write.
  private mutating func checkNothingWritten(_ node: SyntaxNode) {
    for element in node.elements ?? [node] {
      if element.plainText == "log" { error(element, "'log' logs a write, but this rule is not about a write") }
      for pair in element.pairs ?? [] where pair.name == "copy" {
        error(pair.key, "'copy' copies a write, but this rule is not about a write")
      }
    }
  }

  private mutating func trigger(_ node: SyntaxNode, isInState: Bool, own: CharacteristicIndex?) -> Rule.Trigger? {
    guard node.pairs != nil else {
      let words = Language.triggerWords + (own == nil ? [] : Language.ownTriggerWords)
      guard let word = oneOf(node, words) else { return nil }
      if let own, Language.ownTriggerWords.contains(word) { return trigger(word, own, node) }
      switch word {
      case "start": return .start
      case "paged": return .paged
      case "connected": return .connected
      case "disconnected": return .disconnected
      case "lost": return .lost
      case "paired": return .paired
      case "asleep": return .asleep
      case "awake": return .awake
      default:
        if !isInState { error(node, "'\(word)' is only for rules of a state") }
        return word == "entered" ? .entered : .left
      }
    }
    guard let keys = keys(node, Language.trigger) else { return nil }
    let heads = Language.trigger.names.filter { $0 != "until" && keys[$0] != nil }
    guard heads.count == 1, let head = heads.first, let value = keys[head] else {
      let known = Language.trigger.names.filter { $0 != "until" }.joined(separator: ", ")
      error(node, "expected exactly one trigger (known: \(known))")
      return nil
    }
    if head != "becomes", let until = keys.key("until") { error(until, "'until' needs 'becomes'") }
    switch head {
    case "button": return button(value).map { .button($0) }
    case "every": return duration(keys, head).map { .every($0) }
    case "at": return timeOfDay(value).map { .at(second: $0) }
    case "becomes":
      let condition = expression(value)
      let until = keys["until"].map { expression($0) }
      guard let condition, until == nil || until != .some(nil) else { return nil }
      return .becomes(condition, until: until ?? nil)
    default: return reference(value).flatMap { trigger(head, $0, value) }
    }
  }

  /// Returns a trigger for a characteristic, after checking that the characteristic supports it.
  private mutating func trigger(
    _ word: String, _ index: CharacteristicIndex, _ node: SyntaxNode
  ) -> Rule.Trigger? {
    let loaded = characteristics[index.position]
    switch word {
    case "written":
      if loaded.properties.isDisjoint(with: .anyWrite) {
        error(node, "it cannot be written: the properties lack 'write' or 'write-without-response'")
      }
      return .written(index)
    case "read":
      if !loaded.properties.contains(.read) { error(node, "its properties lack 'read'") }
      return .read(index)
    default:
      if loaded.behavior.notify == nil, loaded.behavior.indicate == nil {
        error(node, "it cannot be subscribed to: its properties lack 'notify' and 'indicate'")
      }
      return word == "subscribed" ? .subscribed(index) : .unsubscribed(index)
    }
  }

  /// Reads the name of a button.
  mutating func button(_ node: SyntaxNode) -> String? {
    guard let name = text(node) else { return nil }
    guard Self.isIdentifier(name) else {
      error(node, "the name of a button consists of letters, digits, '-' and '_', not '\(name)'")
      return nil
    }
    return name
  }

  /// Reads a time of day, in seconds after midnight.
  private mutating func timeOfDay(_ node: SyntaxNode) -> Int? {
    let parts = (node.text ?? "").split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part.count == 2 ? Int(part) : nil }
    guard numbers.count == parts.count, (2...3).contains(numbers.count), (0...23).contains(numbers[0]),
      numbers.dropFirst().allSatisfy({ (0...59).contains($0) })
    else {
      error(node, "expected a time of day such as \"07:30\" or \"07:30:15\", not \(node.kindName)")
      return nil
    }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
  }
}
