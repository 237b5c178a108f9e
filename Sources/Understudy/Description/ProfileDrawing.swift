import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

extension ProfileDescription {
  /// The page as a picture: the attributes as a tree, and beside them what a connection with the accessory looks like.
  package var svg: String {
    var drawing = SVGDrawing()
    drawing.text(name, x: 16, y: 28, .title)
    drawing.text(about, x: 16, y: 28 + SVGDrawing.lineHeight, .quiet)
    let right = draw(services: &drawing, top: 70)
    draw(connection: &drawing, left: right + 48, top: 70)
    return drawing.finished(title: "\(name): services, and the sequence of a connection")
  }

  /// Draws every service as a box with a line for each characteristic; returns where they end on the right.
  private func draw(services drawing: inout SVGDrawing, top: Double) -> Double {
    let line = SVGDrawing.lineHeight
    let blocks = database.services.map { service in
      (head: service.uuid.displayText, rows: database.characteristics(of: service).map { row(of: $0) })
    }
    let longest = blocks.flatMap { [$0.head] + $0.rows }.map(\.count).max() ?? 0
    let width = Double(longest) * SVGDrawing.characterWidth + 24
    var y = top
    for block in blocks {
      let height = line * Double(block.rows.count + 1) + 12
      drawing.box(x: 16, y: y, width: width, height: height)
      drawing.box(x: 16, y: y, width: width, height: line + 6, isHead: true)
      drawing.text(block.head, x: 26, y: y + 16, .strong)
      for (place, row) in block.rows.enumerated() {
        drawing.text(row, x: 26, y: y + line * Double(place + 2) + 2)
      }
      y += height + 10
    }
    return 16 + width
  }

  private func row(of record: CharacteristicRecord) -> String {
    let name = record.definition.uuid.assignedName?.displayName ?? record.definition.id
    return "\(record.value.hex) \(name) (\(record.definition.propertyNames.joined(separator: ", ")))"
  }

  /// Draws what passes between a central and the accessory, from above to below.
  private func draw(connection drawing: inout SVGDrawing, left: Double, top: Double) {
    let steps = connectionSteps
    let line = SVGDrawing.lineHeight
    let longest = steps.map(\.text.count).max() ?? 0
    let width = max(280, Double(longest) * SVGDrawing.characterWidth + 48)
    let (central, accessory) = (left + 40, left + 40 + width)
    for (x, name) in [(central, "Central"), (accessory, "Accessory")] {
      drawing.box(x: x - 40, y: top, width: 80, height: line + 6, isHead: true)
      drawing.text(name, x: x - Double(name.count) * SVGDrawing.characterWidth / 2, y: top + 16, .strong)
    }
    var y = top + 50
    let bottom = y + Double(steps.count) * 34
    for x in [central, accessory] {
      drawing.line(fromX: x, fromY: top + line + 6, toX: x, toY: bottom, isDashed: true)
    }
    for step in steps {
      let (from, to) = step.isFromCentral ? (central, accessory) : (accessory, central)
      drawing.text(
        step.text, x: central + (width - Double(step.text.count) * SVGDrawing.characterWidth) / 2, y: y - 6,
        step.isRepeated ? .quiet : .plain)
      drawing.line(fromX: from, fromY: y, toX: to, toY: y, isArrow: true)
      y += 34
    }
  }
}

/// One arrow of the sequence of a connection.
struct ConnectionStep: Hashable, Sendable {
  /// What passes.
  var text: String
  /// Whether the central sends it.
  var isFromCentral: Bool
  /// Whether it goes on, again and again.
  var isRepeated = false
}
