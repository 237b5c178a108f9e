/// A profile with the nodes of its text, for tools that examine what somebody has written.
package struct ExaminedProfile: Sendable {
  /// The profile, with its warnings.
  package var profile: Profile
  /// The text as a tree, after settings and parameters.
  package var root: SyntaxNode
  /// The text.
  package var text: String
  /// The nodes of the services and characteristics, by id. Those of a shipped service that a profile includes are at the include.
  package var services: [String: SyntaxNode]
  package var characteristics: [String: SyntaxNode]
  /// The changes that replace deprecated spellings.
  package var upgrades: [ProfileUpgrade]

  /// Loads a profile from its text. Messages refer to it as `file`. `included` has texts that replace those of files that it includes, by path.
  ///
  /// - Throws: All errors of the profile at once.
  package static func load(
    text: String, file: String, settings: [ProfileSetting] = [], included: [String: String] = [:]
  ) throws(ProfileError) -> ExaminedProfile {
    let source = SourceFile(name: file, text: text)
    let (root, faults) = YAMLReader.read(text, source: source)
    var loader = ProfileLoader(source: source, diagnostics: faults)
    loader.includedTexts = included
    let prepared = root.map { loader.prepared($0, settings) }
    let profile = prepared.flatMap { loader.profile($0) }
    let diagnostics = loader.sortedDiagnostics
    guard var profile, let prepared, !loader.hasError else {
      throw ProfileError(diagnostics: diagnostics, omitted: loader.omitted)
    }
    profile.warnings = diagnostics
    profile.source = ProfileSource(text: text, settings: settings)
    return ExaminedProfile(
      profile: profile, root: prepared, text: text, services: loader.serviceNodes,
      characteristics: loader.characteristicNodes, upgrades: loader.upgrades)
  }
}

extension ProfileLoader {
  /// Checks the form of the reasons for which a profile deviates from rules of `understudy lint`, which knows the rules.
  mutating func checkLint(_ node: SyntaxNode?) {
    guard let node, let allow = keys(node, Language.lint)?["allow"] else { return }
    guard let pairs = allow.pairs else {
      return error(allow, "expected a mapping from rules to reasons, not \(allow.kindName)")
    }
    for pair in pairs { _ = text(pair.value) }
  }
}
