import Glibc
import Understudy

/// The ladder as a picture, on a logarithmic scale: a bar for the measurement, a diamond for Apple's figure,
/// a line for the limit of the link layer.
package enum LadderChart {
  private static let (left, right, top, rowHeight) = (230.0, 720.0, 84.0, 40.0)
  private static let (bar, apple, grid) = (SVGPalette.accent, SVGPalette.second, SVGPalette.grid)
  private static let (computed, limit) = ("#8a8a8a", "#333333")
  /// The throughputs at the left and right ends of the scale, in kbit/s.
  private static let (lowest, highest) = (1.0, 2000.0)

  /// Returns the picture as the text of an SVG file.
  package static func svg(
    _ results: [StepResult], events: EventLimit = .none, title: String = "Throughput ladder, central to accessory"
  ) -> String {
    let bottom = top + rowHeight * Double(results.count)
    var drawing = SVGDrawing(width: 880, height: Int(bottom) + 44)
    drawing.text(title, x: 24, y: 32, size: 18, isBold: true)
    drawLegend(&drawing)
    drawScale(&drawing, bottom: bottom)
    for (row, result) in results.enumerated() {
      draw(result, events, at: top + rowHeight * (Double(row) + 0.5), &drawing)
    }
    return drawing.document
  }

  /// Returns the horizontal position of a throughput, in pixels.
  private static func place(_ kbps: Double) -> Double {
    let bounded = min(max(kbps, lowest), highest)
    return left + (right - left) * log10(bounded / lowest) / log10(highest / lowest)
  }

  private static func drawLegend(_ drawing: inout SVGDrawing) {
    drawing.rectangle(x: 24, y: 50, width: 22, height: 10, fill: bar)
    drawing.text("measured", x: 52, y: 60)
    drawing.diamond(x: 136, y: 55, radius: 6, fill: apple)
    drawing.text("Apple, WWDC 2017", x: 148, y: 60)
    drawing.line(from: (298, 47), to: (298, 63), stroke: limit, width: 2)
    drawing.text("what the link layer allows", x: 306, y: 60)
    drawing.diamond(x: 506, y: 55, radius: 6, fill: computed)
    drawing.text("computed from the timing of the PHY", x: 518, y: 60)
  }

  private static func drawScale(_ drawing: inout SVGDrawing, bottom: Double) {
    for decade in [1.0, 10, 100, 1000] {
      for step in 1...9 where decade * Double(step) <= highest {
        let x = place(decade * Double(step))
        guard step == 1 else {
          drawing.line(from: (x, bottom), to: (x, bottom + 4), stroke: "#bbbbbb")
          continue
        }
        drawing.line(from: (x, top), to: (x, bottom + 6), stroke: grid)
        drawing.text("\(Int(decade))", x: x, y: bottom + 20, anchor: .middle, size: 11)
      }
    }
    drawing.line(from: (left, bottom), to: (right, bottom), stroke: "#888888")
    drawing.text("kbit/s of payload", x: right, y: bottom + 36, anchor: .end, size: 11, fill: "#666666")
  }

  private static func draw(_ result: StepResult, _ events: EventLimit, at y: Double, _ drawing: inout SVGDrawing) {
    drawing.text("\(result.step.number)  \(result.step.name)", x: 24, y: y + 4, size: 13)
    if let transfer = result.transfer {
      let end = place(transfer.kbps)
      drawing.rectangle(x: left, y: y - 9, width: max(end - left, 1), height: 18, fill: bar)
      let x = place(transfer.limitKbps)
      drawing.line(from: (x, y - 14), to: (x, y + 14), stroke: limit, width: 2)
      drawing.text("\(LadderTable.number(transfer.kbps)) kbit/s", x: right + 14, y: y, size: 13, isBold: true)
      drawing.text(transfer.bound.rawValue, x: right + 14, y: y + 14, size: 10, fill: "#666666")
    } else {
      drawing.text("failed", x: right + 14, y: y + 4, size: 13, fill: "#b03030")
    }
    let reference = result.step.reference(octets: result.transfer?.octets ?? Ladder.defaultOctets, events: events)
    drawing.diamond(
      x: place(reference.kbps), y: y, radius: 6, fill: reference.source == .apple ? apple : computed)
  }
}
