import BLECore

/// Text for a terminal: the program's own styles, and untrusted texts with their control characters escaped.
///
/// Literals are used unchanged. Interpolated values are untrusted and escaped, unless they are a `TerminalText`. So no
/// text from a peer, a profile, a capture or a request can move the cursor, change colors or the writing direction.
///
/// ```swift
/// Terminal.print("\(Terminal.styled(name, .bold)) has joined through \(place)")
/// ```
struct TerminalText: ExpressibleByStringInterpolation, Sendable {
  /// The octets for the terminal.
  private(set) var rendered: String

  init(stringLiteral text: String) { rendered = text }

  init(stringInterpolation: StringInterpolation) { rendered = stringInterpolation.rendered }

  /// Escapes an untrusted text, on one line.
  init(_ text: some StringProtocol) { rendered = Self.escaped(text, keepingLines: false) }

  /// Escapes an untrusted text with several lines, which may be indented with tabs.
  init(lines text: some StringProtocol) { rendered = Self.escaped(text, keepingLines: true) }

  /// Escapes an untrusted text, and puts it between two escape sequences.
  init(_ text: String, beginning: String, end: String) {
    rendered = beginning + Self.escaped(text, keepingLines: false) + end
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var rendered = ""

    init(literalCapacity: Int, interpolationCount: Int) { rendered.reserveCapacity(literalCapacity) }
    mutating func appendLiteral(_ literal: String) { rendered += literal }
    mutating func appendInterpolation(_ text: TerminalText) { rendered += text.rendered }
    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      rendered += TerminalText.escaped("\(value)", keepingLines: false)
    }
  }

  static func + (left: TerminalText, right: TerminalText) -> TerminalText {
    var sum = left
    sum.rendered += right.rendered
    return sum
  }

  private static func escaped(_ text: some StringProtocol, keepingLines: Bool) -> String {
    guard text.unicodeScalars.contains(where: \.isActive) else { return String(text) }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where keepingLines, "\t" where keepingLines: result.unicodeScalars.append(scalar)
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isActive: result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
