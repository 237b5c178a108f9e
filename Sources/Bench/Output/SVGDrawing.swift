/// A picture in Scalable Vector Graphics, shape by shape. Coordinates are pixels from the upper left corner.
struct SVGDrawing {
  /// Where a text stands to its coordinate.
  enum Anchor: String { case start, middle, end }

  private let width: Int
  private let height: Int
  private var shapes: [String] = []

  /// An empty white picture.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    rectangle(x: 0, y: 0, width: Double(width), height: Double(height), fill: "#ffffff")
  }

  mutating func rectangle(x: Double, y: Double, width: Double, height: Double, fill: String) {
    shapes.append(
      "<rect x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" width=\"\(Self.text(width))\" height=\"\(Self.text(height))\" "
        + "fill=\"\(fill)\"/>")
  }

  mutating func line(from: (x: Double, y: Double), to: (x: Double, y: Double), stroke: String, width: Double = 1) {
    shapes.append(
      "<line x1=\"\(Self.text(from.x))\" y1=\"\(Self.text(from.y))\" x2=\"\(Self.text(to.x))\" y2=\"\(Self.text(to.y))\" "
        + "stroke=\"\(stroke)\" stroke-width=\"\(Self.text(width))\"/>")
  }

  /// A square that stands on its corner.
  mutating func diamond(x: Double, y: Double, radius: Double, fill: String) {
    let corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
    let points = corners.map { "\(Self.text($0.0)),\(Self.text($0.1))" }.joined(separator: " ")
    shapes.append("<polygon points=\"\(points)\" fill=\"\(fill)\"/>")
  }

  mutating func text(
    _ content: String, x: Double, y: Double, anchor: Anchor = .start, size: Int = 12, fill: String = "#222222",
    isBold: Bool = false
  ) {
    let weight = isBold ? " font-weight=\"bold\"" : ""
    shapes.append(
      "<text x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" font-size=\"\(size)\" text-anchor=\"\(anchor.rawValue)\" "
        + "fill=\"\(fill)\"\(weight)>\(Self.escaped(content))</text>")
  }

  /// The whole file.
  var document: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
    font-family="Helvetica, Arial, sans-serif">
    \(shapes.joined(separator: "\n"))
    </svg>

    """
  }

  private static func text(_ coordinate: Double) -> String {
    let rounded = coordinate.rounded(places: 1)
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  /// A text without the characters that mean something in XML.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
