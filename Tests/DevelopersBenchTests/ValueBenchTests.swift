import AccessoryProfile
import Testing

@testable import understudy_bench

@Suite("The cost of generated values")
struct ValueBenchTests {
  @Test("Values that are notified on a timer are measured")
  func heartRate() throws {
    let profile = try Profile.load(
      text: """
        understudy: 1
        name: Belt
        services: [ { include: heart-rate }, { include: battery } ]
        """)
    let figures = ValueBench(profile).measure(values: 10)
    #expect(figures.map(\.id) == ["heart-rate-measurement"] && figures[0].values == 10)
  }
}
