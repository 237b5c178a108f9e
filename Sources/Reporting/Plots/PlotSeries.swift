/// Numbers over time, for a picture.
package struct PlotSeries: Sendable {
  /// The meaning of the points.
  package enum Form: Sendable {
    /// Each point lasts until the next one.
    case curve
    /// Each point stands alone.
    case points
  }

  /// What the numbers are.
  package var name: String
  /// Their unit; empty if there is none.
  package var unit: String
  /// The meaning of the points.
  package var form: Form
  /// The numbers, with their times in seconds since the start, in order.
  package var points: [(seconds: Double, value: Double)]

  /// Creates a series.
  package init(name: String, unit: String = "", form: Form = .curve, points: [(seconds: Double, value: Double)]) {
    (self.name, self.unit, self.form, self.points) = (name, unit, form, points)
  }

  /// The lowest and the highest number; nil if there are no points.
  package var range: ClosedRange<Double>? {
    guard let first = points.first?.value else { return nil }
    return points.reduce(first...first) { min($0.lowerBound, $1.value)...max($0.upperBound, $1.value) }
  }

  /// Returns the points for a picture of `span` seconds with this many columns. A crowded column keeps its first, lowest, highest and last
  /// point.
  package func thinned(columns: Int, from start: Double, span: Double) -> [(seconds: Double, value: Double)] {
    guard points.count > 4 * columns, span > 0 else { return points }
    func column(_ index: Int) -> Int { Int((points[index].seconds - start) / span * Double(columns)) }
    var (kept, index): ([Int], Int) = ([], 0)
    while index < points.count {
      let first = index
      var (low, high) = (index, index)
      while index < points.count, column(index) == column(first) {
        if points[index].value < points[low].value { low = index }
        if points[index].value > points[high].value { high = index }
        index += 1
      }
      kept += Set([first, low, high, index - 1]).sorted()
    }
    return kept.map { points[$0] }
  }
}

/// A scale with round marks.
package struct RoundScale: Sendable {
  /// The lowest and the highest number.
  package let range: ClosedRange<Double>
  /// The distance between the marks.
  package let step: Double

  /// Creates a scale that covers a range with about `marks` marks.
  package init(_ wanted: ClosedRange<Double>, marks: Int) {
    let isFlat = wanted.lowerBound == wanted.upperBound
    let low = isFlat ? wanted.lowerBound - max(1, abs(wanted.lowerBound) * 0.1) : wanted.lowerBound
    let high = isFlat ? wanted.upperBound + max(1, abs(wanted.upperBound) * 0.1) : wanted.upperBound
    let rough = (high - low) / Double(max(1, marks))
    var power = 1.0
    while power * 10 <= rough { power *= 10 }
    while power > rough { power /= 10 }
    step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? 10 * power
    range = (low / step).rounded(.down) * step...(high / step).rounded(.up) * step
  }

  /// The marks, in order.
  package var marks: [Double] {
    let count = Int(((range.upperBound - range.lowerBound) / step).rounded())
    return (0...count).map { range.lowerBound + Double($0) * step }
  }

  /// Returns the place of a number: 0 at the low end, 1 at the high one.
  package func place(_ value: Double) -> Double {
    (value - range.lowerBound) / (range.upperBound - range.lowerBound)
  }

  /// Returns a number with as many decimals as the marks need.
  package func text(_ value: Double) -> String {
    var (decimals, unit) = (0, 1.0)
    while unit > step * 1.0001, decimals < 9 { (decimals, unit) = (decimals + 1, unit / 10) }
    let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let rounded = (value * factor).rounded()
    guard rounded.magnitude < 1e15 else { return "\(value)" }
    let whole = Int64(rounded)
    guard decimals > 0 else { return "\(whole)" }
    let digits = String(whole.magnitude)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return (whole < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }
}
