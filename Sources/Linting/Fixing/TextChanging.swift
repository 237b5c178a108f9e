import AccessoryProfile

/// Makes changes of a profile's text one after another. Everything that they do not concern, comments too, stays as it is.
enum TextChanging {
  /// A changed text can need further changes; after this many rounds the rest is left.
  private static let rounds = 100

  /// Returns the text with all changes that can be made, and why they were made, in order. A change that would make the profile invalid is not
  /// made. `changes` finds those of a text.
  ///
  /// - Throws: The errors of the profile as it is.
  static func changing<Reason>(
    _ text: String, _ file: String, changes: (String) throws(ProfileError) -> [(reason: Reason, edits: [TextEdit])]
  ) throws(ProfileError) -> (text: String, made: [Reason]) {
    var text = text
    var found = try changes(text)
    var made: [Reason] = []
    var refused: Set<[TextEdit]> = []
    for _ in 0..<rounds {
      var next: (text: String, reason: Reason, further: [(reason: Reason, edits: [TextEdit])])?
      for change in found where !refused.contains(change.edits) {
        if let changed = TextEdit.applying(change.edits, to: text, file), let further = try? changes(changed) {
          next = (changed, change.reason, further)
          break
        }
        refused.insert(change.edits)
      }
      guard let next else { break }
      made.append(next.reason)
      (text, found) = (next.text, next.further)
    }
    return (text, made)
  }
}
