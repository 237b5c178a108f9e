import BLEATT
import BLECore
import BLEGAP
import BLEGATT

/// The effects of rules.
extension ProfileLoader {
  /// Loads one effect, or a list of effects in order. `error` is the response to a write.
  mutating func outcome(
    _ node: SyntaxNode, _ table: KeyTable = Language.effect
  ) -> (error: ATTErrorCode?, effects: [RuleEffect]) {
    var result: (error: ATTErrorCode?, effects: [RuleEffect]) = (nil, [])
    for element in node.elements ?? [node] {
      guard element.pairs != nil else {
        if let effect = wordEffect(element) { result.effects.append(effect) }
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

  /// Loads an effect that consists of a single word.
  mutating func wordEffect(_ node: SyntaxNode) -> RuleEffect? {
    switch oneOf(node, Language.effectWords) {
    case "log": .log
    case "disconnect": .device(.disconnect)
    case "restart": .device(.restart)
    case "sleep": .sleep(true)
    case "wake": .sleep(false)
    default: nil
    }
  }

  mutating func effects(_ pair: SyntaxPair) -> [RuleEffect] {
    switch pair.name {
    case "reset": return reset(pair.value).map { [$0] } ?? []
    case "set": return settings(pair.value)
    case "copy": return reference(pair.value).map { [.copy($0)] } ?? []
    case "notify": return notifying(pair.value).map { [.notify($0)] } ?? []
    case "indicate":
      guard let index = reference(pair.value) else { return [] }
      if characteristics[index.position].behavior.indicate == nil {
        error(pair.value, "its properties lack 'indicate'")
      }
      return [.indicate(index)]
    case "reply": return replies(pair.value)
    case "add": return additions(pair.value)
    case "transmit": return transmissions(pair.value)
    case "enter": return one(of: stateNames, pair.value, "state").map { [.enter($0.place)] } ?? []
    default: return deviceAction(pair).map { [.device($0)] } ?? []
    }
  }

  private mutating func notifying(_ node: SyntaxNode) -> CharacteristicIndex? {
    guard let index = reference(node) else { return nil }
    if characteristics[index.position].behavior.notify == nil { error(node, "its properties lack 'notify'") }
    return index
  }

  private mutating func deviceAction(_ pair: SyntaxPair) -> DeviceAction? {
    let node = pair.value
    switch pair.name {
    case "advertise", "stop-advertising":
      return one(of: setNames, node, "advertising set").map {
        .advertise(set: $0.name, isOn: pair.name == "advertise")
      }
    case "publish", "withdraw":
      return one(of: channelNames, node, "channel").map { .publish(channel: $0.name, isOn: pair.name == "publish") }
    case "add-service", "remove-service":
      return one(of: serviceIDs.keys.sorted(), node, "service").map {
        .service(id: $0.name, isPresent: pair.name == "add-service")
      }
    case "discoverable", "connectable":
      // A part for a running accessory does not know its transports; there the effect fails when it occurs.
      guard usesClassic || ownTransports.isEmpty else {
        error(pair.key, "this needs BR/EDR: 'transports: [le, br-edr]'")
        return nil
      }
      guard pair.name == "connectable" else { return .setModes(ClassicModes(discoverability: discoverability(node))) }
      return boolean(node).map { .setModes(ClassicModes(isConnectable: $0)) }
    case "forget-bonds":
      return oneOf(node, DeviceAction.Bonded.allCases.map(\.rawValue)).flatMap { DeviceAction.Bonded(rawValue: $0) }
        .map { .forgetBonds(of: $0) }
    default: return nil
    }
  }

  /// Reads one of the names that the profile defines.
  private mutating func one(of names: [String], _ node: SyntaxNode, _ kind: String) -> (place: Int, name: String)? {
    guard let name = text(node) else { return nil }
    guard let place = names.firstIndex(of: name) else {
      let hint = names.isEmpty ? "; the profile has none" : self.hint(for: name, among: names)
      error(node, "there is no \(kind) '\(name)'\(hint)")
      return nil
    }
    return (place, name)
  }

  private mutating func reset(_ node: SyntaxNode) -> RuleEffect? {
    guard let text = text(node) else { return nil }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    guard let index = reference(parts[0], node) else { return nil }
    guard parts.count == 2 else { return .reset(index, field: nil) }
    let names = (characteristics[index.position].behavior.format.fields ?? []).map(\.name)
    guard names.contains(parts[1]) else {
      error(node, "'\(parts[0])' has no field '\(parts[1])'\(hint(for: parts[1], among: names))")
      return nil
    }
    return .reset(index, field: parts[1])
  }

  // MARK: Values

  private mutating func settings(_ node: SyntaxNode) -> [RuleEffect] {
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from characteristics to values, not \(node.kindName)")
      return []
    }
    return pairs.compactMap { pair in
      if characteristicPlaces[pair.name] == nil, let variable = variablePlaces[pair.name] {
        return variableValue(pair.value, variables[variable]).map { .assign(variable: variable, $0) }
      }
      guard let index = reference(pair.name, pair.key, orVariable: true),
        let value = setting(pair.value, characteristics[index.position].behavior.format)
      else { return nil }
      return value.constant.map { .set(index, $0) } ?? .compute(index, value)
    }
  }

  /// Reads a constant or a computed value for a variable, or as data to send.
  private mutating func variableValue(_ node: SyntaxNode, _ variable: Variable? = nil) -> ComputedValue? {
    guard node.pairs == nil else { return computed(node) }
    guard let value = plainValue(node) else { return nil }
    if case .string = value {
      if let variable { checkText(node, for: variable) } else { warnOfExpression(node) }
    }
    return .constant(value)
  }

  /// Reads `{ compute: EXPRESSION }`.
  private mutating func computed(_ node: SyntaxNode) -> ComputedValue? {
    guard let keys = keys(node, Language.computedValue), let text = keys["compute"] else { return nil }
    return expression(text).map { .expression($0) }
  }

  private mutating func replies(_ node: SyntaxNode) -> [RuleEffect] {
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from characteristics to values, not \(node.kindName)")
      return []
    }
    return pairs.compactMap { pair in
      guard let index = notifying(pair.key),
        let value = setting(pair.value, characteristics[index.position].behavior.format)
      else { return nil }
      return .reply(index, value)
    }
  }

  /// Reads channels with the handler `rules`, and the data to send on them.
  private mutating func transmissions(_ node: SyntaxNode) -> [RuleEffect] {
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from channels to octets, not \(node.kindName)")
      return []
    }
    return pairs.compactMap { pair in
      guard let channel = outlet(pair.key), let value = variableValue(pair.value) else { return nil }
      return .transmit(channel: channel, value)
    }
  }

