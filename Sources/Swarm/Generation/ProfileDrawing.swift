import AccessoryProfile
import BLECore

/// Draws profiles from the language's own tables of keys, so that a new key takes part by itself.
///
/// Each profile uses only some keys of the tables, so that rare combinations occur. What the loader refuses is taken
/// out: the line of a diagnostic names the node.
package struct ProfileDrawing {
  /// A profile as it was drawn.
  package struct Drawn: Sendable {
    /// The name of the shipped profile that it is; nil for one that was drawn.
    package var shipped: String?
    /// Its text in the language.
    package var text: String
    /// What the loader made of it.
    package var profile: Profile
  }

  private var random: SplitMix64
  /// How likely a shipped profile is.
  private let shippedShare: Double
  /// How often a profile is loaded at most until nothing is wrong with it.
  private static let rounds = 16

  /// Profiles that follow from `random`, and of them a share of shipped ones.
  package init(_ random: SplitMix64, shippedShare: Double = 0.15) {
    (self.random, self.shippedShare) = (random, shippedShare)
  }

  /// The next profile.
  package mutating func draw() -> Drawn? {
    let seed = random.next()
    if random.fraction() < shippedShare, let drawn = shipped() { return drawn }
    for attempt in [0.5, 0.25, 0.1, 0] {
      var tables = TableDrawing(SplitMix64(seed: seed), density: attempt)
      if let drawn = Self.repaired(tables.profile()) { return drawn }
    }
    return nil
  }

  private mutating func shipped() -> Drawn? {
    let entries = ShippedProfiles.list
    guard !entries.isEmpty else { return nil }
    let entry = entries[Int(random.upTo(UInt64(entries.count - 1)))]
    guard let text = ShippedProfiles.text(of: entry), let profile = try? Profile.load(entry.name) else { return nil }
    return Drawn(shipped: entry.name, text: text, profile: profile)
  }

  /// The profile without what is wrong in it; nil where too much is.
  static func repaired(_ tree: ProfileTree) -> Drawn? {
    var tree = tree
    for _ in 0..<rounds {
      let written = ProfileTreeText(tree)
      let text = written.text
      do throws(ProfileError) { return Drawn(text: text, profile: try Profile.load(text: text)) } catch {
        var wrong: Set<[Int]> = []
        for diagnostic in error.diagnostics where diagnostic.severity == .error {
          let line = diagnostic.line - 1
          if written.paths.indices.contains(line) { wrong.insert(written.paths[line]) }
        }
        guard !wrong.isEmpty, !wrong.contains([]) else { return nil }
        // What is inside of something else that goes, goes with it; later siblings go first.
        for path in wrong.sorted(by: { $1.lexicographicallyPrecedes($0) }) { tree = tree.removing(path[...]) }
      }
    }
    return nil
  }
}
