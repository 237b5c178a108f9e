/// Gives out ids of a profile: valid, derived from names, and each only once.
struct Naming: Sendable {
  private var taken: Set<String> = []
  /// The next number to try for an id that is already taken.
  private var next: [String: Int] = [:]

  /// Returns whether a text can be an id.
  static func isIdentifier(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  /// Returns a name in lower case with hyphens between its words, at most 64 characters long; nil if it has no letter or digit. Words end at
  /// other characters, and where a capital letter follows a small one.
  static func identifier(from name: String) -> String? {
    var result = ""
    var last: Character = "-"
    for character in name.prefix(256) {
      let isWord = character.isASCII && (character.isLetter || character.isNumber)
      if isWord {
        if character.isUppercase, last.isLowercase { result.append("-") }
        result += character.lowercased()
      } else if !result.isEmpty, result.last != "-" {
        result.append("-")
      }
      last = character
    }
    result = String(result.prefix(64))
    while result.last == "-" { result.removeLast() }
    return result.isEmpty ? nil : result
  }

  /// Takes an id if it is free, and returns whether it was.
  mutating func take(_ id: String) -> Bool { taken.insert(id).inserted }

  /// Returns whether nothing has this id yet.
  func isFree(_ id: String) -> Bool { !taken.contains(id) }

  /// Takes an id, or the first free one of `id-2`, `id-3` and so on.
  mutating func unique(_ id: String) -> String {
    guard !taken.insert(id).inserted else { return id }
    var number = next[id] ?? 2
    while !taken.insert("\(id)-\(number)").inserted { number += 1 }
    next[id] = number + 1
    return "\(id)-\(number)"
  }
}