  /// Reads a channel of the profile with the handler `rules`.
  mutating func outlet(_ node: SyntaxNode) -> String? {
    guard let name = one(of: channelNames, node, "channel")?.name else { return nil }
    guard outletNames.contains(name) else {
      error(node, "rules cannot send on '\(name)': it needs 'handler: rules'")
      return nil
    }
    return name
  }

  /// Reads records to add to tables: columns and their values, or an expression whose result has such fields.
  private mutating func additions(_ node: SyntaxNode) -> [RuleEffect] {
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from tables to records, not \(node.kindName)")
      return []
    }
    return pairs.compactMap { pair in
      guard let table = table(pair.key) else { return nil }
      guard pair.value.pairs != nil else {
        error(pair.value, "expected a mapping with columns of '\(table.id)', not \(pair.value.kindName)")
        return nil
      }
      return setting(pair.value, table.columns).map { .add(table: table.id, $0) }
    }
  }

  /// Reads a constant or a computed value; for a format with fields, possibly only some of them.
  private mutating func setting(_ node: SyntaxNode, _ format: ValueFormat) -> ComputedValue? {
    guard node.pairs != nil, let fields = format.fields else {
      if node.value(of: "compute") != nil { return computed(node) }
      return refuseExpression(node, for: format) ? nil : constant(node, format).map { .constant($0) }
    }
    return setting(node, fields)
  }

  /// Reads a computed value, or some fields of a value.
  private mutating func setting(_ node: SyntaxNode, _ fields: [ValueFormat.Field]) -> ComputedValue? {
    if node.value(of: "compute") != nil, !fields.contains(where: { $0.name == "compute" }) { return computed(node) }
    let pairs = node.pairs ?? []
    var values: [ComputedValue.Field] = []
    for pair in pairs {
      guard let field = fields.first(where: { $0.name == pair.name }) else {
        error(pair.key, "there is no field '\(pair.name)'\(hint(for: pair.name, among: fields.map(\.name)))")
        continue
      }
      if let value = setting(pair.value, field.format) { values.append(.init(name: field.name, value: value)) }
    }
    return values.count == pairs.count ? .fields(values) : nil
  }

  // MARK: References

  mutating func reference(_ node: SyntaxNode) -> CharacteristicIndex? {
    guard let id = text(node) else { return nil }
    return reference(id, node)
  }

  private mutating func reference(
    _ id: String, _ place: SyntaxNode, orVariable: Bool = false
  ) -> CharacteristicIndex? {
    guard let position = characteristicPlaces[id] else {
      let known = characteristics.map(\.behavior).filter(\.isPresent).map(\.id)
      let others = orVariable ? variables.map(\.name) : []
      error(place, "there is no characteristic '\(id)'\(hint(for: id, among: known + others))")
      return nil
    }
    let index = CharacteristicIndex(position)
    references.insert(index)
    return index
  }
}
