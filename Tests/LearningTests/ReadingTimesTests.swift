import AccessoryProfile
import BLECore
import Foundation
import Linting
import Simulation
import Testing
import UnderstudyTesting

@testable import Learning

/// The times that `learn` reports: to find an accessory, to connect, and to discover its services.
@Suite("Times of reading")
struct ReadingTimesTests {
  /// Returns the number of milliseconds that follows these words in a report.
  private func milliseconds(_ reports: [String], after words: String) throws -> Double {
    let report = try #require(reports.first { $0.contains(words) }, "\(words)")
    let number = report.components(separatedBy: words).last?.split(separator: " ").first
    return try #require(number.flatMap { Double($0) }, "\(report)")
  }

  /// A central on the air needs the time that the rules estimate from the profile.
  @Test(arguments: ["heart-rate", "smart-lock", "glucose", "environmental-sensing"])
  func discoveryTakesWhatTheRulesEstimate(_ name: String) throws {
    let text = try #require(ShippedProfiles.path(named: name).flatMap { ShippedProfiles.text(at: $0) })
    let air = try LearningAir(try Profile.load(name))
    var reports: [String] = []
    _ = try air.read(
      { (plan) in (plan.listening, plan.watching) = (.milliseconds(100), .zero) }, report: { reports.append($0) })
    let estimate = try #require(try Linter().lint(text: text, file: name).costs.discovery)
    let measured = try milliseconds(reports, after: "discovered in ")
    // The central also reads the characteristics for caching.
    #expect(
      measured >= Double(estimate.milliseconds) && measured <= Double(estimate.milliseconds) * 1.35,
      "\(measured) ms, \(estimate)")
  }

  /// The scanner listens all the time; each interval is longer by up to 10 ms of advDelay (Core 5.4 Vol 6 Part B 4.4.2.2).
  @Test func shortIntervalsAreFoundAtOnce() throws {
    var times: [Duration: Double] = [:]
    for interval in [Duration.milliseconds(20), .seconds(1)] {
      let air = try LearningAir(
        try Profile.load(
          text: """
            understudy: 1
            name: Lamp
            advertising: [ { id: main, interval: \(interval.inNanoseconds / 1_000_000) ms, data: { name: complete } } ]
            services: [ { include: battery } ]
            """))
      air.air.radio.run(for: .milliseconds(7))
      var reports: [String] = []
      _ = try air.read({ $0.watching = .zero }, report: { reports.append($0) })
      times[interval] = try milliseconds(reports, after: " after ") + milliseconds(reports, after: "connected in ")
    }
    let (short, long) = (try #require(times[.milliseconds(20)]), try #require(times[.seconds(1)]))
    #expect(short <= 2 * 30 + 45, "\(short)")
    #expect(long > 500 && long <= 2 * 1010 + 45, "\(long)")
  }
}
