/// Makes what a terminal is told out of the lines of a screen: only those that are not there already (ECMA-48).
package struct ScreenPainter: Sendable {
  private let usesColour: Bool
  private var shown: [ScreenLine] = []

  /// A painter of a screen of which nothing is known.
  package init(usesColour: Bool) { self.usesColour = usesColour }

  /// Writes every line again, for a screen that may hold something else.
  package mutating func forget() { shown = [] }

  /// What to write so that the terminal shows those lines.
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

  /// What selects a look; colours only where they are wanted.
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
