import Testing

@testable import Learning

@Suite("Patterns of numbers")
struct NumberPatternTests {
  private func series(_ values: [Double], every gap: Double = 1) -> NumberSeries {
    NumberSeries(times: values.indices.map { Double($0) * gap }, values: values)
  }

  @Test(arguments: [
    ([7.0], NumberPattern.constant(7)),
    ([3, 3, 3, 3, 3, 3], .constant(3)),
    ([1, 2, 3, 4, 5, 6, 7], .counter(from: 1, to: .infinity, step: 1)),
    ([0, 2, 4, 6, 0, 2, 4, 6, 0], .counter(from: 0, to: 6, step: 2)),
  ])
  func patternsOfSentValues(_ values: [Double], _ expected: NumberPattern) {
    #expect(series(values).pattern(isPushed: true) == expected)
  }

  @Test(arguments: [
    ([100.0, 98, 96, 94, 92, 90], NumberPattern.ramp(from: 100, to: 90, over: 50)),
    // Steps of a sensor's resolution do not count as deviations.
    ([100, 99, 99, 98, 98, 97, 97, 96, 95, 95], .ramp(from: 100, to: 95, over: 90)),
    ([5, 80, 3, 60, 9, 75, 2], .random(low: 2, high: 80, every: 10)),
  ])
  func patternsOfReadValues(_ values: [Double], _ expected: NumberPattern) {
    #expect(series(values, every: 10).pattern(isPushed: false) == expected)
  }

  @Test func twoValuesAreTooFew() { #expect(series([1, 5]).pattern(isPushed: false) == nil) }

  @Test func alternatingValuesAreNoCounter() {
    #expect(
      series([20.9, 21, 20.9, 21, 20.9, 21, 20.9]).pattern(isPushed: true) == .random(low: 20.9, high: 21, every: 1))
  }

  @Test(arguments: [8.0, 20, 37.5]) func aSineIsRecognized(_ period: Double) throws {
    // One wave from its first quarter, without the C library's `sin`.
    let quarter = [0, 0.383, 0.707, 0.924, 1]
    let wave =
      quarter + quarter.dropLast().reversed() + quarter.dropFirst().map { -$0 } + quarter[1..<4].reversed().map { -$0 }
    let values = (0..<40).map { 100 + 30 * wave[$0 % 16] }
    let found = series(values, every: period / 16).pattern(isPushed: true)
    guard case .sine(let low, let high, let found)? = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(abs(low - 70) < 1 && abs(high - 130) < 1 && abs(found - period) < period / 50)
  }

  @Test func aWalkWanders() throws {
    let values: [Double] = [50, 51, 53, 52, 50, 48, 47, 49, 52, 54, 55, 53, 51, 50, 51, 54, 57, 58, 56, 55]
    guard case .wander(47, 58, _)? = series(values).pattern(isPushed: false) else {
      Issue.record("\(String(describing: series(values).pattern(isPushed: false)))")
      return
    }
  }
}

@Suite("Round numbers")
struct RoundTextTests {
  @Test(arguments: [
    (1.0, "1 s"), (0.998, "1 s"), (0.0301, "30 ms"), (2.5, "2.5 s"), (60, "60 s"), (3600, "60 min"), (0.1525, "153 ms"),
  ])
  func durationsAreRound(_ seconds: Double, _ expected: String) { #expect(RoundText.duration(seconds) == expected) }
}
