/// Finds the word that was probably meant.
package enum Spelling {
  /// The known word nearest to `word`, where it is near enough to be a slip: about a third of its letters differ, or it
  /// is the beginning of the other.
  package static func nearest(to word: String, among known: [String]) -> String? {
    let limit = (word.count + 2) / 3
    let ranked = known.map { (distance: distance(word, $0), word: $0) }.min { $0.distance < $1.distance }
    if let ranked, ranked.distance <= limit { return ranked.word }
    return word.count >= 3 ? known.first { $0.hasPrefix(word) } : nil
  }

  /// What to add to a message about an unknown word: the nearest known one and, if they are not too many, all of them.
  ///
  /// - Parameter likely: Those known ones of which one is meant rather than any other, where it is near enough.
  package static func hint(for word: String, among known: [String], likely: [String] = []) -> String {
    let nearest = nearest(to: word, among: likely) ?? nearest(to: word, among: known)
    let meant = nearest.map { ", did you mean '\($0)'?" } ?? ""
    return known.count <= 40 ? "\(meant) (known: \(known.joined(separator: ", ")))" : meant
  }

  /// How many letters must be put in, taken out, changed or swapped with their neighbour.
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
