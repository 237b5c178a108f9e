import AccessoryProfile

/// Changes a profile's text step by step. Everything else, including comments, stays as it is.
enum TextChanging {
  /// The maximum number of changes, because each change can make another one necessary.
  private static let rounds = 100

  /// Returns the text after all possible changes, and the reason for each, in order. It leaves out a change that would make the profile invalid.
  /// `changes` returns the changes that a text needs.
  ///
  /// - Throws: The errors of the original profile.
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
