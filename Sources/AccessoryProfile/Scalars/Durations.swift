import BLECore

/// Parses and formats durations: a number, an optional space, and a unit.
package enum Durations {
  /// The units and their lengths in microseconds.
  static let units: [(name: String, microseconds: Double)] = [
    ("us", 1), ("ms", 1000), ("s", 1_000_000), ("min", 60_000_000), ("h", 3_600_000_000), ("d", 86_400_000_000),
  ]

  /// Parses a text such as `152.5 ms` or `8 h`. Returns nil for anything else, and for more than 100 years.
  package static func parse(_ text: some StringProtocol) -> Duration? {
    let unit = String(text.reversed().prefix { $0.isLetter }.reversed())
    guard let scale = units.first(where: { $0.name == unit })?.microseconds else { return nil }
    var number = text.dropLast(unit.count)
    if number.hasSuffix(" ") { number = number.dropLast() }
    guard let value = Numbers.decimal(number), value >= 0 else { return nil }
    let microseconds = (value * scale).rounded()
    guard microseconds <= 3.2e15 else { return nil }
    return .microseconds(Int64(microseconds))
  }

  /// Describes a range of durations and its step in words.
  static func text(_ range: ClosedRange<Duration>, _ step: Duration?) -> String {
    "\(text(range.lowerBound)) to \(text(range.upperBound))" + (step.map { ", in steps of \(text($0))" } ?? "")
  }

  /// Returns the duration as in a profile, in the largest unit that needs no fraction, or else in milliseconds.
  package static func text(_ duration: Duration) -> String {
    if duration == .zero { return "0 s" }
    let microseconds = duration.inNanoseconds / 1000
    for unit in units.reversed() where unit.microseconds >= 1000 {
      let size = Int64(unit.microseconds)
      if microseconds != 0, microseconds.isMultiple(of: size) { return "\(microseconds / size) \(unit.name)" }
    }
    return "\(Double(microseconds) / 1000) ms"
  }
}
