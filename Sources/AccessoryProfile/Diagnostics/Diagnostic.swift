/// An error or warning about a profile, with its position in the file.
public struct Diagnostic: Hashable, Sendable {
  /// The file, as the user named it.
  public var file: String
  /// The line, starting with 1.
  public var line: Int
  /// The column in Unicode scalars, starting with 1.
  public var column: Int
  /// The severity: whether the profile can be used anyway.
  public var severity: Severity
  /// The problem and, where helpful, the correction.
  public var message: String
  /// The text of the line.
  public var sourceLine: String

  /// The severity. An error prevents the use of the profile, a warning does not.
  public enum Severity: String, Hashable, Sendable { case error, warning }

  /// Creates a diagnostic.
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
    return sourceLine.isEmpty ? head : "\(head)\n\(Self.excerpt(of: sourceLine, around: column))"
  }

  /// Returns the part of a line around a column, and a caret under the column.
  package static func excerpt(of line: String, around column: Int) -> String {
    let excerpt = LineExcerpt(of: line, around: column)
    return "\(excerpt.text)\n\(excerpt.indent)^"
  }
}

/// The part of a line that is shown.
private struct LineExcerpt {
  var text: String
  /// The text before the caret on the next line.
  var indent: String

  private static let width = 160

  init(of line: String, around column: Int) {
    let scalars = line.unicodeScalars
    let start = max(0, column - 1 - Self.width / 2)
    let shown = scalars.dropFirst(start).prefix(Self.width).map { Self.visible($0) }
    let isCut = scalars.dropFirst(start + Self.width).first != nil
    text = (start > 0 ? "…" : "") + String(String.UnicodeScalarView(shown)) + (isCut ? "…" : "")
    // Tabs are kept, so that the caret is below the right column in a terminal.
    let before = shown.prefix(column - 1 - start).map { $0 == "\t" ? $0 : " " as Unicode.Scalar }
    indent = (start > 0 ? " " : "") + String(String.UnicodeScalarView(before))
  }

  /// Returns the visible symbol of a control character. It takes one column, where the character itself would move the cursor.
  private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x09: scalar
    case 0...0x1F: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    case 0x80...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: "\u{FFFD}"
    default: scalar
    }
  }
}

extension Diagnostic {
  /// Returns a message with its middle removed if it is too long, because names in a profile can be megabytes long.
  static func bounded(_ message: String) -> String {
    let limit = 600
    guard message.utf8.count > limit else { return message }
    return "\(String(message.unicodeScalars.prefix(400))) … \(String(message.unicodeScalars.suffix(150)))"
  }
}

/// The errors of a profile that cannot be used: all diagnostics, including warnings, in the order of the lines.
public struct ProfileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The maximum number of diagnostics that are kept.
  static let limit = 100

  /// The diagnostics, at least one of which is an error.
  public var diagnostics: [Diagnostic]
  /// The number of further diagnostics.
  public var omitted: Int

  /// Creates an error from diagnostics and the number of further ones.
  public init(diagnostics: [Diagnostic], omitted: Int = 0) {
    (self.diagnostics, self.omitted) = (diagnostics, omitted)
  }

  /// All diagnostics, each with its source line, and the number of further ones.
  public var description: String {
    let more = omitted == 0 ? [] : ["\(diagnostics.first?.file ?? ""): \(omitted) more, not shown"]
    return (diagnostics.map(\.description) + more).joined(separator: "\n")
  }
}
