import BLECore
import Testing

@testable import understudy_bench

@Suite("How a soak evaluates the heap")
struct HeapTrendTests {
  /// Returns the trend of a run of that many sessions with that much on the heap after each.
  private func trend(sessions: Int, _ octets: (Int) -> Int) -> HeapTrend {
    var trend = HeapTrend()
    for session in 0...sessions {
      trend.add(octets(session), session: session, progress: Double(session) / Double(sessions))
    }
    return trend
  }

  /// Returns random differences between sessions, regardless of leaks: up to that many octets.
  private func noise(_ octets: UInt64) -> (Int) -> Int {
    { session in
      var random = SplitMix64(seed: UInt64(session))
      return Int(random.upTo(octets))
    }
  }

  // MARK: Leaks

  @Test(
    "A leak in every session is detected",
    arguments: [
      (sessions: 4330, octets: 100, noise: UInt64(30_000)), (4330, 20, 6000), (110, 4096, 30_000), (75, 4096, 10_000),
      (1000, 1000, 100_000),
    ])
  func leak(sessions: Int, octets: Int, noise: UInt64) throws {
    let noise = self.noise(noise)
    let figure = try #require(trend(sessions: sessions) { 700_000 + $0 * octets + noise($0) }.figure)
    #expect(figure.isLeak)
    #expect((octets * 50...octets * 150).contains(figure.perHundredSessions))
  }

  @Test("So is a leak in only every tenth session, in addition to single growths")
  func rareLeak() throws {
    let figure = try #require(
      trend(sessions: 4330) { 700_000 + $0 / 10 * 1000 + ($0 > 2000 ? 65_536 : 0) }.figure)
    #expect(figure.isLeak)
  }

  // MARK: No leaks

  @Test("A heap that varies is flat", arguments: [UInt64(6000), 30_000])
  func flat(_ most: UInt64) throws {
    let noise = self.noise(most)
    #expect(try #require(trend(sessions: 4330) { 5_000_000 + noise($0) }.figure).isLeak == false)
  }

  @Test("A heap that has grown a few times is not a leak", arguments: [[10], [55], [100], [20, 50, 100]])
  func steps(_ sessions: [Int]) throws {
    let figure = try #require(
      trend(sessions: 110) { session in 5_000_000 + sessions.count { $0 <= session } * 65_536 }.figure)
    #expect(!figure.isLeak)
  }

  @Test("Nor is one that fills a cache and then stays")
  func saturation() throws {
    #expect(try #require(trend(sessions: 110) { 5_000_000 + min($0, 50) * 2000 }.figure).isLeak == false)
  }

  @Test("A shrinking heap is not a leak, and is reported as shrinking")
  func shrinking() throws {
    let figure = try #require(trend(sessions: 110) { 5_000_000 - $0 * 1000 }.figure)
    #expect(!figure.isLeak && figure.perHundredSessions == -100_000)
  }

  // MARK: Looking

  @Test("A short run gives no result", arguments: [0, 1, 14, 25])
  func short(_ sessions: Int) { #expect(trend(sessions: max(1, sessions)) { $0 * 10_000 }.figure == nil) }

  @Test("A run without an idle moment in a part of it gives no result")
  func gap() {
    var trend = HeapTrend()
    for session in 0...1000 where !(500..<700).contains(session) {
      trend.add(session, session: session, progress: Double(session) / 1000)
    }
    #expect(trend.figure == nil)
  }

  @Test("The heap is measured once after each session, and not during warm-up")
  func once() {
    var trend = HeapTrend()
    var looks = 0
    func look() -> Int {
      looks += 1
      return 0
    }
    for second in 0..<1000 { trend.add(look(), session: second / 10, progress: Double(second) / 1000) }
    #expect(looks == 90)
  }

  /// In a separate process, because the heap belongs to the whole process.
  @Test("Memory that the allocator keeps for reuse does not count, and allocated memory does")
  func keptBlocks() async {
    await #expect(processExitsWith: .success) {
      let before = HeapTrend.heap
      var blocks: [UnsafeMutableRawPointer] = []
      blocks.reserveCapacity(1000)
      let empty = HeapTrend.heap
      for size in stride(from: 16, to: 1016, by: 1) { blocks.append(.allocate(byteCount: size, alignment: 8)) }
      let full = HeapTrend.heap
      for block in blocks { block.deallocate() }
      let end = HeapTrend.heap
      #expect((500_000...560_000).contains(full - empty))
      #expect(abs(end - empty) < 200 && (8000...8400).contains(empty - before))
    }
  }
}
