import BLEATT
import BLECore
import BLEHCI
import Faults

extension ProfileLoader {
  /// Loads the steps of a node: one step, or those that it repeats.
  mutating func steps(_ node: SyntaxNode, _ context: ScenarioContext) -> [ScenarioStep] {
    let keys: Keys
    var word = ""
    if let plain = node.plainText, Language.scenarioActions.contains(plain) {
      (keys, word) = (Keys(), plain)
    } else {
      guard node.pairs != nil else {
        error(node, "expected a step such as 'connect' or '{ read: ID }', not \(node.kindName)")
        return []
      }
      // `value` is also a key of other actions. It is an action only if there is no other one.
      var given = Language.scenarioActions.filter { node.value(of: $0) != nil }
      if given.count > 1 { given.removeAll { $0 == "value" } }
      let only = given.count == 1 ? given.first : nil
      let suggested = only.map { [$0] + Language.scenarioStepKeys(beside: $0) }
      guard let known = self.keys(node, Language.scenarioStep, suggesting: suggested) else { return [] }
      keys = known
      guard let only else {
        refuse(given, keys, node)
        return []
      }
      word = only
      checkKeys(keys, of: word)
    }
    if word == "repeat" { return repeated(keys, context) }
    guard let action = scenarioAction(word, keys[word] ?? node, keys, context) else { return [] }
    let limit = (keys["within"] ?? keys["for"] ?? (word == "wait" ? keys["wait"] : nil)).flatMap {
      duration($0, Language.scenarioStep, "within")
    }
    return [
      ScenarioStep(
        action: action, phone: keys["phone"].flatMap { text($0) } ?? "phone", limit: limit ?? context.within,
        line: node.line, text: node.summary)
    ]
  }

  /// Reports a step with no action, or with several.
  private mutating func refuse(_ given: [String], _ keys: Keys, _ node: SyntaxNode) {
    for word in given where given.contains("expect") {
      guard let meant = Language.scenarioExpectations[word], let key = keys.key("expect") else { continue }
      return error(
        key,
        "'\(word)' takes no 'expect', did you mean '\(meant)'? 'expect' is a step of its own, which waits for an event")
    }
    guard given.isEmpty else {
      let list = given.map { "'\($0)'" }.joined(separator: " and ")
      return error(node, "a step has exactly one action, not \(list): make each a step of its own")
    }
    error(node, "a step has exactly one action (known: \(Language.scenarioActions.joined(separator: ", ")))")
  }

  /// Rejects a mapping or list as the value of an action that has none, because nothing would read it.
  private mutating func checkValue(_ value: SyntaxNode?, of word: String) {
    guard let value, value.text == nil, Language.bareScenarioActions.contains(word) else { return }
    let beside = Language.scenarioStepKeys(beside: word).sorted()
    let example = value.pairs?.map(\.name).first { beside.contains($0) } ?? "phone"
    error(
      value,
      "expected any, not \(value.kindName): other keys stand beside '\(word)', as in { \(word): any, \(example): … } "
        + "(known: \(beside.joined(separator: ", ")))")
  }

  /// Rejects keys that an action does not use, because nothing would check them.
  private mutating func checkKeys(_ keys: Keys, of word: String) {
    let known = Language.scenarioStepKeys(beside: word)
    for name in Language.scenarioStep.names where name != word && !known.contains(name) {
      guard let key = keys.key(name) else { continue }
      let meant = name == "gives" ? Language.scenarioExpectations[word].map { ", did you mean '\($0)'?" } ?? "" : ""
      error(key, "'\(word)' takes no '\(name)'\(meant) (known: \(known.sorted().joined(separator: ", ")))")
    }
  }

  private mutating func repeated(_ keys: Keys, _ context: ScenarioContext) -> [ScenarioStep] {
    guard let times = integer(keys, "repeat"), let node = keys["steps"],
      let elements = list(node)
    else { return [] }
    var once: [ScenarioStep] = []
    for element in elements {
      once += steps(element, context)
      // The count is checked before the steps are created, because nested repetitions multiply.
      guard once.count <= Budget.steps.limit / max(1, Int(times)) else {
        error(node, "this \(Budget.steps.excess)")
        return []
      }
    }
    return (0..<Int(times)).flatMap { _ in once }
  }

