import CBuild

/// The version of Understudy.
enum Version {
  /// The version number, as in the tags.
  static let number = "0.1.0"

  /// The version with the commit that it was built from, if known: `0.1.0 (8c7329a)`.
  static var text: String {
    let commit = String(cString: cbuild_commit())
    return commit.isEmpty ? number : "\(number) (\(commit))"
  }
}
