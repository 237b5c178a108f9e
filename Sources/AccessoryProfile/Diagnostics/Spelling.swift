/// Suggests the word that was probably intended.
package enum Spelling {
  /// Returns the known word nearest to `word`, if it is close enough to be a typo: up to about a third of the letters differ, or `word` is
  /// a prefix of it.
  package static func nearest(to word: String, among known: [String]) -> String? {
    let limit = (word.count + 2) / 3
    let ranked = known.map { (distance: distance(word, $0), word: $0) }.min { $0.distance < $1.distance }
    if let ranked, ranked.distance <= limit { return ranked.word }
    return word.count >= 3 ? known.first { $0.hasPrefix(word) } : nil
  }

  /// Returns a suffix for a message about an unknown word: the nearest known word and, if there are at most 40, all known words.
  ///
  /// - Parameter likely: The known words that are preferred as the suggestion, if one is close enough.
  package static func hint(for word: String, among known: [String], likely: [String] = []) -> String {
    let nearest = nearest(to: word, among: likely) ?? nearest(to: word, among: known)
    let meant = nearest.map { ", did you mean '\($0)'?" } ?? ""
    return known.count <= 40 ? "\(meant) (known: \(known.joined(separator: ", ")))" : meant
  }

  /// Returns the number of letters that must be inserted, deleted, changed or swapped with a neighbor.
  private static func distance(_ first: String, _ second: String) -> Int {
    let (left, right) = (Array(first.utf8), Array(second.utf8))
    guard !left.isEmpty, !right.isEmpty, left.count < 64 else { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
      var current = [row]
      for column in 1...right.count {
        let isEqual = left[row - 1] == right[column - 1]
        var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isEqual ? 0 : 1))
        if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
          best = min(best, beforeLast[column - 2] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
