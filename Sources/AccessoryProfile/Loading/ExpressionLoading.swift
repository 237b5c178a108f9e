import BLECore
import BLEGATT

/// The names that an expression may use at the current place, in addition to characteristics and variables.
struct ExpressionScope {
  /// The parameters of a command.
  var parameters: [String] = []
  /// Predefined names without a meaning here.
  var absent: Set<Expression.Known> = [.written, .value, .sent]
}

extension ProfileLoader {
  /// Reads an expression and resolves its names.
  mutating func expression(_ node: SyntaxNode) -> Expression? { unresolved(node).flatMap { resolve($0, node) } }

  /// Reads an expression whose names are resolved later, when all ids are known.
  mutating func unresolved(_ node: SyntaxNode) -> Expression? {
    guard let text = text(node) else { return nil }
    do throws(ExpressionError) {
      return try ExpressionParser.parse(text)
    } catch {
      self.error(place(in: node, at: error.offset ?? 0), error.reason)
      return nil
    }
  }

  /// Resolves the names of an expression.
  mutating func resolve(_ expression: Expression, _ node: SyntaxNode) -> Expression? {
    do throws(ExpressionError) {
      let resolved = try expression.resolved { meaning(of: $0) }
      checkMembers(resolved, node)
      warnOfHiddenState(resolved, node)
      for case .characteristic(let index) in resolved.references { references.insert(index) }
      if let costs = expressionCosts { check(costs.cost(of: [resolved]), node) }
      return resolved
    } catch {
      let name = error.reason
      let place = place(in: node, at: error.offset ?? 0)
      if let known = Expression.Known(rawValue: name), scope.absent.contains(known) {
        self.error(place, "'\(name)' cannot be used here")
        return nil
      }
      let meant = nearest(to: name).map { ", did you mean '\($0)'?" } ?? ""
      self.error(place, "there is no '\(name)' here\(meant) (text needs quotes)")
      return nil
    }
  }

  /// Returns the name that was probably intended; nil if the message will only be counted.
  private func nearest(to name: String) -> String? {
    guard !isFull else { return nil }
    let known = scope.parameters + characteristics.map(\.behavior).filter(\.isPresent).map(\.id)
    let others =
      variables.map(\.name) + Expression.Known.allCases.filter { !scope.absent.contains($0) }.map(\.rawValue)
    return Spelling.nearest(to: name, among: known + others)
  }

  /// Returns the meaning of a name: a parameter, a characteristic, a variable, or a predefined name.
  func meaning(of name: String) -> Expression.Reference? {
    if scope.parameters.contains(name) { return .parameter(name) }
    if let position = characteristicPlaces[name] { return .characteristic(CharacteristicIndex(position)) }
    if let variable = variablePlaces[name] { return .variable(variable) }
    return Expression.Known(rawValue: name).flatMap { scope.absent.contains($0) ? nil : .known($0) }
  }

  /// Warns if `state` is a characteristic, although the states of the profile may be intended.
  private mutating func warnOfHiddenState(_ expression: Expression, _ node: SyntaxNode) {
    let name = Expression.Known.state.rawValue
    guard !stateNames.isEmpty,
      let position = characteristicPlaces[name],
      expression.references.contains(.characteristic(CharacteristicIndex(position)))
    else { return }
    warn(
      node,
      "'state' means the characteristic with that id here, and hides the name of the profile's state; give "
        + "the characteristic another id")
  }

  /// Rejects fields that a characteristic does not have.
  private mutating func checkMembers(_ expression: Expression, _ node: SyntaxNode) {
    var wrong: [(id: String, field: String, known: [String])] = []
    expression.root.visit { part in
      guard case .member(.reference(.characteristic(let index)), let field) = part else { return }
      let behavior = characteristics[index.position].behavior
      let known = (behavior.format.fields ?? []).map(\.name)
      if !known.contains(field) { wrong.append((behavior.id, field, known)) }
    }
    for (id, field, known) in wrong {
      let hint = known.isEmpty ? "; its value has no fields" : self.hint(for: field, among: known)
      error(node, "'\(id)' has no field '\(field)'\(hint)")
    }
  }

  /// Returns the position of a character of an expression, if the source line contains the expression literally.
  private func place(in node: SyntaxNode, at offset: Int) -> SyntaxNode {
    guard !isFull, case .scalar(let text, let isQuoted) = node.content,
      node.source.lines.indices.contains(node.line - 1)
    else {
      return node
    }
    let start = node.column - 1 + (isQuoted ? 1 : 0)
    guard node.source.lines[node.line - 1].unicodeScalars.dropFirst(start).starts(with: text.unicodeScalars) else {
      return node
    }
    var place = node
    place.column = start + 1 + offset
    return place
  }

  // MARK: Values

  /// Resolves the names in all values and in the conditions of reads, after all ids are known.
  mutating func resolveValues() {
    for index in characteristics.indices {
      guard !characteristics[index].expressions.isEmpty else { continue }
      var nodes = characteristics[index].expressions[...]
      let source = characteristics[index].behavior.source
      characteristics[index].behavior.source = resolve(source, &nodes)
    }
    checkCosts()
    for index in characteristics.indices {
      guard let node = characteristics[index].readCondition,
        let condition = characteristics[index].behavior.readRequirement
      else { continue }
      characteristics[index].behavior.readRequirement = resolve(condition, node)
    }
  }

  /// Resolves the expressions of a source. `nodes` are in the order in which the expressions were read.
  mutating func resolve(_ source: ValueSource, _ nodes: inout ArraySlice<SyntaxNode>) -> ValueSource {
    switch source {
    case .computed(let expression):
      guard let node = nodes.popFirst(), let resolved = resolve(expression, node) else { return source }
      return .computed(resolved)
    case .record(let fields): return .record(fields.map { .init($0.name, resolve($0.source, &nodes)) })
    default: return source
    }
  }
}

extension ValueSource {
  /// The expressions in the source, in order.
  var expressions: [Expression] {
    switch self {
    case .computed(let expression): [expression]
    case .record(let fields): fields.flatMap(\.source.expressions)
    default: []
    }
  }

  /// Whether any part is computed.
  var isComputed: Bool {
    switch self {
    case .computed: true
    case .record(let fields): fields.contains { $0.source.isComputed }
    default: false
    }
  }
}
