import AccessoryProfile

/// The smaller variants of a profile or a fault. Each step of shrinking looks for a variant that still shows the failure.
package struct ProfileReduction {
  /// Returns the profiles with one node less that still load, the largest cuts first. Loads each only when it is needed. Empty if the text
  /// is not YAML.
  package static func smaller(_ text: String) -> some Sequence<(text: String, profile: Profile)> {
    cuts(of: text).lazy.compactMap { tree in
      let text = ProfileTreeText(tree).text
      return (try? Profile.load(text: text)).map { (text, $0) }
    }
  }

  /// Returns the smaller faults that `profile` still accepts, the largest cuts first: without timing, or with
  /// less of an occasion or an action.
  package static func smallerFaults(_ text: String, for profile: Profile) -> [String] {
    let whole = text.first == "{" ? text : "{ \(text) }"
    return cuts(of: whole).map { ProfileTreeText.line($0) }.filter { (try? profile.loadFault($0, number: 1)) != nil }
  }

  /// Returns the trees with one node less, the largest nodes first.
  private static func cuts(of text: String) -> [ProfileTree] {
    guard let tree = ProfileTree(yaml: text) else { return [] }
    var found: [(path: [Int], size: Int)] = []
    collect(tree, [], &found)
    // Nodes of equal size keep their order, so that the same text has the same cuts.
    let order = found.enumerated().sorted { ($1.element.size, $0.offset) < ($0.element.size, $1.offset) }
    return order.map { tree.removing($0.element.path[...]) }
  }

  private static func collect(_ tree: ProfileTree, _ path: [Int], _ found: inout [(path: [Int], size: Int)]) {
    for (place, child) in tree.children.enumerated() {
      found.append((path + [place], child.size))
      collect(child, path + [place], &found)
    }
  }
}