  private mutating func scenarioAction(
    _ word: String, _ node: SyntaxNode, _ keys: Keys, _ context: ScenarioContext
  ) -> ScenarioAction? {
    checkValue(keys[word], of: word)
    switch word {
    case "connect": return connection(keys["connect"], transport(keys, context), outcome(keys))
    case "disconnect": return .disconnect
    case "disconnected":
      let isAny = node.text == nil || node.plainText == word || node.plainText == "any"
      return .awaitEnd(reason: isAny ? nil : integer(node, keys.table, word).map { UInt8(truncatingIfNeeded: $0) })
    case "exchange-mtu":
      let mtu = keys["gives"].flatMap { integer($0, 23...0xFFFF) }
      return .exchangeMTU(mtu.map { .mtu(Int($0)) } ?? outcome(keys))
    case "discover", "records":
      let found = (keys["has"].flatMap { list($0) } ?? []).compactMap { text($0) }
      let missing = (keys["lacks"].flatMap { list($0) } ?? []).compactMap { text($0) }
      if word == "discover" { return .discover(has: found, lacks: missing, outcome(keys)) }
      requireClassic(keys.key("records") ?? node, context)
      return .records(has: found, lacks: missing, outcome(keys))
    case "pair":
      return .pair(
        anew: keys["anew"].flatMap { boolean($0) } ?? false, passkey: keys["passkey"].flatMap { passkey($0, keys) },
        outcome(keys))
    case "forget": return .forget
    case "drop": return .drop
    case "press": return text(node).map { .press($0) }
    case "wait": return .wait
    case "scan":
      return .scan(
        ScenarioScan(
          transport: transport(keys, context), name: keys["name"].flatMap { text($0) },
          data: keys["data"].flatMap { octets($0)?.octets }, isHeard: keys["heard"].flatMap { boolean($0) } ?? true))
    case "air": return air(node)
    case "fault", "inject", "disarm": return faultAction(word, node, keys, context)
    case "expect", "expect-none", "never":
      let isPhone = isOfPhone(keys)
      guard node.pairs != nil else { break }
      switch word {
      case "expect": return .expect(eventFields(node), ofPhone: isPhone)
      case "expect-none": return .expectNone(eventFields(node), ofPhone: isPhone)
      default: return .never(eventFields(node), ofPhone: isPhone)
      }
    case "expect-all": return list(node).map { .expectAll($0.map { eventFields($0) }, ofPhone: isOfPhone(keys)) }
    case "open", "send", "received", "close": return channelAction(word, node, keys, context)
    default: return valueAction(word, node, keys, context)
    }
    error(node, "expected fields of an event, such as { event: write, characteristic: lock }")
    return nil
  }

  private mutating func isOfPhone(_ keys: Keys) -> Bool {
    keys["of"].flatMap { oneOf($0, ["accessory", "phone"]) } == "phone"
  }

  private mutating func passkey(_ node: SyntaxNode, _ keys: Keys) -> ScenarioPasskey? {
    guard let text = node.plainText, Numbers.integer(text) == nil else {
      return integer(node, keys.table, "passkey").map { .digits(UInt32(truncatingIfNeeded: $0)) }
    }
    return oneOf(node, ["displayed"]).map { _ in .displayed }
  }

  private mutating func connection(
    _ node: SyntaxNode?, _ transport: LinkTransport, _ outcome: ScenarioOutcome
  ) -> ScenarioAction? {
    var connection = ScenarioConnection(transport: transport)
    if let node, node.pairs != nil {
      guard let keys = keys(node, Language.scenarioLink) else { return nil }
      if transport == .classic { error(node, "the parameters of a link are those of LE, and this is over BR/EDR") }
      connection.interval = duration(keys, "interval")
      connection.latency = Int(integer(keys, "latency") ?? 0)
      connection.timeout = duration(keys, "timeout")
    } else if let node, node.elements != nil {
      error(node, "expected any or a mapping such as { interval: 50 ms }, not a list")
    }
    return .connect(connection, outcome)
  }

  private mutating func transport(_ keys: Keys, _ context: ScenarioContext) -> LinkTransport {
    guard let node = keys["transport"], oneOf(node, ["le", "br-edr"]) == "br-edr" else { return .le }
    requireClassic(node, context)
    return .classic
  }

  private mutating func requireClassic(_ node: SyntaxNode, _ context: ScenarioContext) {
    guard context.profile.classic == nil else { return }
    error(node, "the accessory uses LE alone: give its profile 'transports: [le, br-edr]'")
  }

  private mutating func air(_ node: SyntaxNode) -> ScenarioAction? {
    if node.plainText != nil {
      return oneOf(node, ["good", "unreachable"]).map { .air(loss: 0, isReachable: $0 == "good") }
    }
    guard let loss = node.value(of: "loss") else {
      error(node, "expected good, unreachable or { loss: 20% }, not \(node.kindName)")
      return nil
    }
    return probability(loss).map { .air(loss: $0, isReachable: true) }
  }

