import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The activity during which a packet between the shared controller and its hosts is lost.
enum SharedLossMoment: CaseIterable {
  case bringUp, connecting, traffic, leaving
}

/// Two lamps on one controller with a line that loses one packet, and a phone.
private final class SharedLossScene {
  /// How long the hosts have to detect what they have missed.
  static let noticeTime = Duration.seconds(10)
  let simulation = RadioSimulation(seed: 3)
  let site: SharedSite
  let phone: ScriptedCentral
  let line: LossyLine
  private let moment: SharedLossMoment
  private var links: [ConnectionHandle] = []

  init(_ moment: SharedLossMoment) throws {
    self.moment = moment
    site = try SharedSite([Lamp.configuration(0), Lamp.configuration(1)], on: .zephyrExtended, of: simulation)
    line = LossyLine(before: site, of: simulation)
    for seat in site.stacks.indices {
      site.stacks[seat].resetAttempts = .max
      site.stacks[seat].watchInterval = .seconds(1)
    }
    phone = try simulation.addCentral()
    phone.limit = .seconds(3)
    try phone.start()
  }

  func prepare() throws {
    if moment != .bringUp { try #require(site.startAll()) }
    if moment == .traffic || moment == .leaving { try connect() }
  }

  private func connect() throws {
    for number in site.stacks.indices {
      let link = try phone.connect(to: Lamp.address(number), parameters: LinkParameters(timeout: .seconds(1)))
      links.append(link)
      try phone.discover(on: link)
      try phone.configure(value(number), .notification, on: link)
    }
  }

  private func value(_ number: Int) -> UInt16 { site.stacks[number].server.database[Lamp.level].value }

  func live() throws {
    switch moment {
    case .bringUp: _ = site.startAll()
    case .connecting: try connect()
    case .traffic: for _ in 0..<4 { notify() }
    case .leaving: for link in links { try phone.disconnect(link) }
    }
  }

  private func notify() {
    for seat in site.stacks.indices { try? site.perform(.notify(Lamp.level), to: seat) }
    simulation.run(for: .milliseconds(60))
  }

  func wait() { simulation.run(for: Self.noticeTime) }

  /// Whether the loss must cost no link: a command, its answer, data, or a report of completed packets.
  private var canBeMadeGood: Bool {
    guard let lost = line.lost?.octets else { return false }
    return lost[0] != H4PacketType.event.rawValue || [0x0E, 0x0F, 0x13].contains(lost[1])
  }

  /// Returns the differences between the hosts and their controller, and what does not work.
  func wrong() -> [String] {
    guard let snapshot = simulation.air.snapshot(of: site.controller) else { return ["there is no controller"] }
    var wrong = snapshot.disagreements(with: site.stacks)
    let linkCount = site.stacks.reduce(0) { $0 + $1.linkStates.count }
    if moment != .leaving, canBeMadeGood, linkCount < links.count {
      wrong.append("\(linkCount) of \(links.count) links are left")
    }
    for seat in site.stacks.indices where site.stacks[seat].linkStates.isEmpty {
      do {
        try phone.disconnect(phone.connect(to: Lamp.address(seat)))
      } catch { wrong.append("lamp \(seat) cannot be connected to: \(error)") }
    }
    return wrong
  }
}

@Suite("The loss of a packet between a shared controller and its hosts", .timeLimit(.minutes(20)))
struct PacketLossTests {
  @Test(
    "Within 10 s all hosts again know the controller's state, whichever packet was lost",
    arguments: SharedLossMoment.allCases)
  func anyPacket(moment: SharedLossMoment) async throws {
    let whole = try SharedLossScene(moment)
    try whole.prepare()
    whole.line.lose(nil)
    try whole.live()
    let counts = LossyLine.Direction.allCases.map { ($0, whole.line.count($0)) }
    whole.wait()
    #expect(whole.wrong() == [])
    for (direction, count) in counts {
      for number in 0..<count {
        await Task.yield()
        let scene = try SharedLossScene(moment)
        try scene.prepare()
        scene.line.lose(number, direction)
        try? scene.live()
        scene.wait()
        let wrong = scene.wrong()
        let lost = try #require(scene.line.lost)
        #expect(wrong == [], "packet \(number) \(direction): \(lost.octets.hexadecimal)")
      }
    }
  }
}
