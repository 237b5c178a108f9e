extension ProfileLoader {
  /// Returns the service of an `include`, with the changes that the profile makes.
  mutating func expandInclude(_ node: SyntaxNode) -> SyntaxNode? {
    guard let nameNode = node.value(of: "include"), let fragment = included(nameNode),
      let members = fragment.value(of: "characteristics")?.elements
    else { return nil }
    let prefix = node.value(of: "id")?.text.flatMap { Self.isIdentifier($0) ? $0 : nil }
    let renamed = prefix.map { Self.names(of: members, with: $0) } ?? [:]
    let names = members.compactMap { $0.value(of: "key")?.text }
    guard let keys = keys(node, Language.include, others: names) else { return nil }
    let omitted = keys["omit"].flatMap { list($0) } ?? []
    for element in omitted where !names.contains(element.text ?? "") {
      error(
        element,
        "there is no '\(element.text ?? "")' to omit\(hint(for: element.text ?? "", among: names))"
      )
    }
    var characteristics: [SyntaxNode] = []
    for member in members {
      guard let name = member.value(of: "key")?.text, !omitted.contains(where: { $0.text == name }) else { continue }
      let override = keys[name]
      if override == nil, member.value(of: "optional") != nil { continue }
      characteristics.append(Self.merge(Self.rename(member, renamed), with: override))
    }
    if let changes = keys["set"] { set(changes, &characteristics, names: names, members) }
    characteristics += keys["characteristics"].flatMap { list($0) } ?? []
    var pairs = fragment.pairs?.filter { $0.name != "characteristics" } ?? []
    for name in ["id", "primary", "includes", "handle", "authorization", "transports"] {
      guard let key = keys.key(name), let value = keys[name] else { continue }
      pairs.removeAll { $0.name == name }
      pairs.append(SyntaxPair(key: key, value: value))
    }
    let key = nameNode.with(.scalar("characteristics", isQuoted: false))
    pairs.append(SyntaxPair(key: key, value: nameNode.with(.sequence(characteristics))))
    return node.with(.mapping(pairs))
  }

  /// Sets single keys of characteristics, given as NAME.KEY or deeper.
  private mutating func set(
    _ node: SyntaxNode, _ characteristics: inout [SyntaxNode], names: [String], _ members: [SyntaxNode]
  ) {
    guard let pairs = node.pairs else {
      return error(node, "expected a mapping from NAME.KEY to values, not \(node.kindName)")
    }
    for pair in pairs {
      let path = pair.name.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
      guard path.count > 1, names.contains(path[0]) else {
        error(
          pair.key,
          "expected NAME.KEY, with the name of a characteristic, not '\(pair.name)'\(hint(for: path[0], among: names))"
        )
        continue
      }
      guard let uuid = members.first(where: { $0.value(of: "key")?.text == path[0] })?.value(of: "uuid")?.text,
        let place = characteristics.firstIndex(where: { $0.value(of: "uuid")?.text == uuid })
      else {
        error(pair.key, "'\(path[0])' is omitted, so its keys cannot be set")
        continue
      }
      do throws(PathFault) {
        characteristics[place] = try characteristics[place].setting(path.dropFirst(), to: pair.value)
      } catch {
        self.error(pair.key, error.reason)
      }
    }
  }

  /// Returns a characteristic with an override, which contains keys of the characteristic, or is its value.
  private static func merge(_ member: SyntaxNode, with override: SyntaxNode?) -> SyntaxNode {
    var pairs = member.pairs?.filter { $0.name != "key" && $0.name != "optional" } ?? []
    guard let override else { return member.with(.mapping(pairs)) }
    var changes = [SyntaxPair(key: override.with(.scalar("value", isQuoted: false)), value: override)]
    if let given = override.pairs, given.contains(where: { Language.characteristic.names.contains($0.name) }) {
      changes = given
    }
    pairs.removeAll { pair in changes.contains { $0.name == pair.name } }
    return member.with(.mapping(pairs + changes))
  }
}

// MARK: Sources of services

extension ProfileLoader {
  /// Returns the text of a service: a shipped one, or a file.
  private mutating func included(_ node: SyntaxNode) -> SyntaxNode? {
    if let path = node.text, path.contains("/") || path.hasSuffix(".yaml") { return includedFile(node, path) }
    guard let name = oneOf(node, Language.shippedServices), let text = ShippedTexts.service(name) else { return nil }
    let fragment = YAMLReader.read(text, source: SourceFile(name: name, text: text)).root
    if text.contains("announces:"), !tables.contains(where: { $0.id == NotificationTable.id }) {
      error(node, "'\(name)' presents notifications, but the profile lacks the key 'notifications'")
      return nil
    }
    return fragment?.moved(to: node)
  }

