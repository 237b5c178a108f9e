import AccessoryProfile
import Bench
import Testing

@testable import understudy_bench

/// Other tests use the same heap meanwhile, so the figures themselves mean nothing here.
@Suite("Memory of connections and channels")
struct MemoryBenchTests {
  @Test("connections and channels are made and ended")
  func cycles() throws {
    let figure = try MemoryBench(try throughputProfile()).measure(cycles: 50)
    #expect(figure.cycles == 50)
  }

  @Test("an accessory without a channel cannot be measured")
  func withoutChannel() throws {
    var profile = try throughputProfile()
    profile.channels = []
    let bench = MemoryBench(profile)
    #expect(throws: StepFailure.self) { try bench.measure(cycles: 1) }
  }
}
