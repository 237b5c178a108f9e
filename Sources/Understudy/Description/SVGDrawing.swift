/// A picture in Scalable Vector Graphics, shape by shape. Coordinates are pixels from the upper left corner.
package struct SVGDrawing: Sendable {
  /// The position of a text relative to its coordinate.
  package enum Anchor: String, Sendable { case start, middle, end }

  private let width: Int
  private let height: Int
  private var shapes: [String] = []

  /// Creates an empty white picture.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    rectangle(x: 0, y: 0, width: Double(width), height: Double(height), fill: "#ffffff")
  }

  package mutating func rectangle(
    x: Double, y: Double, width: Double, height: Double, fill: String, stroke: String? = nil
  ) {
    shapes.append(
      "<rect x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" width=\"\(Self.text(width))\" height=\"\(Self.text(height))\" "
        + "fill=\"\(fill)\"\(stroke.map { " stroke=\"\($0)\"" } ?? "")/>")
  }

  package mutating func line(
    from: (x: Double, y: Double), to: (x: Double, y: Double), stroke: String, width: Double = 1
  ) {
    shapes.append(
      "<line x1=\"\(Self.text(from.x))\" y1=\"\(Self.text(from.y))\" x2=\"\(Self.text(to.x))\" y2=\"\(Self.text(to.y))\" "
        + "stroke=\"\(stroke)\" stroke-width=\"\(Self.text(width))\"/>")
  }

  /// Draws a horizontal line with an arrowhead.
  package mutating func arrow(from: (x: Double, y: Double), toX: Double, stroke: String) {
    line(from: from, to: (toX, from.y), stroke: stroke, width: 1.5)
    let back = from.x < toX ? -8.0 : 8.0
    polygon([(toX, from.y), (toX + back, from.y - 4), (toX + back, from.y + 4)], fill: stroke)
  }

  /// Draws a square that stands on a corner.
  package mutating func diamond(x: Double, y: Double, radius: Double, fill: String) {
    polygon([(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)], fill: fill)
  }

  /// Draws a curve through points.
  package mutating func curve(_ points: [(x: Double, y: Double)], stroke: String, width: Double = 1.5) {
    let places = points.map { "\(Self.text($0.x)),\(Self.text($0.y))" }.joined(separator: " ")
    shapes.append(
      "<polyline points=\"\(places)\" fill=\"none\" stroke=\"\(stroke)\" stroke-width=\"\(Self.text(width))\"/>")
  }

  /// Draws a point.
  package mutating func point(x: Double, y: Double, radius: Double = 2, fill: String) {
    shapes.append(
      "<circle cx=\"\(Self.text(x))\" cy=\"\(Self.text(y))\" r=\"\(Self.text(radius))\" fill=\"\(fill)\"/>")
  }

  private mutating func polygon(_ corners: [(Double, Double)], fill: String) {
    let points = corners.map { "\(Self.text($0.0)),\(Self.text($0.1))" }.joined(separator: " ")
    shapes.append("<polygon points=\"\(points)\" fill=\"\(fill)\"/>")
  }

  package mutating func text(
    _ content: String, x: Double, y: Double, anchor: Anchor = .start, size: Int = 12, fill: String = "#222222",
    isBold: Bool = false
  ) {
    let weight = isBold ? " font-weight=\"bold\"" : ""
    shapes.append(
      "<text x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" font-size=\"\(size)\" text-anchor=\"\(anchor.rawValue)\" "
        + "fill=\"\(fill)\"\(weight)>\(Self.escaped(content))</text>")
  }

  /// The whole file.
  package var document: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
    font-family="Helvetica, Arial, sans-serif">
    \(shapes.joined(separator: "\n"))
    </svg>

    """
  }

  private static func text(_ coordinate: Double) -> String {
    let rounded = (coordinate * 10).rounded() / 10
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  /// Escapes a text for XML, because names can contain anything. Characters that XML cannot represent are replaced (XML 1.0 2.2).
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
