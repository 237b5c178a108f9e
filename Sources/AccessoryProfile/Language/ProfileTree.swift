/// The text of a profile or a fault as a tree, for code that generates profiles, reduces them, or counts their keys.
package indirect enum ProfileTree: Hashable, Sendable {
  /// A text, and whether it is quoted, which prevents its interpretation as a number.
  case scalar(String, isQuoted: Bool)
  case list([ProfileTree])
  /// Keys and their values, in order.
  case mapping([Pair])

  package struct Pair: Hashable, Sendable {
    package var key: String
    package var value: ProfileTree

    package init(_ key: String, _ value: ProfileTree) { (self.key, self.value) = (key, value) }
  }

  /// Parses a text. Returns nil if it is not YAML. Aliases are replaced by their targets.
  package init?(yaml text: String) {
    let (root, mistakes) = YAMLReader.read(text, source: SourceFile(name: "", text: text))
    guard let root, mistakes.isEmpty else { return nil }
    self.init(root)
  }

  private init(_ node: SyntaxNode) {
    switch node.content {
    case .scalar(let text, let isQuoted): self = .scalar(text, isQuoted: isQuoted)
    case .sequence(let elements): self = .list(elements.map { ProfileTree($0) })
    case .mapping(let pairs): self = .mapping(pairs.map { Pair($0.name, ProfileTree($0.value)) })
    }
  }
}
