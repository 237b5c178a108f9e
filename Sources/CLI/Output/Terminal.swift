import Glibc

/// Writes lines to standard output and standard error; colours only where a person looks on
/// (no colours with NO_COLOR, or when it is not a terminal).
enum Terminal {
  /// The looks of a text.
  enum Style: String {
    case plain = "0"
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case cyan = "36"
  }

  /// Whether standard output shows colours.
  static let outputHasColour = hasColour(STDOUT_FILENO)
  /// Whether standard error shows colours.
  static let errorHasColour = hasColour(STDERR_FILENO)

  private static func hasColour(_ descriptor: CInt) -> Bool {
    isatty(descriptor) == 1 && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
  }

  /// A text for standard output in that style.
  static func styled(_ text: String, _ style: Style) -> String {
    outputHasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Writes a line to standard output, at once and whole.
  static func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

  /// Writes an error to standard error.
  static func error(_ message: String) {
    let head = errorHasColour ? "\u{1B}[31merror:\u{1B}[0m" : "error:"
    write("understudy: \(head) \(message)\n", to: STDERR_FILENO)
  }

  /// Writes a line to standard error as it is.
  static func note(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  /// Writes a text in place of the last line on standard error, a terminal.
  static func replaceNote(_ line: String) { write("\r\u{1B}[K" + line, to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: CInt) {
    let octets = Array(text.utf8)
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { return }
      written += max(0, count)
    }
  }
}
