/// A picture of series for a terminal: columns of block elements (Unicode 2581 to 2588), or of ASCII characters.
package enum TerminalChart {
  private static let blocks = Array(" ▁▂▃▄▅▆▇█")
  private static let valueMarks = 4

  /// Returns the lines of a picture.
  ///
  /// - Parameters:
  ///   - width: The width in characters, with the scale. A smaller number than 40 counts as 40.
  ///   - rows: The height of each series in lines.
  ///   - isASCII: Whether to use ASCII characters only.
  package static func lines(_ series: [PlotSeries], width: Int, rows: Int = 8, isASCII: Bool) -> [String] {
    let times = CurveChart.timeScale(of: series)
    return series.flatMap { lines(of: $0, times, width: max(40, width), rows: max(2, rows), isASCII) }
  }

  private static func lines(
    of series: PlotSeries, _ times: RoundScale, width: Int, rows: Int, _ isASCII: Bool
  ) -> [String] {
    let values = RoundScale(series.range ?? 0...1, marks: valueMarks)
    let labels = [values.range.upperBound, values.range.lowerBound].map(values.text)
    let margin = (labels.map(\.count).max() ?? 0) + 1
    let heights = columns(series, times, values, count: width - margin - 1)
    var lines = ["\(series.name)\(series.unit.isEmpty ? "" : ", \(series.unit)")"]
    for row in (0..<rows).reversed() {
      let label = row == rows - 1 ? labels[0] : row == 0 ? labels[1] : ""
      let bar = heights.map { height -> Character in
        guard let height else { return " " }
        // The filled part of this row. Even the lowest value fills something.
        let part = min(1, max(row == 0 ? 0.125 : 0, height * Double(rows) - Double(row)))
        return isASCII ? (part >= 0.5 || row == 0 ? "#" : " ") : blocks[Int((part * 8).rounded())]
      }
      var line = String(repeating: " ", count: margin - 1 - label.count) + label + (isASCII ? " |" : " │") + String(bar)
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    let ends = ["\(times.text(times.range.lowerBound)) s", "\(times.text(times.range.upperBound)) s"]
    let space = max(1, width - margin - 1 - ends[0].count - ends[1].count)
    return lines + [
      String(repeating: " ", count: margin + 1) + ends[0] + String(repeating: " ", count: space) + ends[1], "",
    ]
  }

  /// Returns the height of each column, from 0 to 1; nil for an empty column. A curve keeps its value until the next one.
  private static func columns(_ series: PlotSeries, _ times: RoundScale, _ values: RoundScale, count: Int) -> [Double?]
  {
    var (sums, counts) = (Array(repeating: 0.0, count: count), Array(repeating: 0, count: count))
    for point in series.points {
      let column = min(count - 1, max(0, Int(times.place(point.seconds) * Double(count))))
      sums[column] += point.value
      counts[column] += 1
    }
    var columns = zip(sums, counts).map { $1 > 0 ? values.place($0 / Double($1)) : nil }
    guard series.form == .curve, let last = counts.lastIndex(where: { $0 > 0 }) else { return columns }
    var latest: Double?
    for column in 0...last {
      latest = columns[column] ?? latest
      columns[column] = latest
    }
    return columns
  }
}
