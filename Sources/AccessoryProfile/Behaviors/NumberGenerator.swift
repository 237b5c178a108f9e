import BLECore

/// A number that changes over time. It is a function of the elapsed time and a seed, so it does not matter when or how often it is
/// evaluated.
public indirect enum NumberGenerator: Hashable, Sendable {
  /// A periodic shape.
  case wave(Shape, low: Double, high: Double, period: Duration)
  /// Changes linearly from one number to another over a time, then stays there.
  case ramp(from: Double, to: Double, over: Duration)
  /// Grows from zero by an amount per period, in whole steps.
  case rate(amount: Double, per: Duration)
  /// A new random number in a range after each interval.
  case random(low: Double, high: Double, every: Duration)
  /// Increases by one step each time the value is sent, or at each interval, and wraps around after the last number.
  case counter(from: Double, to: Double, step: Double, every: Duration?)
  /// Another generator's number plus noise of up to the given amount, which changes every 100 ms.
  case noisy(NumberGenerator, Double)
  /// Another generator's number rounded to the nearest multiple of a unit, like the resolution of a sensor.
  case rounded(NumberGenerator, to: Double)

  /// The shape of a wave.
  public enum Shape: String, Hashable, Sendable, CaseIterable {
    case sine, triangle, square
    /// Wanders between random points, eight in each period.
    case randomWalk = "random-walk"
  }

  /// The smallest and the largest possible numbers, in any order; without the largest if there is none.
  var extremes: [Double] {
    switch self {
    case .wave(_, let low, let high, _), .random(let low, let high, _): [low, high]
    case .ramp(let from, let to, _): [from, to]
    case .rate: [0]
    case .counter(let from, let to, _, _): [from, to]
    // Noise beyond the range of the format is clamped to the range.
    case .noisy(let generator, _), .rounded(let generator, _): generator.extremes
    }
  }

  /// Whether the number depends on how often it has been sent.
  var countsSamples: Bool {
    switch self {
    case .counter(_, _, _, every: nil): true
    case .noisy(let generator, _), .rounded(let generator, _): generator.countsSamples
    default: false
    }
  }

  /// Returns the number at a time since the generator's start, after `samples` values have been sent.
  func value(after elapsed: Duration, samples: Int, seed: UInt64) -> Double {
    let seconds = max(0, elapsed.inSeconds)
    switch self {
    case .wave(let shape, let low, let high, let period):
      return low + (high - low) * Self.level(shape, cycles: seconds / period.inSeconds, seed: seed)
    case .ramp(let from, let to, let over): return from + (to - from) * min(1, seconds / over.inSeconds)
    case .rate(let amount, let per): return amount * (seconds / per.inSeconds).rounded(.down)
    case .random(let low, let high, let every):
      let index = Int64(seconds / every.inSeconds)
      return low + (high - low) * SplitMix64.fraction(seed: seed, index: index)
    case .counter(let from, let to, let step, let every):
      let steps = every.map { (seconds / $0.inSeconds).rounded(.down) } ?? Double(samples)
      let count = ((to - from) / step).rounded(.down) + 1
      return from + step * steps.truncatingRemainder(dividingBy: count)
    case .noisy(let generator, let amount):
      let stray = SplitMix64.fraction(seed: ~seed, index: Int64(seconds * 10)) * 2 - 1
      return generator.value(after: elapsed, samples: samples, seed: seed) + amount * stray
    case .rounded(let generator, let unit):
      let value = generator.value(after: elapsed, samples: samples, seed: seed)
      // Divides where that is exact, so that tenths equal the same numbers written as decimals.
      let parts = (1 / unit).rounded()
      return unit < 1 && 1 / parts == unit ? (value * parts).rounded() / parts : (value / unit).rounded() * unit
    }
  }

  /// Returns the level of a wave in 0...1 after a number of periods.
  private static func level(_ shape: Shape, cycles: Double, seed: UInt64) -> Double {
    let phase = cycles - cycles.rounded(.down)
    switch shape {
    case .sine: return (1 + sine(phase)) / 2
    case .triangle: return phase < 0.5 ? phase * 2 : 2 - phase * 2
    case .square: return phase < 0.5 ? 1 : 0
    case .randomWalk:
      let place = cycles * 8
      let index = Int64(place)
      let first = SplitMix64.fraction(seed: seed, index: index)
      let second = SplitMix64.fraction(seed: seed, index: index + 1)
      return first + (second - first) * (place - place.rounded(.down))
    }
  }

  /// Returns the sine of a phase in 0..<1 with about six decimal places. The result is the same on every machine and needs no C library.
  package static func sine(_ phase: Double) -> Double {
    // Reduced to a quarter period, where the series converges quickly.
    let isSecondHalf = phase >= 0.5
    let half = isSecondHalf ? phase - 0.5 : phase
    let quarter = half > 0.25 ? 0.5 - half : half
    let angle = quarter * 2 * Double.pi
    let square = angle * angle
    let series =
      angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))))
    return isSecondHalf ? -series : series
  }
}
