import BLECore
import BLEGAP
import BLEGATT
import Faults

extension ProfileLoader {
  /// Loads a scenario from its nodes. It continues after every error, as for a profile.
  mutating func scenario(_ root: SyntaxNode) -> Scenario? {
    guard let keys = keys(root, Language.scenario) else { return nil }
    if let node = keys["understudy-scenario"] { _ = integer(node, keys.table, "understudy-scenario") }
    let name = keys["name"].flatMap { text($0) } ?? ""
    let about = keys["about"].flatMap { text($0) } ?? ""
    guard let accessory = keys["accessory"], let profile = accessoryProfile(accessory, name: name) else { return nil }
    ownTransports = Set(usesLE: profile.usesLE, usesClassic: profile.classic != nil)
    let context = ScenarioContext(
      profile: profile, tags: texts(keys["tags"]), seed: seed(keys["seed"]) ?? 1,
      limit: span(keys["timeout"]) ?? .seconds(600), within: span(keys["within"]) ?? .seconds(60),
      parameters: parameters(keys["parameters"]), faults: keys["faults"], prepare: keys["prepare"])
    var cases: [ScenarioCase] = []
    for node in keys["cases"].flatMap({ list($0) }) ?? [] { cases += scenarioCases(node, context) }
    var names: Set<String> = []
    for entry in cases where !names.insert(entry.name).inserted {
      error(keys["cases"] ?? root, "there are two cases '\(entry.name)'")
    }
    return Scenario(
      file: source.name, name: name, about: about, profile: profile, persona: keys["phone"].flatMap { persona($0) },
      cases: cases, warnings: [])
  }

  private mutating func persona(_ node: SyntaxNode) -> CentralPersona? {
    guard let keys = keys(node, Language.scenarioPhone) else { return nil }
    return keys["as"].flatMap { oneOf($0, CentralPersona.all.map(\.name)) }.flatMap { .named($0) }
  }

  /// Loads the profile of a scenario. Errors in its file are reported with the lines of that file, and its warnings are dropped, because
  /// they may be intended.
  private mutating func accessoryProfile(_ node: SyntaxNode, name: String) -> Profile? {
    var random = SplitMix64(seed: 1)
    if node.pairs != nil {
      let root = node.profile(named: "Scenario")
      var loader = ProfileLoader(source: source, diagnostics: [])
      let profile = loader.profile(root)
      note(loader.sortedDiagnostics.filter { $0.severity == .error })
      return loader.hasError ? nil : profile?.assigningPSMs(random: &random)
    }
    guard let text = text(node) else { return nil }
    let folder = source.name.lastIndex(of: "/").map { source.name[...$0] } ?? ""
    let isFile = text.contains("/") || text.hasSuffix(".yaml")
    let place =
      isFile ? (text.hasPrefix("/") ? text : folder + text) : ShippedProfiles.list.first { $0.name == text }?.path
    guard let place else {
      let names = ShippedProfiles.list.map(\.name)
      error(node, "there is no shipped profile '\(text)'\(hint(for: text, among: names))")
      return nil
    }
    do throws(ProfileError) {
      return try Profile.load(contentsOf: place).assigningPSMs(random: &random)
    } catch {
      note(error.diagnostics)
      return nil
    }
  }

  // MARK: Cases

  private mutating func scenarioCases(_ node: SyntaxNode, _ context: ScenarioContext) -> [ScenarioCase] {
    guard let keys = keys(node, Language.scenarioCase) else { return [] }
    var combinations: [[(name: String, value: SyntaxNode)]] = [[]]
    for pair in keys["matrix"]?.pairs ?? [] {
      guard let values = list(pair.value) else { continue }
      // The count is checked before the combinations are created.
      let (count, isTooMuch) = combinations.count.multipliedReportingOverflow(by: values.count)
      guard !isTooMuch, count <= Budget.cases.limit else {
        error(keys["matrix"] ?? node, "this \(Budget.cases.excess)")
        return []
      }
      combinations = combinations.flatMap { chosen in values.map { chosen + [(pair.name, $0)] } }
    }
    guard spend(combinations.count, from: \.cases, keys["matrix"] ?? node) else { return [] }
    let own = parameters(keys["parameters"])
    return combinations.compactMap { chosen in
      var parameters = context.parameters.merging(own) { $1 }
      for (name, value) in chosen { parameters[name] = value }
      return scenarioCase(keys, context, parameters, chosen.map(\.name))
    }
  }

