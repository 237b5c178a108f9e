/// Converts the lines of a screen to text for a terminal. Only lines that have changed are included (ECMA-48).
package struct ScreenPainter: Sendable {
  private let usesColour: Bool
  private var shown: [ScreenLine] = []

  /// Creates a painter for a screen with unknown content.
  package init(usesColour: Bool) { self.usesColour = usesColour }

  /// Makes the next text include every line, because the screen may show something else.
  package mutating func forget() { shown = [] }

  /// Returns the text that makes the terminal show these lines.
  package mutating func text(showing lines: [ScreenLine]) -> String {
    if lines.count != shown.count { shown = [] }
    var text = ""
    for (row, line) in lines.enumerated() where !shown.indices.contains(row) || shown[row] != line {
      text += "\u{1B}[\(row + 1);1H\(rendered(line))\u{1B}[0m\u{1B}[K"
    }
    shown = lines
    return text
  }

  private func rendered(_ line: ScreenLine) -> String {
    line.parts.map { part in
      let code = code(of: part.style)
      return code.isEmpty ? part.text : "\u{1B}[\(code)m\(part.text)\u{1B}[0m"
    }.joined()
  }

  /// Returns the code of a style; empty for colors if they are not used.
  private func code(of style: ScreenLine.Style) -> String {
    switch style {
    case .plain: ""
    case .bold: "1"
    case .inverse: "7"
    case .dim: usesColour ? "2" : ""
    case .red: usesColour ? "31" : ""
    case .green: usesColour ? "32" : ""
    case .cyan: usesColour ? "36" : ""
    }
  }
}
