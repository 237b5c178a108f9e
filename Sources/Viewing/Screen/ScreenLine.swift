/// A line of a screen: styled parts, together at most as wide as the screen.
package struct ScreenLine: Hashable, Sendable {
  /// The style of a part.
  package enum Style: Hashable, Sendable { case plain, bold, dim, red, green, cyan, inverse }

  /// Its parts, from left to right.
  package private(set) var parts: [(text: String, style: Style)] = []
  private var room: Int

  /// Creates an empty line with room for this many columns.
  init(width: Int) { room = max(width, 0) }

  /// Appends as much of a text as fits.
  mutating func append(_ text: String, _ style: Style = .plain) {
    var clipped = ""
    for character in text {
      let width = Self.width(of: character)
      guard width <= room else { break }
      clipped.append(character)
      room -= width
    }
    if !clipped.isEmpty { parts.append((clipped, style)) }
  }

  /// Fills the line up with spaces.
  mutating func fill(_ style: Style) {
    if room > 0 { append(String(repeating: " ", count: room), style) }
  }

  /// All parts without their styles.
  package var text: String { parts.map(\.text).joined() }

  /// Returns the number of columns of a character, roughly as in terminals: two for wide East Asian
  /// characters and emoji, none for combining marks (Unicode Standard Annex 11).
  private static func width(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case ..<0x300: return 1
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0x1F000...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return scalar.properties.canonicalCombiningClass == .notReordered ? 1 : 0
    }
  }

  package static func == (left: ScreenLine, right: ScreenLine) -> Bool {
    left.parts.elementsEqual(right.parts) { $0.text == $1.text && $0.style == $1.style }
  }

  package func hash(into hasher: inout Hasher) { for part in parts { hasher.combine(part.text) } }
}
