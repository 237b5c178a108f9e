import AccessoryProfile
import BLECore
import BLEGATT

extension ProfileDescription {
  /// The page as an SVG file: the attributes as boxes, next to the sequence of a connection.
  package var svg: String { ProfileDrawing(self).document }
}

/// The layout of a profile's picture.
private struct ProfileDrawing {
  private static let (accent, head, frame, quiet) = ("#3b76b8", "#dce9f8", "#c7cdd4", "#555555")
  private static let (left, top, lineHeight, stepHeight) = (24.0, 84.0, 18.0, 34.0)
  /// The maximum average width of a character in usual texts.
  private static let characterWidth = 6.6

  private let name: String
  private let about: String
  private let blocks: [(head: String, rows: [String])]
  private let steps: [ConnectionStep]

  init(_ page: ProfileDescription) {
    name = page.profile.name
    about = page.profile.about
    steps = page.connectionSteps
    blocks = page.database.services.map { service in
      let rows = page.database.characteristics(of: service).map { record in
        let name = record.definition.uuid.assignedName?.displayName ?? record.definition.id
        return "\(record.value.hexadecimalText)  \(name) (\(record.definition.propertyNames.joined(separator: ", ")))"
      }
      return (service.uuid.displayText, rows)
    }
  }

  var document: String {
    let boxes = Self.width(of: blocks.flatMap { [$0.head] + $0.rows }) + 24
    let lane = max(240, Self.width(of: steps.map(\.text)) + 40)
    let central = Self.left + boxes + 96
    let height = max(blocks.reduce(Self.top) { $0 + boxHeight($1.rows.count) + 10 }, lanesBottom) + 24
    let width = max(central + lane + 64, Self.left * 2 + Self.width(of: [about]))
    var drawing = SVGDrawing(width: Int(width), height: Int(height))
    drawing.text(name, x: Self.left, y: 32, size: 18, isBold: true)
    drawing.text(about, x: Self.left, y: 56, fill: Self.quiet)
    drawBlocks(&drawing, width: boxes)
    drawSteps(&drawing, central: central, accessory: central + lane)
    return drawing.document
  }

  private static func width(of texts: [String]) -> Double { Double(texts.map(\.count).max() ?? 0) * characterWidth }

  private func boxHeight(_ rows: Int) -> Double { Self.lineHeight * Double(rows + 1) + 12 }

  private var lanesBottom: Double { Self.top + 50 + Double(steps.count) * Self.stepHeight }

  private func drawBlocks(_ drawing: inout SVGDrawing, width: Double) {
    var y = Self.top
    for block in blocks {
      let height = boxHeight(block.rows.count)
      drawing.rectangle(x: Self.left, y: y, width: width, height: height, fill: "#ffffff", stroke: Self.frame)
      drawing.rectangle(x: Self.left, y: y, width: width, height: 24, fill: Self.head, stroke: Self.frame)
      drawing.text(block.head, x: Self.left + 10, y: y + 16, isBold: true)
      for (place, row) in block.rows.enumerated() {
        drawing.text(row, x: Self.left + 10, y: y + Self.lineHeight * Double(place + 2) + 2)
      }
      y += height + 10
    }
  }

  private func drawSteps(_ drawing: inout SVGDrawing, central: Double, accessory: Double) {
    for (x, name) in [(central, "Central"), (accessory, "Accessory")] {
      drawing.line(from: (x, Self.top + 24), to: (x, lanesBottom - 10), stroke: Self.frame)
      drawing.rectangle(x: x - 44, y: Self.top, width: 88, height: 24, fill: Self.head, stroke: Self.frame)
      drawing.text(name, x: x, y: Self.top + 16, anchor: .middle, isBold: true)
    }
    for (place, step) in steps.enumerated() {
      let y = Self.top + 54 + Double(place) * Self.stepHeight
      drawing.text(
        step.text, x: (central + accessory) / 2, y: y - 6, anchor: .middle,
        fill: step.isRepeated ? Self.quiet : "#222222")
      let (from, to) = step.isFromCentral ? (central, accessory) : (accessory, central)
      drawing.arrow(from: (from, y), toX: to, stroke: Self.accent)
    }
  }
}
