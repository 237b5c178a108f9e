import Testing

@testable import understudy_bench

@Suite("The cost of armed faults for other characteristics")
struct FaultBenchTests {
  @Test("Every kind of access is measured, and no fault happens", arguments: [1, 5])
  func figures(faults: Int) throws {
    let figures = try FaultBench(faults: faults).measure(accesses: 5)
    #expect(figures.map(\.access) == [.read, .write, .notification])
    #expect(figures.allSatisfy { $0.bare > .zero && $0.armed > .zero })
  }
}
