import BLEATT
import BLECore
import BLEGATT

extension ProfileLoader {
  /// The names that a command may refer to.
  struct CommandScope {
    var parameters: [ControlPoint.Parameter] = []
    /// The table of the record that a check finds.
    var table: RecordTable?
    /// The outcome of checks that do not specify one.
    var malformed: ControlPoint.Refusal
  }

  /// Loads a control point, after all ids are known.
  mutating func controlPoint(_ node: SyntaxNode, on own: CharacteristicIndex) -> ControlPoint? {
    guard let keys = keys(node, Language.controlPoint) else { return nil }
    self.scope.absent.remove(.written)
    defer { self.scope = ExpressionScope() }
    let answer = keys["answer"].map { reference($0) } ?? own
    let response = keys["response"].map { parts($0, CommandScope(malformed: .result(0))) }
    let unknown = keys["unknown"].flatMap { refusal($0) }
    let malformed = keys["malformed"].flatMap { refusal($0) }
    let scope = CommandScope(malformed: malformed ?? .result(0))
    var commands: [ControlPoint.Command] = []
    for element in keys["commands"].flatMap({ list($0) }) ?? [] {
      guard let command = command(element, scope) else { continue }
      if let place = element.value(of: "opcode"), commands.contains(where: { $0.opcode == command.opcode }) {
        error(place, "an earlier command has the opcode \(command.opcode), too")
      }
      commands.append(command)
    }
    guard let answer, let unknown, let malformed else { return nil }
    let behavior = characteristics[answer.position].behavior
    let answers = response != nil || commands.contains { $0.response != nil }
    if answers, behavior.notify == nil, behavior.indicate == nil {
      error(
        keys["answer"] ?? keys.key("response") ?? node,
        "responses need a characteristic with the property 'notify' or 'indicate'")
    }
    let success = integer(keys, "success") ?? 1
    return ControlPoint(
      answer: answer, isIndicated: behavior.indicate != nil, response: response,
      success: UInt8(truncatingIfNeeded: success), unknown: unknown, malformed: malformed,
      busy: keys["busy"].flatMap { refusal($0) }, unsubscribed: keys["unsubscribed"].flatMap { refusal($0) },
      commands: commands)
  }

  mutating func refusal(_ node: SyntaxNode) -> ControlPoint.Refusal? {
    guard let keys = keys(node, Language.outcome) else { return nil }
    switch (keys["error"], keys["result"]) {
    case (let code?, nil): return errorCode(code).map { .error($0) }
    case (nil, let result?): return integer(result, keys.table, "result").map { .result(UInt8(truncatingIfNeeded: $0)) }
    default:
      error(node, "expected either 'error' or 'result'")
      return nil
    }
  }

  private mutating func command(_ node: SyntaxNode, _ outer: CommandScope) -> ControlPoint.Command? {
    guard let keys = keys(node, Language.command), let opcodeNode = keys["opcode"],
      let opcode = integer(opcodeNode, keys.table, "opcode")
    else { return nil }
    var scope = outer
    scope.table = keys["require"]?.elements?.compactMap { $0.value(of: "row")?.text }.first
      .flatMap { name in tables.first { $0.id == name } }
    if let node = keys["parameters"] { scope.parameters = parameters(node, scope) }
    self.scope.parameters = scope.parameters.map(\.name)
    defer { self.scope.parameters = [] }
    let checks = (keys["require"].flatMap { list($0) } ?? []).compactMap { check($0, scope) }
    let effects = keys["do"].map { commandEffects($0, scope) } ?? []
    return ControlPoint.Command(
      opcode: UInt8(truncatingIfNeeded: opcode),
      isPossibleWhileBusy: keys["while-busy"].flatMap { boolean($0) } ?? false, parameters: scope.parameters,
      checks: checks, effects: effects,
      response: keys["response"].map { parts($0, scope) })
  }

  // MARK: Parameters

