import AccessoryProfile
import BLECore
import Testing
import Transport
import Understudy

@testable import Bench

@Suite("Soak behind lines")
struct LineSoakTests {
  @Test("A short soak on pseudo-terminals is clean and holds a session", .timeLimit(.minutes(10)), arguments: [1, 2])
  func terminals(_ centrals: Int) async throws {
    let profile = try Profile.load(contentsOf: #require(ShippedProfiles.path(named: "soak")))
    // A second, and then what the first session of each takes: with this seed not long.
    let settings = SoakSettings(duration: .seconds(1), seed: 11, centrals: centrals, pace: .busy)
    let loop = try PollLoop(name: "soak")
    try loop.start()
    let radio = RadioHub(loop: loop)
    let report = try await LineSoak(profile, settings, on: radio).run(on: loop)
    await radio.close()
    loop.stopAndWait()
    #expect(report.ledger.faults.map(\.description) == [])
    #expect(report.ledger[.sessions] >= centrals && !report.isVirtual && report.elapsed >= .seconds(1))
  }
}
