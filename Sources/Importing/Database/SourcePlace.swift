/// A position in a file that is imported: where something was described.
package struct SourcePlace: Hashable, Sendable {
  /// The file, as the user named it.
  package var file: String
  /// The line, starting with 1.
  package var line: Int
  /// The column in Unicode scalars, starting with 1.
  package var column: Int

  package init(file: String, line: Int, column: Int) { (self.file, self.line, self.column) = (file, line, column) }
}
