import Testing

@testable import understudy_bench

@Suite("The cost of the full screen")
struct ScreenBenchTests {
  @Test("a thousand packets a second are processed, drawn 25 times a second, and filtered")
  func screen() throws {
    var bench = try ScreenBench()
    let result = bench.measure(packets: 2_000)
    #expect(result.packets == 2_000 && result.drawings == 2 * 25)
    #expect(result.octets > 0 && result.total > 0 && result.filtering > 0)
    #expect(result.longestDrawing <= result.longestTurn && result.longestTurn < result.total)
    #expect(result.longestFiltering <= result.filtering)
  }
}
