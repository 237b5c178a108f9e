/// Something about a profile that its author should know, with its place in the file.
public struct Diagnostic: Hashable, Sendable {
  /// The file as the user named it.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The column, from 1, in Unicode scalars.
  public var column: Int
  /// Whether the profile can be used in spite of it.
  public var severity: Severity
  /// What is the matter, and where it helps what would be right.
  public var message: String
  /// The text of the line.
  public var sourceLine: String

  /// An error keeps the profile from being used; a warning does not.
  public enum Severity: String, Hashable, Sendable { case error, warning }

  /// A diagnostic.
  public init(
    file: String, line: Int, column: Int, severity: Severity, message: String, sourceLine: String
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.severity = severity
    self.message = message
    self.sourceLine = sourceLine
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `FILE:LINE:COLUMN: error: MESSAGE`, the source line, and a caret under the column.
  public var description: String {
    let head = "\(file):\(line):\(column): \(severity.rawValue): \(message)"
    guard !sourceLine.isEmpty else { return head }
    // Tabs stay tabs, so that the caret stands where the terminal puts the column.
    let indent = String(
      String.UnicodeScalarView(sourceLine.unicodeScalars.prefix(column - 1).map { $0 == "\t" ? $0 : " " }))
    return "\(head)\n\(sourceLine)\n\(indent)^"
  }
}

/// A profile that cannot be used: all that was found, in the order of the lines, warnings among it.
public struct ProfileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found; at least one is an error.
  public var diagnostics: [Diagnostic]

  /// An error of these diagnostics.
  public init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// All diagnostics, each with its source line.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
