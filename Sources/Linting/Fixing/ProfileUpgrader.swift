import AccessoryProfile

/// Replaces deprecated spellings in the text of a profile, and of the files that it includes, by the current ones, which mean the same.
package enum ProfileUpgrader {
  /// The texts after the replacements.
  package struct Result: Sendable {
    /// The text of the profile.
    package var text: String
    /// The texts of the included files that have changed, by path. Services that come with the program are never among them.
    package var included: [String: String] = [:]
    /// What was replaced, each with its file and its line in the text before it.
    package var changes: [ProfileUpgrade] = []
  }

  /// Returns the texts with all replacements. Upgrading them again changes nothing.
  ///
  /// - Throws: The errors of the original profile.
  package static func upgrade(text: String, file: String) throws(ProfileError) -> Result {
    let files = Set(try ExaminedProfile.load(text: text, file: file).upgrades.map(\.file))
    var result = Result(text: text)
    for place in [file] + files.subtracting([file]).sorted() {
      let isIncluded = place != file
      guard let before = isIncluded ? try? FileReading.text(at: place).get() : text else { continue }
      let (changed, made) = try TextChanging.changing(before, place) { tried throws(ProfileError) in
        let profile = try ExaminedProfile.load(
          text: isIncluded ? result.text : tried, file: file,
          included: isIncluded ? result.included.merging([place: tried]) { $1 } : result.included)
        return profile.upgrades.filter { $0.file == place }.map { ($0, $0.edits) }
      }
      guard !made.isEmpty else { continue }
      result.changes += made
      if isIncluded { result.included[place] = changed } else { result.text = changed }
    }
    return result
  }
}
