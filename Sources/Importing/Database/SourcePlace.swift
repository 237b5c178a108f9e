/// The position of a description in an imported file.
package struct SourcePlace: Hashable, Sendable {
  /// The file, as the user named it.
  package var file: String
  /// The line, counted from 1.
  package var line: Int
  /// The column in Unicode scalars, counted from 1.
  package var column: Int

  package init(file: String, line: Int, column: Int) { (self.file, self.line, self.column) = (file, line, column) }
}