  private mutating func scenarioCase(
    _ keys: Keys, _ context: ScenarioContext, _ parameters: [String: SyntaxNode], _ chosen: [String]
  ) -> ScenarioCase? {
    guard let nameNode = keys["name"], var name = text(filled(nameNode, parameters)) else { return nil }
    if !chosen.isEmpty, nameNode.text?.contains("${") != true {
      name += " [\(chosen.map { "\($0)=\(parameters[$0]?.summary ?? "")" }.joined(separator: ", "))]"
    }
    let names = context.profile.faultNames
    var list: [Fault] = []
    var places: [String: String] = [:]
    for node in [context.faults, keys["faults"]].compactMap(\.self) {
      for var fault in faults(filled(node, parameters), names) {
        let place = faultPlaces[fault.id]
        if list.contains(where: { $0.id == fault.id }) { fault.id = "fault-\(list.count + 1)" }
        places[fault.id] = place
        list.append(fault)
      }
    }
    let isPrepared = keys["prepare"].flatMap { boolean($0) } ?? true
    let prepared = isPrepared ? steps(of: context.prepare, context, parameters) : []
    let own = steps(of: keys["steps"], context, parameters)
    if !own.contains(where: \.isExpectation) {
      warn(nameNode, "the case '\(name)' expects nothing of the accessory, so it cannot detect a failure")
    }
    return ScenarioCase(
      name: name, tags: context.tags + texts(keys["tags"]), seed: seed(keys["seed"]) ?? context.seed,
      limit: span(keys["timeout"]) ?? context.limit, faults: list, faultPlaces: places,
      steps: prepared + own)
  }

  private mutating func steps(
    of node: SyntaxNode?, _ context: ScenarioContext, _ parameters: [String: SyntaxNode]
  ) -> [ScenarioStep] {
    var steps: [ScenarioStep] = []
    for node in node.flatMap({ list($0) }) ?? [] {
      let more = self.steps(filled(node, parameters), context)
      guard spend(more.count, from: \.steps, node) else { break }
      steps += more
    }
    return steps
  }

  private mutating func seed(_ node: SyntaxNode?) -> UInt64? {
    node.flatMap { integer($0, Language.scenario, "seed") }.map { UInt64($0) }
  }

  private mutating func span(_ node: SyntaxNode?) -> Duration? {
    node.flatMap { duration($0, Language.scenario, "timeout") }
  }

  private mutating func texts(_ node: SyntaxNode?) -> [String] {
    guard let node, let elements = list(node) else { return [] }
    return elements.compactMap { text($0) }
  }

  // MARK: Parameters

  private mutating func parameters(_ node: SyntaxNode?) -> [String: SyntaxNode] {
    guard let node else { return [:] }
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from names to values, not \(node.kindName)")
      return [:]
    }
    return Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }
  }

  /// Replaces `${NAME}` in a node: a scalar that consists only of it by anything, and a part of a scalar by text.
  private mutating func filled(_ node: SyntaxNode, _ parameters: [String: SyntaxNode]) -> SyntaxNode {
    var filled = node
    guard spend(1, from: \.filled, node) else { return node.with(.scalar("", isQuoted: true)) }
    switch node.content {
    case .sequence(let elements): filled.content = .sequence(elements.map { self.filled($0, parameters) })
    case .mapping(let pairs):
      filled.content = .mapping(
        pairs.map { SyntaxPair(key: self.filled($0.key, parameters), value: self.filled($0.value, parameters)) })
    case .scalar(let text, let isQuoted):
      guard text.contains("${") else { break }
      if text.hasPrefix("${"), text.hasSuffix("}"), let value = parameters[String(text.dropFirst(2).dropLast())] {
        if spend(value.parts, from: \.filled, node) { filled.content = value.content }
        break
      }
      var result = ""
      var rest = text[...]
      while let begin = rest.firstRange(of: "${"), let end = rest[begin.upperBound...].firstIndex(of: "}") {
        let name = String(rest[begin.upperBound..<end])
        if parameters[name]?.text == nil {
          error(node, "there is no parameter '\(name)'\(hint(for: name, among: parameters.keys.sorted()))")
        }
        let text = parameters[name]?.text ?? ""
        if spend(text.utf8.count, from: \.filled, node) { result += rest[..<begin.lowerBound] + text }
        rest = rest[rest.index(after: end)...]
      }
      // YAML needs the quotes around a parameter in a flow mapping, so they say nothing about the text.
      filled.content = .scalar(result + rest, isQuoted: isQuoted && result.isEmpty)
    }
    return filled
  }
}

