import Understudy

/// A picture of several series, one below the other, over the same time.
package enum CurveChart {
  private static let (left, right, top, height, gap) = (96.0, 840.0, 64.0, 150.0, 56.0)
  private static let (timeMarks, valueMarks) = (6, 4)

  /// Returns the picture as the text of an SVG file.
  package static func svg(_ series: [PlotSeries], title: String) -> String {
    let rows = Double(max(1, series.count))
    var drawing = SVGDrawing(width: Int(right) + 40, height: Int(top + rows * (height + gap) + 8))
    drawing.text(title, x: 24, y: 32, size: 18, isBold: true)
    let times = timeScale(of: series)
    for (row, one) in series.enumerated() {
      draw(one, times, at: top + Double(row) * (height + gap), &drawing)
    }
    return drawing.document
  }

  /// Returns a scale that covers the times of all series.
  static func timeScale(of series: [PlotSeries]) -> RoundScale {
    let ends = series.compactMap { one in
      one.points.first.flatMap { first in one.points.last.map { (first.seconds, $0.seconds) } }
    }
    let (from, to) = (ends.map(\.0).min() ?? 0, ends.map(\.1).max() ?? 1)
    return RoundScale(min(from, to)...max(from, to), marks: timeMarks)
  }

  private static func draw(_ series: PlotSeries, _ times: RoundScale, at top: Double, _ drawing: inout SVGDrawing) {
    let values = RoundScale(series.range ?? 0...1, marks: valueMarks)
    func x(_ seconds: Double) -> Double { left + (right - left) * times.place(seconds) }
    func y(_ value: Double) -> Double { top + 20 + (height - 20) * (1 - values.place(value)) }
    let unit = series.unit.isEmpty ? "" : ", \(series.unit)"
    drawing.text(series.name + unit, x: left, y: top + 10, size: 13, isBold: true)
    drawing.text(
      "\(series.points.count) \(series.points.count == 1 ? "value" : "values")", x: right, y: top + 10, anchor: .end,
      size: 11,
      fill: SVGPalette.quiet)
    for mark in values.marks {
      drawing.line(from: (left, y(mark)), to: (right, y(mark)), stroke: SVGPalette.grid)
      drawing.text(values.text(mark), x: left - 8, y: y(mark) + 4, anchor: .end, size: 11, fill: SVGPalette.quiet)
    }
    for mark in times.marks {
      drawing.line(from: (x(mark), top + 20), to: (x(mark), top + height + 5), stroke: SVGPalette.grid)
      drawing.text(
        times.text(mark) + " s", x: x(mark), y: top + height + 20, anchor: .middle, size: 11, fill: SVGPalette.quiet)
    }
    drawing.line(from: (left, top + height), to: (right, top + height), stroke: SVGPalette.frame)
    let span = times.range.upperBound - times.range.lowerBound
    let points = series.thinned(columns: Int(right - left), from: times.range.lowerBound, span: span)
      .map { (x: x($0.seconds), y: y($0.value)) }
    if series.form == .curve, points.count > 1 { drawing.curve(points, stroke: SVGPalette.accent) }
    // Mark single values only if there are few.
    if series.form == .points || points.count <= 60 {
      for point in points { drawing.point(x: point.x, y: point.y, fill: SVGPalette.accent) }
    }
  }
}
