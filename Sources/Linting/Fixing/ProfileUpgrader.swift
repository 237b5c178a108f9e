import AccessoryProfile

/// Replaces deprecated spellings in the text of a profile by the present ones, which mean the same.
package enum ProfileUpgrader {
  /// Returns the text with all replacements, and what was replaced, each with its line in the text before it. The result has no further
  /// replacements, so upgrading it again changes nothing.
  ///
  /// - Throws: The errors of the profile as it is.
  package static func upgrade(
    text: String, file: String
  ) throws(ProfileError) -> (text: String, changes: [ProfileUpgrade]) {
    let (changed, made) = try TextChanging.changing(text, file) { text throws(ProfileError) in
      try ExaminedProfile.load(text: text, file: file).upgrades.map { ($0, $0.edits) }
    }
    return (changed, made)
  }
}
