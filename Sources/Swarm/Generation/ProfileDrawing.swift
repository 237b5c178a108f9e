import AccessoryProfile
import BLECore

/// Draws profiles from the language's own tables of keys, so that new keys are included automatically.
///
/// Each profile uses only some keys of the tables, so that rare combinations occur. Nodes that the loader
/// refuses are removed; the line of a diagnostic identifies the node.
package struct ProfileDrawing {
  /// A drawn profile.
  package struct Drawn: Sendable {
    /// The name of the shipped profile; nil if the profile was generated.
    package var shipped: String?
    /// Its text in the language.
    package var text: String
    /// The loaded profile.
    package var profile: Profile
  }

  private var random: SplitMix64
  /// The probability of a shipped profile.
  private let shippedShare: Double
  /// The maximum number of attempts to remove all errors from a profile.
  private static let rounds = 16

  /// Creates a drawing of profiles, which `random` determines. `shippedShare` of them are shipped ones.
  package init(_ random: SplitMix64, shippedShare: Double = 0.15) {
    (self.random, self.shippedShare) = (random, shippedShare)
  }

  /// Returns the next profile.
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

  /// Returns a profile without its errors; nil if there are too many.
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
        // Remove later siblings first, so that the other paths stay valid.
        for path in wrong.sorted(by: { $1.lexicographicallyPrecedes($0) }) { tree = tree.removing(path[...]) }
      }
    }
    return nil
  }
}
