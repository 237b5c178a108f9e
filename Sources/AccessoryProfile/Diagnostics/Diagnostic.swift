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
    let excerpt = LineExcerpt(of: sourceLine, around: column)
    return "\(head)\n\(excerpt.text)\n\(excerpt.indent)^"
  }
}

/// As much of a line as is shown of it.
private struct LineExcerpt {
  var text: String
  /// What stands before the caret.
  var indent: String

  private static let width = 160

  init(of line: String, around column: Int) {
    let scalars = line.unicodeScalars
    let start = max(0, column - 1 - Self.width / 2)
    let shown = scalars.dropFirst(start).prefix(Self.width).map { Self.visible($0) }
    let isCut = scalars.dropFirst(start + Self.width).first != nil
    text = (start > 0 ? "…" : "") + String(String.UnicodeScalarView(shown)) + (isCut ? "…" : "")
    // Tabs stay tabs, so that the caret stands where the terminal puts the column.
    let before = shown.prefix(column - 1 - start).map { $0 == "\t" ? $0 : " " as Unicode.Scalar }
    indent = (start > 0 ? " " : "") + String(String.UnicodeScalarView(before))
  }

  /// The picture of a control character, which takes one column where the character itself moves the cursor.
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
  /// A message of which the middle is cut out where it is too long: a profile may have names of megabytes.
  static func bounded(_ message: String) -> String {
    let limit = 600
    guard message.utf8.count > limit else { return message }
    return "\(String(message.unicodeScalars.prefix(400))) … \(String(message.unicodeScalars.suffix(150)))"
  }
}

/// A profile that cannot be used: all that was found, in the order of the lines, warnings among it.
public struct ProfileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The most that are kept.
  static let limit = 100

  /// What was found; at least one is an error.
  public var diagnostics: [Diagnostic]
  /// How many more were found.
  public var omitted: Int

  /// An error of these diagnostics, and of so many more.
  public init(diagnostics: [Diagnostic], omitted: Int = 0) {
    (self.diagnostics, self.omitted) = (diagnostics, omitted)
  }

  /// All diagnostics, each with its source line, and how many more there are.
  public var description: String {
    let more = omitted == 0 ? [] : ["\(diagnostics.first?.file ?? ""): \(omitted) more, not shown"]
    return (diagnostics.map(\.description) + more).joined(separator: "\n")
  }
}
