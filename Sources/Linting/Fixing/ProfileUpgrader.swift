import AccessoryProfile

/// Replaces deprecated spellings in the text of a profile by the current ones, which mean the same.
package enum ProfileUpgrader {
  /// Returns the text after all replacements, and the replacements, each with its line in the text before it. Upgrading the result again
  /// changes nothing.
  ///
  /// - Throws: The errors of the original profile.
  package static func upgrade(
    text: String, file: String
  ) throws(ProfileError) -> (text: String, changes: [ProfileUpgrade]) {
    let (changed, made) = try TextChanging.changing(text, file) { text throws(ProfileError) in
      try ExaminedProfile.load(text: text, file: file).upgrades.map { ($0, $0.edits) }
    }
    return (changed, made)
  }
}
