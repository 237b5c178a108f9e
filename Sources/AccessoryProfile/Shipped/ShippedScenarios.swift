/// The scenarios that come with the program, inside of it, with the accessories that only they need.
package enum ShippedScenarios {
  /// What the paths of scenarios and their accessories begin with.
  private static let scheme = "understudy:/scenarios/"

  /// All of them, by name.
  package static var list: [ShippedEntry] {
    ShippedTexts.scenarios.map { ShippedEntry(name: $0, path: "\(scheme)\($0).yaml") }
  }

  /// The scenario of that name; nil where there is none.
  package static func entry(named name: String) -> ShippedEntry? { list.first { $0.name == name } }

  /// The text of a scenario, or of an accessory by the path that a scenario names; nil for other paths.
  package static func text(at path: String) -> String? {
    guard let file = path.dropping(prefix: scheme) else { return nil }
    return ShippedTexts.scenario(at: String(file.dropping(prefix: "./") ?? file))
  }
}
