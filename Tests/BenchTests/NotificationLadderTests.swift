import AccessoryProfile
import Testing
import Understudy

@testable import Bench

@Suite("Notifications by ATT MTU")
struct NotificationLadderTests {
  private func figures(_ mtu: Int, _ dataLength: Int) throws -> NotificationFigures {
    let rung = try #require(NotificationRung.all.first { $0.link.mtu == mtu && $0.link.dataLength == dataLength })
    return try NotificationLadder(try throughputProfile(), seed: 1).play(rung, octets: 40_000).outcome.get()
  }

  /// One exchange on LE 1M: 676 us with 27 octets, 2468 us with 251. Each value has three more octets of ATT and four of L2CAP.
  @Test(
    "every row comes close to the limit of the link layer",
    arguments: [(23, 27, 236.7), (185, 27, 307.7), (23, 251, 236.7), (247, 251, 790.9)] as [(Int, Int, Double)])
  func limits(mtu: Int, dataLength: Int, kbps: Double) throws {
    let figures = try figures(mtu, dataLength)
    #expect(figures.link.mtu == mtu && figures.link.dataLength == dataLength)
    #expect(abs(figures.limitKbps / kbps - 1) < 0.01, "\(figures.limitKbps) kbit/s")
    #expect((0.9...1.001).contains(figures.kbps / kbps), "\(figures.kbps) kbit/s")
    #expect(figures.octets >= 40_000)
  }

  @Test("a larger MTU gains as much as in the talk with short data PDUs, and more with long ones")
  func gains() throws {
    let short = try figures(185, 27).kbps / figures(23, 27).kbps
    #expect((1.15...1.35).contains(short), "\(short)")
    #expect(try figures(247, 251).kbps > 3 * figures(23, 251).kbps)
  }

  @Test("a row in the table and in JSON has its gain, or the reason why there is none")
  func output() throws {
    let rung = try #require(NotificationRung.all.last)
    let figures = NotificationFigures(octets: 1000, time: .milliseconds(100), link: rung.link, limitKbps: 100)
    let result = NotificationResult(rung: rung, outcome: .success(figures))
    #expect(
      NotificationTable.text(of: result, base: 40) == "  515   251      512       80 +100.0 %     100   80.0     30 ms")
    #expect(result.json(base: 40).jsonText.contains(#""gain_percent":100"#))
    let failed = NotificationResult(rung: rung, outcome: .failure(StepFailure("gone")))
    #expect(NotificationTable.text(of: failed, base: 40).hasSuffix("failed: gone"))
    #expect(failed.json(base: nil).jsonText.contains(#""error":"gone""#))
  }
}

@Suite("References of the ladder")
struct ReferenceTests {
  @Test("step 8, for which the talk has no figure, has the limit of LE 2M's timing; the others have Apple's")
  func computed() throws {
    for step in Ladder.steps where step.number < 8 {
      #expect(step.reference(octets: 1_000_000) == .init(kbps: try #require(step.appleKbps), source: .apple))
    }
    // 20 frames of 251 octets carry 4938; an exchange takes 1392 us.
    let reference = try step(8).reference(octets: 1_000_000)
    #expect(reference.source == .computed && abs(reference.kbps / (4938 * 8 / (20 * 1.392)) - 1) < 0.003)
  }

  @Test("in the short connection events of the talk's phones, five exchanges fit every 15 ms")
  func phone() throws {
    let step = try #require(Ladder.stepsOfTheTalk.last)
    let reference = step.reference(octets: 1_000_000, events: EventLimit(Ladder.phoneOfTheTalk))
    #expect(abs(reference.kbps / (4938 * 8 / (20 * 3.0)) - 1) < 0.003, "\(reference.kbps)")
  }

  @Test("a mark and a remark show that it is computed")
  func remark() throws {
    #expect(LadderTable.remark(on: Ladder.steps)?.contains("step 8") == true)
    #expect(LadderTable.remark(on: [try step(1)]) == nil)
    #expect(LadderTable.lines(for: try OutputTests.result(8)).first?.contains("* ") == true)
  }
}
