/// Settings and parameters, which are applied to a profile's nodes before it is loaded.
extension ProfileLoader {
  /// Returns the root with the settings applied and the parameters replaced by their values.
  mutating func prepared(_ root: SyntaxNode, _ settings: [ProfileSetting]) -> SyntaxNode {
    var root = root
    for setting in settings {
      let source = SourceFile(name: "--set \(setting.text)", text: setting.value)
      let (value, faults) = YAMLReader.read(setting.value.isEmpty ? "\"\"" : setting.value, source: source)
      note(faults)
      guard let value else { continue }
      do throws(PathFault) {
        root = try self.setting(setting.path, to: value, in: root)
      } catch {
        self.error(value, error.reason)
      }
    }
    return substituted(root)
  }

  /// Returns the root with the node at `path` replaced by `value`. The path of a parameter may be its name alone.
  func setting(_ path: [String], to value: SyntaxNode, in root: SyntaxNode) throws(PathFault) -> SyntaxNode {
    var path = path
    let declared = (root.value(of: "parameters")?.pairs ?? []).map(\.name)
    if path.count == 1, declared.contains(path[0]) { path = ["parameters", path[0], "default"] }
    if path.count == 2, path[0] == "parameters" { path.append("default") }
    return try spelledOut(root, path).setting(path[...], to: value)
  }

  /// Expands a parameter that consists only of its default to a mapping with the key `default`, so that it can be set.
  private func spelledOut(_ root: SyntaxNode, _ path: [String]) -> SyntaxNode {
    guard path.count == 3, path[0] == "parameters", let value = root.value(of: "parameters")?.value(of: path[1]),
      value.pairs == nil
    else { return root }
    let key = value.with(.scalar("default", isQuoted: false))
    let whole = value.with(.mapping([SyntaxPair(key: key, value: value)]))
    return (try? root.setting(["parameters", path[1]], to: whole)) ?? root
  }

  /// Returns the root with parameters replaced by their values.
  private mutating func substituted(_ root: SyntaxNode) -> SyntaxNode {
    guard let node = root.value(of: "parameters"), let pairs = root.pairs else { return root }
    guard let declared = node.pairs else {
      error(node, "expected a mapping from names to values, not \(node.kindName)")
      return root
    }
    var values: [String: SyntaxNode] = [:]
    for pair in declared {
      guard Self.isIdentifier(pair.name) else {
        error(pair.key, "a parameter's name consists of letters, digits, '-' and '_', not '\(pair.name)'")
        continue
      }
      if pair.value.pairs != nil {
        values[pair.name] = keys(pair.value, Language.parameter)?["default"]
      } else {
        values[pair.name] = pair.value
      }
    }
    return root.with(
      .mapping(
        pairs.map { pair in
          pair.name == "parameters"
            ? pair : SyntaxPair(key: pair.key, value: substitute(values, in: pair.value))
        }))
  }

  private mutating func substitute(_ values: [String: SyntaxNode], in node: SyntaxNode) -> SyntaxNode {
    switch node.content {
    case .scalar(let text, let isQuoted):
      guard text.contains("$") else { return node }
      // A scalar that consists only of a parameter takes the type of its value, and the value's position for messages.
      if text.hasPrefix("$"), !isQuoted, let value = values[String(text.dropFirst())] { return value }
      return node.with(.scalar(expanded(text, values, node), isQuoted: isQuoted))
    case .sequence(let elements):
      return node.with(.sequence(elements.map { substitute(values, in: $0) }))
    case .mapping(let pairs):
      return node.with(
        .mapping(pairs.map { SyntaxPair(key: $0.key, value: substitute(values, in: $0.value)) }))
    }
  }

  /// Returns a text with parameters replaced by their values. `$$` is a dollar sign.
  private mutating func expanded(_ text: String, _ values: [String: SyntaxNode], _ node: SyntaxNode) -> String {
    var result = ""
    var rest = text[...]
    while let sign = rest.firstIndex(of: "$") {
      result += rest[..<sign]
      rest = rest[rest.index(after: sign)...]
      if rest.first == "$" {
        result += "$"
        rest = rest.dropFirst()
        continue
      }
      if rest.first == "{" {
        error(node, "a parameter of a profile is written without braces, as in $name; ${name} is one of a scenario")
      }
      let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
      rest = rest.dropFirst(name.count)
      if let value = values[name] {
        if value.text == nil {
          error(node, "the parameter '\(name)' is \(value.kindName), which cannot be part of a text")
        }
        result += value.text ?? ""
      } else {
        result += "$" + name
        guard !name.isEmpty || rest.first != "{" else { continue }
        error(node, "there is no parameter '\(name)'\(Spelling.hint(for: name, among: values.keys.sorted()))")
      }
    }
    return result + rest
  }
}
