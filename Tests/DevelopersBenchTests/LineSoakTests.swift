import AccessoryProfile
import BLECore
import Glibc
import Testing
import Transport
import Understudy

@testable import understudy_bench

@Suite("Soak behind lines")
struct LineSoakTests {
  /// Runs a second on pseudo-terminals, and then the first session of each central to its end, which with this seed is short.
  private func soak(_ centrals: Int, everySecond: @escaping @Sendable (SoakProgress) -> Void = { _ in }) async throws
    -> SoakReport
  {
    let profile = try Profile.load(contentsOf: #require(ShippedProfiles.path(named: "soak")))
    let settings = SoakSettings(duration: .seconds(1), seed: 11, centrals: centrals, pace: .busy)
    let loop = try PollLoop(name: "soak")
    try loop.start()
    let radio = RadioHub(loop: loop)
    let report = try await LineSoak(profile, settings, on: radio).run(on: loop, progress: everySecond)
    await radio.close()
    loop.stopAndWait()
    return report
  }

  @Test("A short soak on pseudo-terminals is clean and holds a session", .timeLimit(.minutes(20)), arguments: [1, 2])
  func terminals(_ centrals: Int) async throws {
    let report = try await soak(centrals)
    #expect(report.ledger.faults.map(\.description) == [])
    #expect(report.ledger[.sessions] >= centrals && !report.isVirtual && report.elapsed >= .seconds(1))
  }

  @Test("A machine that stands still is reported, and causes no faults", .timeLimit(.minutes(20)))
  func standstill() async throws {
    // On the loop, which is blocked by it.
    let report = try await soak(1) { _ in usleep(2_500_000) }
    #expect(report.ledger.faults.map(\.description) == [])
    #expect(report.ledger[.standstills] > 0)
  }
}
