/// The scenarios that come with the program, inside of it, with the accessories that only they need.
package enum ShippedScenarios {
  /// What the paths of scenarios and their accessories begin with.
  private static let scheme = "understudy:/scenarios/"

  /// All of them, by name.
  package static var list: [ShippedEntry] {
    ShippedTexts.scenarios.lazy.map(\.name).filter { !$0.contains("/") }.map { file in
      ShippedEntry(name: String(file.dropLast(".yaml".count)), path: scheme + file)
    }
  }

  /// The scenario of that name; nil where there is none.
  package static func entry(named name: String) -> ShippedEntry? { list.first { $0.name == name } }

  /// The text of a scenario, or of an accessory by the path that a scenario names; nil for other paths.
  package static func text(at path: String) -> String? {
    guard let file = path.dropping(prefix: scheme) else { return nil }
    let name = file.dropping(prefix: "./") ?? file
    return ShippedTexts.scenarios.first { $0.name == name }?.text
  }
}
