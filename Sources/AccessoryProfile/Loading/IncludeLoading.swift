extension ProfileLoader {
  /// The service that an `include` stands for, with the keys that the profile overrides.
  mutating func expandInclude(_ node: SyntaxNode) -> SyntaxNode? {
    guard let nameNode = node.value(of: "include"), let name = oneOf(nameNode, Includes.names) else { return nil }
    if NotificationCenter.names.contains(name), !tables.contains(where: { $0.id == NotificationTable.id }) {
      error(nameNode, "'\(name)' tells of notifications; the profile lacks the key 'notifications'")
      return nil
    }
    let prefix = node.value(of: "id")?.text.flatMap { Self.isIdentifier($0) ? $0 : nil }
    guard let text = Includes.text(of: name, prefix: prefix),
      let fragment = YAMLReader.read(text, source: SourceFile(name: name, text: text)).root?.moved(to: nameNode),
      let members = fragment.value(of: "characteristics")?.elements
    else { return nil }
    let names = members.compactMap { $0.value(of: "key")?.text }
    guard let keys = keys(node, Language.include, others: names) else { return nil }
    let omitted = keys["omit"].flatMap { list($0) } ?? []
    for element in omitted where !names.contains(element.text ?? "") {
      error(
        element,
        "there is nothing to omit with the name '\(element.text ?? "")'\(Spelling.hint(for: element.text ?? "", among: names))"
      )
    }
    var characteristics: [SyntaxNode] = []
    for member in members {
      guard let name = member.value(of: "key")?.text, !omitted.contains(where: { $0.text == name }) else { continue }
      let override = keys[name]
      if override == nil, member.value(of: "optional") != nil { continue }
      characteristics.append(Self.merge(member, with: override))
    }
    characteristics += keys["characteristics"].flatMap { list($0) } ?? []
    var pairs = fragment.pairs?.filter { $0.name != "characteristics" } ?? []
    for name in ["id", "primary", "includes", "handle", "authorization"] {
      guard let key = keys.key(name), let value = keys[name] else { continue }
      pairs.removeAll { $0.name == name }
      pairs.append(SyntaxPair(key: key, value: value))
    }
    let key = nameNode.with(.scalar("characteristics", isQuoted: false))
    pairs.append(SyntaxPair(key: key, value: nameNode.with(.sequence(characteristics))))
    return node.with(.mapping(pairs))
  }

  /// A characteristic with other keys, where the override has keys of a characteristic, or with another value.
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

extension SyntaxNode {
  /// The node with every place in it replaced: an include's own text is nothing that its user can point at.
  fileprivate func moved(to place: SyntaxNode) -> SyntaxNode {
    switch content {
    case .scalar: place.with(content)
    case .sequence(let elements): place.with(.sequence(elements.map { $0.moved(to: place) }))
    case .mapping(let pairs):
      place.with(.mapping(pairs.map { SyntaxPair(key: $0.key.moved(to: place), value: $0.value.moved(to: place)) }))
    }
  }
}
