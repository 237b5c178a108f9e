/// The replacement of a piece of a text.
package struct TextEdit: Hashable, Sendable {
  /// The file in which it is.
  package let file: String
  /// The position of the old text, both starting with 1; the column in Unicode scalars.
  package let line: Int
  package let column: Int
  /// The old text, which must be there, and the new one. The old one can have several lines, which end with a line feed.
  package let old: String
  package let new: String

  package init(file: String, line: Int, column: Int, old: String, new: String) {
    (self.file, self.line, self.column, self.old, self.new) = (file, line, column, old, new)
  }

  /// Returns the text of a file with edits, which do not overlap; nil if an old text is not where it should be.
  package static func applying(_ edits: [TextEdit], to text: String, _ file: String) -> String? {
    let starts = lineStarts(of: text)
    var scalars = Array(text.unicodeScalars)
    for edit in edits.sorted(by: { ($0.line, $0.column) > ($1.line, $1.column) }) {
      guard edit.file == file, starts.indices.contains(edit.line - 1), edit.column > 0 else { return nil }
      let old = Array(edit.old.unicodeScalars)
      let start = starts[edit.line - 1] + edit.column - 1
      guard start + old.count <= scalars.count, Array(scalars[start..<start + old.count]) == old else { return nil }
      scalars.replaceSubrange(start..<start + old.count, with: edit.new.unicodeScalars)
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Returns the offsets of the lines in Unicode scalars.
  private static func lineStarts(of text: String) -> [Int] {
    var starts = [0]
    var offset = 0
    for character in text {
      offset += character.unicodeScalars.count
      if character.isNewline { starts.append(offset) }
    }
    return starts
  }
}

/// A deprecated spelling in a profile, and the same in the present one.
package struct ProfileUpgrade: Hashable, Sendable {
  /// The line of the old spelling, starting with 1.
  package var line: Int
  /// What the change does, as in "replaced 'from-bpm' by '{ intervals: bpm }'".
  package var summary: String
  /// The changes, which do not overlap and are in one file.
  package var edits: [TextEdit]

  /// The file: the profile, or one that it includes.
  package var file: String { edits.first?.file ?? "" }
}
