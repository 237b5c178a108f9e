/// The shipped scenarios, which are embedded in the program, with the accessories that only they use.
package enum ShippedScenarios {
  /// The start of the paths of scenarios and their accessories.
  private static let scheme = "understudy:/scenarios/"

  /// All shipped scenarios, by name.
  package static var list: [ShippedEntry] {
    ShippedTexts.scenarios.map { ShippedEntry(name: $0, path: "\(scheme)\($0).yaml") }
  }

  /// Returns the scenario with a name; nil if there is none.
  package static func entry(named name: String) -> ShippedEntry? { list.first { $0.name == name } }

  /// Returns the text of a scenario, or of an accessory at a path that a scenario uses; nil for other paths.
  package static func text(at path: String) -> String? {
    guard let file = path.dropping(prefix: scheme) else { return nil }
    return ShippedTexts.scenario(at: String(file.dropping(prefix: "./") ?? file))
  }
}