  /// Reads a file with one service, relative to the profile. Its errors are reported with its own lines.
  private mutating func includedFile(_ node: SyntaxNode, _ path: String) -> SyntaxNode? {
    guard node.source.hasLines else {
      error(node, "only a profile can include a file")
      return nil
    }
    let place = besideProfile(path)
    switch includedTexts[place].map({ .success($0) }) ?? FileReading.text(at: place) {
    case .failure(let fault):
      error(node, "\(place): \(fault.reason)")
      return nil
    case .success(let text):
      let (root, faults) = YAMLReader.read(text, source: SourceFile(name: place, text: text))
      note(faults)
      guard let root else { return nil }
      if root.value(of: "include") != nil {
        error(root, "an included file must contain a service, not another include")
        return nil
      }
      guard let members = root.value(of: "characteristics")?.elements else {
        error(root, "the key 'characteristics' is missing")
        return nil
      }
      // An alias with large content would be expensive everywhere it is used.
      return root.with(
        .mapping(
          (root.pairs ?? []).filter { $0.name != "characteristics" }
            + [
              SyntaxPair(
                key: root.with(.scalar("characteristics", isQuoted: false)),
                value: root.with(.sequence(members.map { Self.keyed($0) })))
            ]))
    }
  }

  /// Returns a characteristic with the name by which a profile overrides it: its id, or the name of its UUID.
  private static func keyed(_ member: SyntaxNode) -> SyntaxNode {
    guard member.value(of: "key") == nil, let pairs = member.pairs,
      let name = member.value(of: "id") ?? member.value(of: "uuid")
    else { return member }
    return member.with(.mapping(pairs + [SyntaxPair(key: name.with(.scalar("key", isQuoted: false)), value: name)]))
  }

  // MARK: Names

  /// Returns the ids of an include's characteristics, and their new ids with the prefix of the service's id.
  private static func names(of members: [SyntaxNode], with prefix: String) -> [String: String] {
    let pairs = members.compactMap { member -> (String, String)? in
      guard let id = member.value(of: "id")?.text, let key = member.value(of: "key")?.text else { return nil }
      return (id, "\(prefix)-\(key)")
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Returns a characteristic with new ids, both its own and those in its rules.
  private static func rename(_ member: SyntaxNode, _ names: [String: String]) -> SyntaxNode {
    guard !names.isEmpty, let pairs = member.pairs else { return member }
    return member.with(
      .mapping(
        pairs.map { pair in
          switch pair.name {
          case "id", "on-write", "control-point", "rules":
            return SyntaxPair(key: pair.key, value: pair.value.renaming(names))
          case "value", "notify": return SyntaxPair(key: pair.key, value: pair.value.renamingExpressions(names))
          default: return pair
          }
        }))
  }
}

extension SyntaxNode {
  /// Returns the node with new ids, alone or before a field name.
  fileprivate func renaming(_ names: [String: String]) -> SyntaxNode {
    switch content {
    case .scalar(let text, let isQuoted):
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = names[String(parts[0])] else { return self }
      return with(.scalar(([Substring(name)] + parts.dropFirst()).joined(separator: "."), isQuoted: isQuoted))
    case .sequence(let elements): return with(.sequence(elements.map { $0.renaming(names) }))
    case .mapping(let pairs):
      return with(
        .mapping(
          pairs.map { pair in
            let value = pair.expression(names) ?? pair.value.renaming(names)
            return SyntaxPair(key: pair.key.renaming(names), value: value)
          }))
    }
  }

  /// Returns the node with new ids in its expressions.
  fileprivate func renamingExpressions(_ names: [String: String]) -> SyntaxNode {
    switch content {
    case .scalar: return self
    case .sequence(let elements): return with(.sequence(elements.map { $0.renamingExpressions(names) }))
    case .mapping(let pairs):
      return with(
        .mapping(
          pairs.map { SyntaxPair(key: $0.key, value: $0.expression(names) ?? $0.value.renamingExpressions(names)) }))
    }
  }

  /// Returns the node with every position in it replaced, because the user cannot look at an include's own text.
  fileprivate func moved(to place: SyntaxNode) -> SyntaxNode {
    switch content {
    case .scalar: place.with(content)
    case .sequence(let elements): place.with(.sequence(elements.map { $0.moved(to: place) }))
    case .mapping(let pairs):
      place.with(.mapping(pairs.map { SyntaxPair(key: $0.key.moved(to: place), value: $0.value.moved(to: place)) }))
    }
  }
}

extension SyntaxPair {
  /// Returns the pair's expression with new ids; nil if the value is not an expression.
  fileprivate func expression(_ names: [String: String]) -> SyntaxNode? {
    guard ["compute", "if", "becomes", "until"].contains(name), case .scalar(let text, let isQuoted) = value.content,
      let renamed = ExpressionLexer.renaming(text, names)
    else { return nil }
    return value.with(.scalar(renamed, isQuoted: isQuoted))
  }
}
