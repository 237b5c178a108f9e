/// Suggests the word that was probably intended.
package enum Spelling {
  /// Returns the known word nearest to `word`, if it is close enough to be a typo: only the case or the punctuation differs, or up to about a
  /// third of the letters, or `word` is a prefix of it.
  package static func nearest(to word: String, among known: [String]) -> String? {
    if let same = same(as: word, among: known) { return same }
    let limit = (word.count + 2) / 3
    let ranked = known.map { (distance: distance(word, $0), word: $0) }.min { $0.distance < $1.distance }
    if let ranked, ranked.distance <= limit { return ranked.word }
    return word.count >= 3 ? known.first { $0.hasPrefix(word) } : nil
  }

  /// Returns the known word from which `word` differs only in case and punctuation.
  package static func same(as word: String, among known: [String]) -> String? {
    let kebab = kebab(word)
    return kebab.isEmpty ? nil : known.first { self.kebab($0) == kebab }
  }

  /// Returns a word as this language writes words: `maxLength`, `MAX_LENGTH` and `max length` become `max-length`.
  package static func kebab(_ word: String) -> String {
    var result = ""
    var wasSmall = false
    for character in word {
      if character.isLetter || character.isNumber {
        if character.isUppercase, wasSmall { result += "-" }
        result += character.lowercased()
      } else if !result.isEmpty, result.last != "-" {
        result += "-"
      }
      wasSmall = character.isLowercase
    }
    return result.last == "-" ? String(result.dropLast()) : result
  }

  /// Returns a suffix for a message about an unknown word: the known word with its meaning, or the nearest one, and, if there are at most
  /// 40, all known words.
  ///
  /// - Parameter likely: The known words that are preferred as the suggestion, if one is close enough.
  package static func hint(for word: String, among known: [String], likely: [String] = []) -> String {
    let meant =
      same(as: word, among: known).map(question) ?? FamiliarValue.hint(for: word, among: known)
      ?? (nearest(to: word, among: likely) ?? nearest(to: word, among: known)).map(question) ?? ""
    return known.count <= 40 ? "\(meant) (known: \(known.joined(separator: ", ")))" : meant
  }

  private static func question(_ word: String) -> String { ", did you mean '\(word)'?" }

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
