import AccessoryProfile

/// The simplest rule that explains how a number changed.
package enum NumberPattern: Hashable, Sendable {
  /// Always the same.
  case constant(Double)
  /// Grows by one step with each sent value, from the lowest to the highest number, then starts over.
  case counter(from: Double, to: Double, step: Double)
  /// Linear in time, in seconds.
  case ramp(from: Double, to: Double, over: Double)
  /// A sine, with its period in seconds.
  case sine(low: Double, high: Double, period: Double)
  /// Wanders between two numbers, with a period in seconds in which it changes its direction about five times.
  case wander(low: Double, high: Double, period: Double)
  /// Anything between two numbers, after each interval in seconds.
  case random(low: Double, high: Double, every: Double)
}

/// A number that changes over time.
package struct NumberSeries: Hashable, Sendable {
  /// The times in seconds, in ascending order.
  package var times: [Double]
  /// The number at each time.
  package var values: [Double]

  /// Creates a series.
  package init(times: [Double], values: [Double]) {
    self.times = times
    self.values = values
  }

  private var low: Double { values.min() ?? 0 }
  private var high: Double { values.max() ?? 0 }
  private var span: Double { (times.last ?? 0) - (times.first ?? 0) }

  /// The allowed deviation of a number from a rule: the resolution, but at most a sixth of the range and at least `part` of it. The resolution
  /// is the smallest difference between consecutive numbers.
  private func tolerance(_ part: Double) -> Double {
    let unit = zip(values.dropFirst(), values).map { abs($0 - $1) }.filter { $0 > 0 }.min() ?? 0
    return max(min(unit, (high - low) / 6) * 1.01, (high - low) * part)
  }

  /// Returns the rule that explains the numbers; nil if there are too few.
  ///
  /// - Parameters:
  ///   - isPushed: Whether there is one number for each sent value. Only then can they show a counter.
  package func pattern(isPushed: Bool) -> NumberPattern? {
    guard let first = values.first else { return nil }
    if low == high { return .constant(first) }
    guard values.count >= 3, span > 0 else { return nil }
    if isPushed, values.count >= 5, let counter { return counter }
    return ramp ?? sine ?? wandering
  }

  /// A counter: all steps are equal, except where the number starts over.
  private var counter: NumberPattern? {
    let steps = zip(values.dropFirst(), values).map { $0 - $1 }
    guard let step = steps.first(where: { $0 > 0 }), steps.allSatisfy({ $0 == step || $0 < 0 }) else { return nil }
    let restarts = zip(values.dropFirst(), values).filter { $0 < $1 }
    guard restarts.allSatisfy({ $0.0 == low && $0.1 == high }), steps.filter({ $0 == step }).count >= 4,
      Set(values).count >= 3
    else { return nil }
    return restarts.isEmpty ? .counter(from: low, to: .infinity, step: step) : .counter(from: low, to: high, step: step)
  }

  private var ramp: NumberPattern? {
    guard Set(values).count >= 3, let fit = line else { return nil }
    let allowed = tolerance(0.02)
    guard zip(times, values).allSatisfy({ abs(fit.offset + fit.slope * $0 - $1) <= allowed }) else { return nil }
    return .ramp(from: values[0], to: values[values.count - 1], over: span)
  }

  /// The least squares line.
  private var line: (offset: Double, slope: Double)? {
    let count = Double(times.count)
    let (time, value) = (times.reduce(0, +) / count, values.reduce(0, +) / count)
    let spread = times.reduce(0) { $0 + ($1 - time) * ($1 - time) }
    guard spread > 0 else { return nil }
    let slope = zip(times, values).reduce(0) { $0 + ($1.0 - time) * ($1.1 - value) } / spread
    return (value - slope * time, slope)
  }

  // MARK: Waves

  /// A sine with the best of many periods, if it explains all numbers.
  private var sine: NumberPattern? {
    guard values.count >= 12 else { return nil }
    let thin = thinned(to: 300)
    let shortest = 4 * span / Double(times.count)
    var best: (period: Double, fit: SineFit)?
    for round in 0..<2 {
      let steps = 240
      let (from, to) = round == 0 ? (shortest, span * 1.25) : ((best?.period ?? 1) * 0.97, (best?.period ?? 1) * 1.03)
      guard from > 0, to > from else { return nil }
      for step in 0...steps {
        // Even steps in frequency, to which the fit is sensitive.
        let period = 1 / (1 / from + (1 / to - 1 / from) * Double(step) / Double(steps))
        if let fit = thin.sineFit(period: period), fit.error < best?.fit.error ?? .infinity { best = (period, fit) }
      }
    }
    guard let best, best.fit.error <= tolerance(0.03) else { return nil }
    return .sine(low: best.fit.middle - best.fit.height, high: best.fit.middle + best.fit.height, period: best.period)
  }

  private struct SineFit {
    var middle: Double
    var height: Double
    /// The largest deviation of a number.
    var error: Double
  }

  private func thinned(to count: Int) -> NumberSeries {
    guard times.count > count else { return self }
    let places = (0..<count).map { $0 * times.count / count }
    return NumberSeries(times: places.map { times[$0] }, values: places.map { values[$0] })
  }

  /// The least squares fit of a sine with that period.
  private func sineFit(period: Double) -> SineFit? {
    var (ss, cc, sc, s, c, sv, cv, v) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    let waves = times.map { time in
      let turns = (time - times[0]) / period
      let phase = turns - turns.rounded(.down)
      return (
        sine: NumberGenerator.sine(phase), cosine: NumberGenerator.sine(phase < 0.75 ? phase + 0.25 : phase - 0.75)
      )
    }
    for (wave, value) in zip(waves, values) {
      ss += wave.sine * wave.sine
      cc += wave.cosine * wave.cosine
      sc += wave.sine * wave.cosine
      s += wave.sine
      c += wave.cosine
      sv += wave.sine * value
      cv += wave.cosine * value
      v += value
    }
    let n = Double(values.count)
    // Three normal equations, by Cramer's rule.
    let determinant = ss * (cc * n - c * c) - sc * (sc * n - c * s) + s * (sc * c - cc * s)
    guard abs(determinant) > 1e-9 else { return nil }
    let a = (sv * (cc * n - c * c) - sc * (cv * n - c * v) + s * (cv * c - cc * v)) / determinant
    let b = (ss * (cv * n - c * v) - sv * (sc * n - c * s) + s * (sc * v - cv * s)) / determinant
    let middle = (ss * (cc * v - cv * c) - sc * (sc * v - cv * s) + sv * (sc * c - cc * s)) / determinant
    var error = 0.0
    for (wave, value) in zip(waves, values) {
      error = max(error, abs(a * wave.sine + b * wave.cosine + middle - value))
    }
    return SineFit(middle: middle, height: (a * a + b * b).squareRoot(), error: error)
  }

  /// Numbers without a rule: they wander if they change little from one to the next, and jump otherwise.
  private var wandering: NumberPattern? {
    let steps = zip(values.dropFirst(), values).map { abs($0 - $1) }
    let mean = steps.reduce(0, +) / Double(steps.count)
    let gap = span / Double(steps.count)
    guard values.count >= 5 else { return nil }
    guard mean < (high - low) / 5 else { return .random(low: low, high: high, every: gap) }
    var turns = 0
    var direction = 0.0
    for (next, value) in zip(values.dropFirst(), values) where next != value {
      let new = next > value ? 1.0 : -1.0
      if direction != 0, new != direction { turns += 1 }
      direction = new
    }
    // A random walk has eight points in a period, and turns at about two thirds of them.
    return .wander(low: low, high: high, period: span * 16 / 3 / Double(max(1, turns)))
  }
}
