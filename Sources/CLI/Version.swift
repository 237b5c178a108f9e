import CBuild

/// Which Understudy this is.
enum Version {
  /// The version of the program, as its tags have it.
  static let number = "0.1.0"

  /// The version with the commit that it was built from, where that is known: `0.1.0 (8c7329a)`.
  static var text: String {
    let commit = String(cString: cbuild_commit())
    return commit.isEmpty ? number : "\(number) (\(commit))"
  }
}
