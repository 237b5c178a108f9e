import BLECore

extension ProfileLoader {
  /// Loads a parameter that selects records.
  mutating func recordSelector(_ node: SyntaxNode, _ scope: CommandScope) -> RecordSelector? {
    guard let keys = keys(node, Language.recordsParameter), let tableNode = keys["records"],
      let table = table(tableNode)
    else { return nil }
    let names = ["invalid-operator", "unsupported-operator", "invalid-operand", "unsupported-operand"]
    let outcomes = names.map { name in keys[name].flatMap { refusal($0) } ?? scope.malformed }
    return RecordSelector(
      table: table.id, filters: filters(keys["filters"], table), invalidOperator: outcomes[0],
      unsupportedOperator: outcomes[1], invalidOperand: outcomes[2],
      unsupportedOperand: outcomes[3])
  }

  /// Reads filter type numbers, and columns of whole numbers.
  private mutating func filters(_ node: SyntaxNode?, _ table: RecordTable) -> [RecordSelector.Filter] {
    guard let node else { return [] }
    guard let pairs = node.pairs else {
      error(node, "expected a mapping from numbers to columns, not \(node.kindName)")
      return []
    }
    return pairs.compactMap { pair in
      guard let number = integer(pair.key, 0...255), let name = text(pair.value) else { return nil }
      guard let format = table.format(of: name) else {
        let hint = self.hint(for: name, among: table.columns.map(\.name))
        error(pair.value, "'\(table.id)' has no column '\(name)'\(hint)")
        return nil
      }
      guard case .integer(let integer) = format else {
        error(pair.value, "'\(name)' does not contain whole numbers")
        return nil
      }
      return RecordSelector.Filter(number: UInt8(truncatingIfNeeded: number), column: name, format: integer)
    }
  }

  /// Reads a reference to all records of a table, or to those that a parameter selects.
  mutating func records(_ node: SyntaxNode, _ scope: CommandScope) -> ControlPoint.Records? {
    if let parameter = scope.parameters.first(where: { $0.name == node.text }), case .records = parameter.kind {
      return .chosen(parameter: parameter.name)
    }
    return table(node).map { .all(table: $0.id) }
  }
}