/// The common properties of a scenario's cases.
struct ScenarioContext {
  var profile: Profile
  var tags: [String]
  var seed: UInt64
  /// The time limits of a case, and of a step.
  var limit: Duration
  var within: Duration
  var parameters: [String: SyntaxNode]
  var faults: SyntaxNode?
  var prepare: SyntaxNode?

  /// The ids of characteristics that any accessory can have in addition to those of its profile. Centrals can use them too.
  static let hostCharacteristics =
    ServiceDefinition.genericAccess(name: "", appearance: 0, preferredParameters: nil).characteristics.map(\.id)
    + ServiceDefinition.genericAttribute(hasServiceChanged: true, hasRobustCaching: true).characteristics.map(\.id)

  /// Returns the format of a characteristic; nil if there is none with that id.
  func format(of id: String) -> ValueFormat? {
    profile.behaviors.first { $0.id == id }?.format
  }
}

/// The remaining budgets of a scenario.
struct ScenarioAllowances {
  var cases = Allowance(.cases)
  var steps = Allowance(.steps)
  var filled = Allowance(.filled)
}

extension ProfileLoader {
  /// Takes an amount from a budget of the scenario. Returns false if the budget is exceeded, and reports that once.
  mutating func spend(
    _ amount: Int, from kind: WritableKeyPath<ScenarioAllowances, Allowance>, _ node: SyntaxNode
  ) -> Bool {
    let hadSome = scenarioAllowances[keyPath: kind].left >= 0
    guard !scenarioAllowances[keyPath: kind].take(amount) else { return true }
    if hadSome { error(node, "this \(scenarioAllowances[keyPath: kind].budget.excess)") }
    return false
  }
}

extension SyntaxNode {
  /// The number of nodes and octets of text in the node.
  var parts: Int {
    switch content {
    case .scalar(let text, _): 1 + text.utf8.count
    case .sequence(let elements): elements.reduce(1) { $0 + $1.parts }
    case .mapping(let pairs): pairs.reduce(1) { $0 + $1.key.parts + $1.value.parts }
    }
  }

  /// A short description of the node, for the name of a case.
  var summary: String {
    switch content {
    case .scalar(let text, _): text
    case .sequence(let elements): "[\(elements.map(\.summary).joined(separator: " "))]"
    case .mapping(let pairs): "{\(pairs.map { "\($0.name): \($0.value.summary)" }.joined(separator: " "))}"
    }
  }

  /// The node as JSON. Unquoted scalars are numbers or keywords of JSON if possible.
  var json: ProfileValue {
    switch content {
    case .scalar(let text, let isQuoted):
      if isQuoted {
        .string(text)
      } else if isNull {
        .null
      } else if text == "true" || text == "false" {
        .bool(text == "true")
      } else if let number = Numbers.integer(text) {
        .int(number)
      } else {
        Numbers.decimal(text).map { .double($0) } ?? .string(text)
      }
    case .sequence(let elements): .array(elements.map(\.json))
    case .mapping(let pairs): .object(Dictionary(pairs.map { ($0.name, $0.value.json) }) { $1 })
    }
  }
}