  private mutating func faultAction(
    _ word: String, _ node: SyntaxNode, _ keys: Keys, _ context: ScenarioContext
  ) -> ScenarioAction? {
    let names = context.profile.faultNames
    switch word {
    case "fault": return fault(node, number: node.line, names).map { .arm($0) }
    case "inject":
      guard let action = action(node, names) else { return nil }
      let occasion = FaultOccasion.elapsed(.zero)
      if let reason = action.misfit(to: occasion) { error(node, reason) }
      var fault = Fault(id: "inject-\(node.line)", on: occasion, do: action)
      fault.timing.limit = 1
      return .arm(fault)
    default:
      guard let id = text(node) else { return nil }
      return .disarm(id == "all" ? nil : id)
    }
  }

  private mutating func channelAction(
    _ word: String, _ node: SyntaxNode, _ keys: Keys, _ context: ScenarioContext
  ) -> ScenarioAction? {
    guard let id = text(node) else { return nil }
    let known = context.profile.channels.map(\.id)
    guard known.contains(id) else {
      error(node, "there is no channel '\(id)'\(hint(for: id, among: known))")
      return nil
    }
    switch word {
    case "open": return .open(id, outcome(keys))
    case "close": return .closeChannel(id)
    default:
      guard let value = keys["value"] else {
        error(node, "the key 'value' is missing")
        return nil
      }
      guard let octets = octets(value)?.octets else { return nil }
      return word == "send" ? .send(id, octets, outcome(keys)) : .received(id, octets)
    }
  }

  // MARK: Values

  private mutating func valueAction(
    _ word: String, _ node: SyntaxNode, _ keys: Keys, _ context: ScenarioContext
  ) -> ScenarioAction? {
    if word == "set" { return settings(node, context) }
    guard let id = text(node) else { return nil }
    let isOfCentral = ["read", "write", "subscribe", "unsubscribe", "notified", "not-notified"].contains(word)
    let known = context.profile.behaviors.map(\.id) + (isOfCentral ? ScenarioContext.hostCharacteristics : [])
    guard let format = context.format(of: id) ?? (known.contains(id) ? .octets : nil) else {
      error(node, "there is no characteristic '\(id)'\(hint(for: id, among: known))")
      return nil
    }
    switch word {
    case "read": return .read(id, outcome(keys, format))
    case "write":
      guard let value = keys["value"].flatMap({ encoded($0, format) }) else {
        if keys["value"] == nil { error(node, "'write' needs a 'value'") }
        return nil
      }
      let isCommand = keys["without-response"].flatMap { boolean($0) } ?? false
      return .write(id, value, withResponse: !isCommand, outcome(keys))
    case "subscribe":
      return .subscribe(id, indications: keys["indications"].flatMap { boolean($0) } ?? false, outcome(keys))
    case "unsubscribe": return .unsubscribe(id, outcome(keys))
    case "notified":
      let nodes = keys["values"].flatMap { list($0) } ?? keys["value"].map { [$0] } ?? []
      return .notified(id, nodes.isEmpty ? [nil] : nodes.map { $0.plainText == "any" ? nil : expected($0, format) })
    case "not-notified": return .notNotified(id)
    case "value":
      guard let value = keys["is"].flatMap({ expected($0, format) }) else {
        if keys["is"] == nil { error(node, "'value' needs 'is'") }
        return nil
      }
      return .value(id, value)
    default: return .push(id, indicating: word == "indicate")
    }
  }

  private mutating func settings(_ node: SyntaxNode, _ context: ScenarioContext) -> ScenarioAction? {
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from characteristics to values, not \(node.kindName)")
      return nil
    }
    var values: [(id: String, octets: [UInt8])] = []
    for pair in pairs {
      guard let format = context.format(of: pair.name) else {
        let known = context.profile.behaviors.map(\.id)
        error(pair.key, "there is no characteristic '\(pair.name)'\(hint(for: pair.name, among: known))")
        continue
      }
      if let value = encoded(pair.value, format) { values.append((pair.name, value)) }
    }
    return .set(values)
  }

  /// Reads the expected outcome of a step. `format` is that of its result.
  private mutating func outcome(_ keys: Keys, _ format: ValueFormat? = nil) -> ScenarioOutcome {
    if let node = keys["gives"] {
      if let key = keys.key("fails") { error(key, "'gives' and 'fails' cannot be combined") }
      guard let format else {
        error(node, "this step has no result")
        return .succeeds
      }
      return expected(node, format).map { .gives($0) } ?? .succeeds
    }
    guard let node = keys["fails"] else { return .succeeds }
    switch node.plainText {
    case "true": return .fails
    case "false": return .succeeds
    case "maybe": return .any
    case "timeout": return .timesOut
    case "cut": return .cut
    case "violation": return .violation
    default: return errorCode(node).map { .refused($0.rawValue) } ?? .fails
    }
  }
}
