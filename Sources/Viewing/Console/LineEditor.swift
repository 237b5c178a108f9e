/// A line that a person types and edits, with a history of lines. It turns keys into text, and does not depend on a terminal.
package struct LineEditor {
  /// The effect of a key besides a change of the line.
  package enum Outcome: Hashable {
    case none
    case entered(String)
    /// The person wants the last word completed.
    case wantsCompletion
    case interrupted
    /// The end of input, because the line is empty.
    case ended
  }

  private static let historyLimit = 500

  /// The characters of the line, and the number of them before the cursor.
  package private(set) var characters: [Character] = []
  package private(set) var cursor = 0
  private var history: [String] = []
  /// The position of the shown line in the history; the history's count for the line being typed.
  private var place = 0
  private var typed: [Character] = []

  /// Creates an empty line without history.
  package init() {}

  /// The whole line.
  package var text: String { String(characters) }
  /// The part before the cursor.
  package var beginning: String { String(characters[..<cursor]) }

  /// Handles a key. Control with a letter has the same effect as in most shells.
  package mutating func press(_ key: ScreenKey) -> Outcome {
    switch key {
    case .character(let character):
      characters.insert(character, at: cursor)
      cursor += 1
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .up, .control("p"): recall(place - 1)
    case .down, .control("n"): recall(place + 1)
    case .backspace: if cursor > 0 { remove(from: cursor - 1) }
    case .control("k"): characters.removeSubrange(cursor...)
    case .control("u"): remove(from: 0)
    case .control("w"):
      var start = cursor
      while start > 0, characters[start - 1].isWhitespace { start -= 1 }
      while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
      remove(from: start)
    case .tab: return .wantsCompletion
    case .enter: return .entered(enter())
    case .control("c"):
      begin()
      return .interrupted
    case .control("d"):
      guard !characters.isEmpty else { return .ended }
      if cursor < characters.count { characters.remove(at: cursor) }
    case .control, .escape, .pageUp, .pageDown: break
    }
    return .none
  }

  /// Inserts the completion of the word before the cursor.
  package mutating func insert(_ text: String) { for character in text { _ = press(.character(character)) } }

  private mutating func remove(from start: Int) {
    characters.removeSubrange(start..<cursor)
    cursor = start
  }

  private mutating func enter() -> String {
    let line = text
    if line.contains(where: { !$0.isWhitespace }), history.last != line {
      history.append(line)
      if history.count > Self.historyLimit { history.removeFirst() }
    }
    begin()
    return line
  }

  private mutating func begin() {
    (characters, cursor, place, typed) = ([], 0, history.count, [])
  }

  private mutating func recall(_ wanted: Int) {
    guard (0...history.count).contains(wanted), wanted != place else { return }
    if place == history.count { typed = characters }
    place = wanted
    characters = wanted == history.count ? typed : Array(history[wanted])
    cursor = characters.count
  }
}
