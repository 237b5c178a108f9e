/// A picture as SVG, made of boxes, lines and texts in one style, which follows the reader's light or dark scheme.
///
/// Every text is escaped: names may come from anybody.
package struct SVGDrawing: Sendable {
  /// How a text looks.
  package enum TextStyle: String, Sendable {
    case plain, strong, quiet, title
  }

  /// How wide a character of the font is, in the units of coordinates.
  package static let characterWidth = 7.3
  /// The height of a line of text.
  package static let lineHeight = 18.0

  private var elements: [String] = []
  private var width = 0.0
  private var height = 0.0
  private let margin = 16.0

  /// A picture with nothing on it.
  package init() {}

  /// A text that begins at that point of its base line.
  package mutating func text(_ text: String, x: Double, y: Double, _ style: TextStyle = .plain) {
    extend(x + Double(text.count) * Self.characterWidth, y)
    elements.append("<text class=\"\(style.rawValue)\" x=\"\(x)\" y=\"\(y)\">\(Self.escaped(text))</text>")
  }

  /// A box with rounded corners.
  package mutating func box(x: Double, y: Double, width: Double, height: Double, isHead: Bool = false) {
    extend(x + width, y + height)
    elements.append(
      "<rect class=\"\(isHead ? "head" : "box")\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" rx=\"4\"/>"
    )
  }

  /// A line, with the head of an arrow at its end where it is one.
  package mutating func line(
    fromX: Double, fromY: Double, toX: Double, toY: Double, isArrow: Bool = false, isDashed: Bool = false
  ) {
    extend(max(fromX, toX), max(fromY, toY))
    elements.append(
      "<line class=\"\(isDashed ? "dashed" : "line")\" x1=\"\(fromX)\" y1=\"\(fromY)\" x2=\"\(toX)\" y2=\"\(toY)\""
        + "\(isArrow ? " marker-end=\"url(#arrow)\"" : "")/>")
  }

  /// The whole file; `title` is for who cannot see it.
  package func finished(title: String) -> String {
    let (width, height) = (Int((width + margin).rounded(.up)), Int((height + margin).rounded(.up)))
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" role="img">
      <title>\(Self.escaped(title))</title>
      <style>
      text { font: 12px ui-monospace, monospace; fill: #16191d; white-space: pre; }
      .title { font-size: 16px; font-weight: bold; } .strong { font-weight: bold; } .quiet { fill: #4d5661; }
      .ground { fill: #fff; } .box { fill: #f6f7f9; stroke: #c7cdd4; } .head { fill: #dce9f8; stroke: #0b57a8; }
      .line, .dashed { stroke: #0b57a8; } .dashed { stroke-dasharray: 4 4; stroke: #88919b; } .tip { fill: #0b57a8; }
      @media (prefers-color-scheme: dark) {
      text { fill: #e9edf1; } .quiet { fill: #aab4bf; } .ground { fill: #14171a; }
      .box { fill: #1d2126; stroke: #444d57; } .head { fill: #17304d; stroke: #8ab8ff; } .line { stroke: #8ab8ff; } .tip { fill: #8ab8ff; }
      }
      </style>
      <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>
      <rect class="ground" width="\(width)" height="\(height)"/>
      \(elements.joined(separator: "\n"))
      </svg>
      """
  }

  private mutating func extend(_ x: Double, _ y: Double) { (width, height) = (max(width, x), max(height, y)) }

  /// A text as XML has it; characters that XML cannot hold are replaced (XML 1.0 2.2).
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