  private mutating func parameters(_ node: SyntaxNode, _ scope: CommandScope) -> [ControlPoint.Parameter] {
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from parameters to formats, not \(node.kindName)")
      return []
    }
    var parameters: [ControlPoint.Parameter] = []
    for (index, pair) in pairs.enumerated() {
      guard let kind = parameterKind(pair.value, scope) else { continue }
      if Self.responseWords.contains(pair.name) { error(pair.key, "'\(pair.name)' has another meaning in responses") }
      let isOpen =
        switch kind {
        case .value(let format): !format.isSelfDelimiting
        case .terminatedText: false
        case .attributes, .records: true
        }
      if isOpen, index < pairs.count - 1 { error(pair.value, "only the last parameter may extend to the end") }
      parameters.append(.init(name: pair.name, kind: kind))
    }
    return parameters
  }

  private mutating func parameterKind(
    _ node: SyntaxNode, _ scope: CommandScope
  ) -> ControlPoint.Parameter.Kind? {
    if node.value(of: "terminated") != nil {
      guard let keys = keys(node, Language.terminatedParameter), let format = keys["terminated"] else { return nil }
      return oneOf(format, ["utf8"]).map { _ in .terminatedText }
    }
    if node.value(of: "records") != nil { return recordSelector(node, scope).map { .records($0) } }
    guard node.value(of: "attributes") != nil else { return format(node).map { .value($0) } }
    guard let keys = keys(node, Language.attributeParameter), let listNode = keys["attributes"] else { return nil }
    guard let table = scope.table else {
      error(node, "attributes come from a record, but there is no check with 'row'")
      return nil
    }
    var attributes: [ControlPoint.Attribute] = []
    for element in list(listNode) ?? [] {
      guard let keys = self.keys(element, Language.attribute), let numberNode = keys["number"],
        let number = integer(numberNode, keys.table, "number"), let columnNode = keys["column"],
        let column = column(columnNode, table)
      else { continue }
      if attributes.contains(where: { $0.number == number }) {
        error(numberNode, "the number \(number) is given twice")
      }
      attributes.append(
        .init(
          number: UInt8(truncatingIfNeeded: number), column: column,
          hasMaximum: keys["maximum"].flatMap { boolean($0) } ?? false,
          isSize: keys["size"].flatMap { boolean($0) } ?? false))
    }
    return .attributes(attributes, unknown: keys["else"].flatMap { refusal($0) } ?? scope.malformed)
  }

  private mutating func parameter(_ node: SyntaxNode, _ scope: CommandScope) -> ControlPoint.Parameter? {
    guard let name = text(node) else { return nil }
    if let parameter = scope.parameters.first(where: { $0.name == name }) { return parameter }
    let known = scope.parameters.map(\.name)
    error(node, "there is no parameter '\(name)'\(known.isEmpty ? "" : hint(for: name, among: known))")
    return nil
  }

  private mutating func column(_ node: SyntaxNode, _ table: RecordTable?) -> String? {
    guard let table else {
      error(node, "a column comes from a record, but there is no check with 'row'")
      return nil
    }
    guard let name = text(node) else { return nil }
    let known = table.columns.map(\.name)
    guard known.contains(name) else {
      error(node, "'\(table.id)' has no column '\(name)'\(hint(for: name, among: known))")
      return nil
    }
    return name
  }

  // MARK: Checks

  private mutating func check(_ node: SyntaxNode, _ scope: CommandScope) -> ControlPoint.Check? {
    guard let keys = keys(node, Language.check) else { return nil }
    let heads = ["parameter", "row", "filled", "filled-by", "found", "subscribed", "channel", "value", "if"].filter {
      keys[$0] != nil
    }
    guard heads.count == 1 else {
      error(
        node,
        "expected one of 'parameter', 'row', 'filled', 'filled-by', 'found', 'subscribed', 'channel', 'value' and 'if'")
      return nil
    }
    let refusal = keys["else"].map { self.refusal($0) } ?? scope.malformed
    guard let condition = condition(keys, node, scope), let refusal else { return nil }
    return ControlPoint.Check(condition: condition, refusal: refusal)
  }

  private mutating func condition(
    _ keys: Keys, _ node: SyntaxNode, _ scope: CommandScope
  ) -> ControlPoint.Condition? {
    if let name = keys["row"] {
      guard let table = table(name), let keyNode = keys["key"] else {
        if keys["key"] == nil { error(node, "the key 'key' is missing") }
        return nil
      }
      return parameter(keyNode, scope).map { .row(table: table.id, parameter: $0.name) }
    }
    if let text = keys["if"] { return expression(text).map { .expression($0) } }
    if let name = keys["channel"] { return outlet(name).map { .channel($0) } }
    if let name = keys["filled"] { return column(name, scope.table).map { .filled(column: $0) } }
    if let name = keys["filled-by"] { return parameter(name, scope).map { .filledColumn(parameter: $0.name) } }
    if let name = keys["found"] {
      guard let parameter = parameter(name, scope) else { return nil }
      if case .records = parameter.kind { return .found(parameter: parameter.name) }
      error(name, "'\(parameter.name)' does not select records")
      return nil
    }
    if let name = keys["subscribed"] {
      guard let index = reference(name) else { return nil }
      let behavior = characteristics[index.position].behavior
      if behavior.notify == nil, behavior.indicate == nil { error(name, "it cannot be subscribed to") }
      return .subscribed(index)
    }
    if let name = keys["value"] {
      guard let index = reference(name), let value = keys["is"] else {
        if keys["is"] == nil { error(node, "the key 'is' is missing") }
        return nil
      }
      let format = characteristics[index.position].behavior.format
      return constant(value, format).map { .value(index, Self.normal($0, format)) }
    }
    guard let name = keys["parameter"], let parameter = parameter(name, scope) else { return nil }
    if let values = keys["in"] {
      guard case .value(let format) = parameter.kind else {
        error(name, "'in' needs a parameter with a format")
        return nil
      }
      let constants = (list(values) ?? []).compactMap { constant($0, format) }.map { Self.normal($0, format) }
      return .oneOf(parameter: parameter.name, constants)
    }
    guard keys["from"] != nil || keys["to"] != nil else {
      error(node, "'in', or 'from' and 'to', is missing")
      return nil
    }
    let from = keys["from"].map { number($0) } ?? -Double.infinity
    let to = keys["to"].map { number($0) } ?? Double.infinity
    guard let from, let to else { return nil }
    guard from <= to else {
      error(node, "'from' is greater than 'to'")
      return nil
    }
    return .within(parameter: parameter.name, from...to)
  }

  /// Returns a value in the form that decoding produces.
  private static func normal(_ value: ProfileValue, _ format: ValueFormat) -> ProfileValue {
    (try? format.encode(value)).map { format.decode($0) } ?? value
  }

  // MARK: Effects

  private mutating func commandEffects(_ node: SyntaxNode, _ scope: CommandScope) -> [ControlPoint.Effect] {
    var result: [ControlPoint.Effect] = []
    for element in node.elements ?? [node] {
      guard let pairs = element.pairs else {
        guard let word = oneOf(element, Language.commandWords) else { continue }
        switch word {
        case "remove-row":
          if scope.table == nil { error(element, "this removes a record, but there is no check with 'row'") }
          result.append(.removeRow)
        case "stop": result.append(.stop)
        default: if let effect = wordEffect(element) { result.append(.write(effect)) }
        }
        continue
      }
      guard let known = keys(element, Language.commandEffect) else { continue }
      for pair in pairs where known[pair.name] != nil { result += commandEffect(pair, scope) }
    }
    return result
  }

  private mutating func commandEffect(_ pair: SyntaxPair, _ scope: CommandScope) -> [ControlPoint.Effect] {
    switch pair.name {
    case "assign": return (mapping(pair.value) ?? []).compactMap { assignment($0, scope) }
    case "clear": return records(pair.value, scope).map { [.clear($0)] } ?? []
    case "send":
      return (mapping(pair.value) ?? []).compactMap { sent in
        guard let records = records(sent.key, scope), let index = reference(sent.value) else { return nil }
        let behavior = characteristics[index.position].behavior
        if behavior.notify == nil, behavior.indicate == nil {
          error(sent.value, "its properties lack 'notify' and 'indicate'")
        }
        return .send(records, index)
      }
    default: return effects(pair).map { .write($0) }
    }
  }

  private mutating func mapping(_ node: SyntaxNode) -> [SyntaxPair]? {
    if node.pairs == nil { error(node, "expected a mapping, not \(node.kindName)") }
    return node.pairs
  }

  /// Reads an assignment of a parameter to a characteristic or field of the same format.
  private mutating func assignment(_ pair: SyntaxPair, _ scope: CommandScope) -> ControlPoint.Effect? {
    let names = pair.name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    let target = pair.key.with(.scalar(names[0], isQuoted: false))
    guard let index = reference(target), let parameter = parameter(pair.value, scope) else { return nil }
    var format = characteristics[index.position].behavior.format
    if names.count == 2 {
      let fields = format.fields ?? []
      guard let field = fields.first(where: { $0.name == names[1] }) else {
        error(
          pair.key,
          "'\(names[0])' has no field '\(names[1])'\(hint(for: names[1], among: fields.map(\.name)))")
        return nil
      }
      format = field.format
    }
    guard parameter.kind == .value(format) || (parameter.kind == .terminatedText && format == .text) else {
      error(pair.value, "the formats of '\(parameter.name)' and '\(pair.name)' differ")
      return nil
    }
    return .assign(index, field: names.count == 2 ? names[1] : nil, parameter: parameter.name)
  }

  // MARK: Responses

  /// The words with a fixed meaning in responses.
  private static let responseWords = ["opcode", "result"]

  private mutating func parts(_ node: SyntaxNode, _ scope: CommandScope) -> [ControlPoint.ResponsePart] {
    (list(node) ?? []).compactMap { part($0, scope) }
  }

  private mutating func part(_ node: SyntaxNode, _ scope: CommandScope) -> ControlPoint.ResponsePart? {
    if node.pairs != nil {
      guard let keys = keys(node, Language.responsePart) else { return nil }
      if let name = keys["value"] { return reference(name).map { .value($0) } }
      if let name = keys["column"] { return column(name, scope.table).map { .column($0) } }
      if let name = keys["count"] { return records(name, scope).map { .count($0) } }
      if let text = keys["compute"] { return expression(text).map { .computed($0) } }
      error(node, "expected one of 'value', 'column', 'count' and 'compute'")
      return nil
    }
    switch node.plainText {
    case "opcode": return .opcode
    case "result": return .result
    case let text? where Self.isIdentifier(text) && text.first?.isNumber == false:
      return parameter(node, scope).map { .parameter($0.name) }
    default: return octets(node).map { .octets($0.octets) }
    }
  }
}
