import AccessoryProfile
import BLECore
import Bench
import Transport
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

@testable import understudy_bench

@Suite("The checks of a soak")
struct SoakCheckTests {
  // MARK: Durations

  @Test("Quantiles are exact to one part in a hundred")
  func quantiles() throws {
    var histogram = DurationHistogram()
    #expect(histogram.quantile(0.5) == nil)
    for milliseconds in 1...1000 { histogram.add(.milliseconds(milliseconds)) }
    for (share, milliseconds) in [(0.5, 500.0), (0.99, 990), (0.001, 1)] {
      let found = try #require(histogram.quantile(share)).inSeconds * 1000
      #expect(abs(found / milliseconds - 1) < 0.011, "\(share)")
    }
    #expect(histogram.quantile(1) == .seconds(1) && histogram.longest == .seconds(1) && histogram.count == 1000)
  }

  @Test("Merging two histograms gives that of all values")
  func sum() {
    var (first, second, both) = (DurationHistogram(), DurationHistogram(), DurationHistogram())
    for number in 1...20 {
      let duration = Duration.milliseconds(number * number)
      if number % 2 == 0 { first.add(duration) } else { second.add(duration) }
      both.add(duration)
    }
    first.add(second)
    #expect(first == both)
  }

  @Test("Durations outside its range count at its ends")
  func extremes() {
    var histogram = DurationHistogram()
    histogram.add(.zero)
    histogram.add(.seconds(1_000_000_000))
    #expect(histogram.count == 2 && histogram.quantile(0.5) == .nanoseconds(10_100))
    #expect(histogram.longest == .seconds(1_000_000_000))
  }

  // MARK: What the accessory reports

  @Test("A restart of the accessory's controller is expected exactly once for each restart")
  func restarts() {
    var reports = AccessoryReports()
    let restart = HostEvent.fault(.controllerRestarted("it announced itself"))
    #expect(reports.objection(to: restart) == "the accessory's controller was restarted: it announced itself")
    reports.controllerRestarts()
    #expect(reports.objection(to: restart) == nil && reports.objection(to: restart) != nil)
  }

  @Test("Of its other reports, only those that the end of a link explains are no faults")
  func reports() {
    var reports = AccessoryReports()
    let link = ConnectionHandle(rawValue: 1)
    #expect(reports.objection(to: .disconnected(link, reason: .connectionTimeout)) == nil)
    #expect(reports.objection(to: .fault(.transactionTimeout(link))) == nil)
    #expect(reports.objection(to: .fault(.skippedOctets(3))) == "the accessory reports skippedOctets(3)")
    #expect(reports.objection(to: .controllerFailed(.noPublicAddress)) != nil)
  }

  // MARK: What stays behind

  @Test(
    "A difference is found after a while, and again after another",
    arguments: zip(
      SoakAudit.Finding.allCases,
      [
        SoakHoldings(accessoryLinks: 1, centralLinks: 1, centralControllerLinks: 1),
        SoakHoldings(centralControllerLinks: 1), SoakHoldings(accessoryLinks: 1, accessoryControllerLinks: 1),
        SoakHoldings(packets: 1), SoakHoldings(held: 1), SoakHoldings(commands: 1), SoakHoldings(storms: 1),
      ]))
  func findings(_ finding: SoakAudit.Finding, _ holdings: SoakHoldings) {
    var audit = SoakAudit()
    var times: [Int] = []
    for seconds in stride(from: 0, through: 200, by: 5) {
      let found = audit.check(holdings, at: .zero + .seconds(seconds))
      #expect(found == [] || found == [finding])
      if !found.isEmpty { times.append(seconds) }
    }
    #expect(times == [95, 190])
  }

  @Test("A correct state in between starts over")
  func flicker() {
    var audit = SoakAudit()
    for seconds in stride(from: 0, through: 400, by: 5) {
      let holdings = seconds % 80 == 0 ? SoakHoldings() : SoakHoldings(packets: 1)
      #expect(audit.check(holdings, at: .zero + .seconds(seconds)) == [])
    }
  }

  @Test("With a link, there may be packets and channels")
  func linked() {
    var audit = SoakAudit()
    let holdings = SoakHoldings(
      accessoryLinks: 1, accessoryControllerLinks: 1, centralLinks: 1, centralControllerLinks: 1, packets: 3, held: 2)
    for seconds in stride(from: 0, through: 400, by: 5) {
      #expect(audit.check(holdings, at: .zero + .seconds(seconds)) == [])
    }
  }

  // MARK: Deadlines that do not pass

  private final class Spinner: RadioParticipant {
    let controller: ControllerID
    var interval: Duration
    var woken = 0
    private var now = Instant.zero

    init(_ controller: ControllerID, every interval: Duration) {
      self.controller = controller
      self.interval = interval
    }

    var nextDeadline: Instant? { now + interval }
    func receive(_ octets: Span<UInt8>, at now: Instant) {}
    func advance(to now: Instant) {
      self.now = now
      woken += 1
    }
    func drain(into buffer: inout OctetBuffer) {}
  }

  @Test("A host whose deadline never passes is stopped", arguments: [Duration.zero, .microseconds(10)])
  func storm(_ interval: Duration) {
    let simulation = RadioSimulation()
    let host = Spinner(simulation.air.addController(configuration: .full), every: interval)
    let watch = StormWatch(host)
    simulation.add(watch)
    simulation.run(for: .seconds(10))
    #expect(watch.isStorm && host.woken < 25_000)
    #expect(simulation.now == .zero + .seconds(10))
  }

  @Test("A host that is woken a thousand times in a second is not")
  func busy() {
    let simulation = RadioSimulation()
    let host = Spinner(simulation.air.addController(configuration: .full), every: .milliseconds(1))
    let watch = StormWatch(host)
    simulation.add(watch)
    simulation.run(for: .seconds(10))
    #expect(!watch.isStorm && host.woken == 10_000 && watch.wakes == 10_000)
  }
}
