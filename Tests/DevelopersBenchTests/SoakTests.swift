import AccessoryProfile
import Bench
import BLECore
import BLEGAP
import Glibc
import Simulation
import Synchronization
import Testing
import Transport
import VirtualRadio

@testable import understudy_bench

/// Other tests share the heap, so it is not checked here unless a test supplies the figures.
@Suite("Soak on the virtual radio")
struct SoakTests {
  private func profile(_ name: String = "soak") throws -> Profile {
    try Profile.load(contentsOf: #require(ShippedProfiles.path(named: name)))
  }

  private func soak(
    _ profile: Profile, minutes: Int, seed: UInt64 = 1, centrals: Int = 1
  ) -> SimulatedSoak {
    var soak = SimulatedSoak(
      profile, SoakSettings(duration: .seconds(minutes * 60), seed: seed, centrals: centrals, pace: .busy))
    soak.heap = { 1_000_000 }
    return soak
  }

  @Test("Forty minutes are clean, with every kind of end", arguments: [UInt64(1), 2])
  func clean(seed: UInt64) throws {
    let report = try soak(profile(), minutes: 40, seed: seed).run()
    let ledger = report.ledger
    #expect(ledger.faults.map(\.description) == [] && report.isClean)
    #expect(ledger[.sessions] > 40 && ledger[.sessions] == SoakEnd.allCases.reduce(0) { $0 + ledger[$1] })
    for what in [SoakCount.reads, .writes, .writeCommands, .notifications, .indications, .channels, .channelOctets] {
      #expect(ledger[what] > 0, "\(what)")
    }
    #expect(SoakEnd.allCases.count { ledger[$0] > 0 } >= 10)
    #expect(ledger[.centralRestarts] == 0 && ledger[.accessoryRestarts] == 0)
    #expect(try #require(ledger.recoveries.quantile(0.5)) < .seconds(5))
    #expect(try #require(ledger.reads.quantile(0.5)) < .milliseconds(500))
  }

  @Test("A morning with usual pauses is clean")
  func life() throws {
    var soak = SimulatedSoak(try profile(), SoakSettings(duration: .seconds(4 * 3600), seed: 4))
    soak.heap = { 1_000_000 }
    let report = try soak.run()
    #expect(report.ledger.faults.map(\.description) == [])
    #expect(report.ledger[.sessions] > 40)
  }

  @Test("The shortest soak has a session of each central", arguments: 1...4)
  func shortest(_ centrals: Int) throws {
    let settings = SoakSettings(duration: .seconds(1), seed: 3, centrals: centrals)
    let ledger = try SimulatedSoak(try profile(), settings).run().ledger
    #expect(ledger.faults.map(\.description) == [])
    #expect(ledger[.sessions] >= centrals)
  }

  @Test("Centrals do not affect one another, except by actions that end everything", arguments: [2, 4])
  func several(_ centrals: Int) throws {
    let ledger = try soak(profile(), minutes: 6, centrals: centrals).run().ledger
    #expect(ledger.faults.map(\.description) == [])
    #expect(ledger[.sessions] > 15 && ledger[.interruptions] > 0)
  }

  @Test("A lossy radio loses links, and nothing else")
  func loss() throws {
    var soak = soak(try profile(), minutes: 10)
    soak.impairment.loss = .fraction(0.2)
    let ledger = try soak.run().ledger
    #expect(ledger.faults.map(\.description) == [])
    #expect(ledger[.sessions] > 5)
  }

  @Test("Any other accessory is read and subscribed to", arguments: ["heart-rate", "battery", "cycling"])
  func other(_ name: String) throws {
    let ledger = try soak(profile(name), minutes: 10).run().ledger
    #expect(ledger.faults.map(\.description) == [])
    #expect(ledger[.sessions] > 10 && ledger[.reads] > 10 && ledger[.notifications] > 0)
  }

  @Test("The same seed gives the same report")
  func determinism() throws {
    func report(_ seed: UInt64) throws -> ProfileValue {
      var soak = soak(try profile(), minutes: 3, seed: seed, centrals: 2)
      soak.impairment.loss = .fraction(0.05)
      return try soak.run().reproducible
    }
    let first = try report(5)
    #expect(try first == report(5))
    #expect(try first != report(6))
  }

  // MARK: Planted defects

  /// Returns the findings, with their number.
  private func faults(_ soak: SimulatedSoak) throws -> [String] { try soak.run().ledger.faults.map(\.description) }

  /// Returns the profile `soak` with a text replaced.
  private func profile(replacing text: String, with other: String) throws -> Profile {
    let path = try #require(ShippedProfiles.path(named: "soak"))
    let yaml = try #require(ShippedProfiles.text(at: path))
    #expect(yaml.contains(text))
    return try Profile.load(text: yaml.replacing(text, with: other, maxReplacements: 1))
  }

  @Test("A value that does not keep what is written is found")
  func forgetfulValue() throws {
    let profile = try profile(replacing: "hex:00, max-length: 512", with: "{ pattern: counter, length: 8 }")
    #expect(try faults(soak(profile, minutes: 10)).contains { $0.contains("reading the slot: read ") })
  }

  @Test("A wrong value is found")
  func wrongValue() throws {
    let profile = try profile(replacing: "An understudy", with: "An apprentice")
    #expect(try faults(soak(profile, minutes: 10)).contains { $0.contains("reading the label: read ") })
  }

  @Test("A sequence that leaves numbers out is found")
  func brokenSequence() throws {
    var profile = try profile()
    let sequence = try #require(profile.behaviors.firstIndex { $0.id == "sequence" })
    profile.behaviors[sequence].source = .pattern(length: 19)
    #expect(try faults(soak(profile, minutes: 10)).contains { $0.contains("notified ") })
  }

  @Test("A channel that loses data is found")
  func silentChannel() throws {
    var profile = try profile()
    profile.channels[0].handler = .sink(octetsPerSecond: nil, hashes: false)
    #expect(try faults(soak(profile, minutes: 10)).contains { $0.contains("over the channel: not done after") })
  }

  @Test("An accessory that does not detect a restart of its controller is found")
  func unwatched() throws {
    var soak = soak(try profile(), minutes: 30)
    soak.watchInterval = nil
    let report = try soak.run()
    #expect(report.ledger.faults.contains { $0.reason.hasPrefix("the accessory does not advertise") })
    // The soak restarts the accessory, and continues.
    #expect(report.ledger[.accessoryRestarts] > 0 && report.ledger[.sessions] > 20)
  }

  @Test("A link that stays is found")
  func stuckLink() throws {
    var profile = try profile()
    profile.connection.maximumConnections = 2
    var soak = soak(profile, minutes: 10, centrals: 2)
    soak.ends = [.centralDisconnects]
    soak.meet = { simulation, address in
      let central = try simulation.addCentral()
      try central.start()
      try central.connect(to: address)
    }
    #expect(try faults(soak).contains { $0.contains("the accessory and its centrals do not have the same links") })
  }

  @Test("A heap that grows with every session is found")
  func leak() throws {
    let heap = Mutex(1_000_000)
    var soak = soak(try profile(), minutes: 50)
    soak.heap = {
      heap.withLock { octets in
        octets += 20_000
        return octets
      }
    }
    let report = try soak.run()
    #expect(report.ledger.faultCount == 0 && !report.isClean)
    guard case .object(let fields) = report.json, case .object(let figure) = fields["heap"] else {
      Issue.record("no figure of the heap")
      return
    }
    #expect(Set(figure.keys) == ["start", "end", "sessions", "growth_per_100_sessions", "rise"])
    #expect(SoakTable.lines(for: report).contains("  the heap grows with every session"))
  }
}
