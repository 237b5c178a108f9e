/// Measured numbers and times, as a person would write them.
enum RoundText {
  /// Returns a number with at most three decimal places.
  static func number(_ number: Double) -> String {
    let rounded = (number * 1_000).rounded() / 1_000
    if rounded == rounded.rounded(), abs(rounded) < 1e15 { return String(Int64(rounded)) }
    return "\(rounded)"
  }

  /// Returns a time in the unit that makes it a short number.
  static func duration(_ seconds: Double) -> String {
    let milliseconds = seconds * 1_000
    // Take the roundest number that is close enough.
    for unit in [60_000.0, 10_000, 1_000, 500, 100, 50, 10, 5, 1] {
      let rounded = (milliseconds / unit).rounded() * unit
      guard rounded > 0, abs(rounded - milliseconds) <= milliseconds * 0.015 else { continue }
      if rounded >= 120_000, rounded.truncatingRemainder(dividingBy: 60_000) == 0 {
        return "\(number(rounded / 60_000)) min"
      }
      return rounded >= 1_000 ? "\(number(rounded / 1_000)) s" : "\(number(rounded)) ms"
    }
    return "\(number(max(1, milliseconds.rounded()))) ms"
  }
}
