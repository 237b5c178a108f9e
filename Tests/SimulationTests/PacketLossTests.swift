import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The activity during which a packet between a host and its controller is lost.
enum LossMoment: CaseIterable {
  case bringUp, connecting, traffic, parameters, channels, leaving, hangingUp, twoLinks, advertising,
    encrypting
}

/// The line on which it is lost.
enum LossVictim: CaseIterable {
  case lamp, phone
}

/// A lamp for two phones, a line that loses one packet, and the resulting differences between that line's host and its controller.
private final class LossScene {
  static let psm = SPSM(rawValue: 0x80)
  static let parameters = ChannelParameters(mtu: 512, mps: 247)
  /// How long a host has to detect what it has missed.
  static let noticeTime = Duration.seconds(10)

  let simulation = RadioSimulation(seed: 1)
  let lamp: SimulatedAccessory<CountingApplication>
  let phone: ScriptedCentral
  let guest: ScriptedCentral
  let line: LossyLine
  private let moment: LossMoment
  private let victim: LossVictim
  private var link: ConnectionHandle?

  init(_ moment: LossMoment, _ victim: LossVictim, on controller: ControllerConfiguration, hostBuffers: Int) throws {
    self.moment = moment
    self.victim = victim
    var configuration = Lamp.configuration(
      kind: controller.advertisingSetCount > 0 ? .extended : .legacy,
      connection: ConnectionPolicy(maximumConnections: 2, hostBuffers: hostBuffers))
    configuration.channels = [PublishedChannel(psm: Self.psm, parameters: Self.parameters)]
    configuration.security.isPairable = moment == .encrypting
    var central = CentralConfiguration(randomAddress: .randomStatic(from: 0xF0E))
    central.security = configuration.security
    lamp = try simulation.addAccessory(configuration, application: CountingApplication(), on: controller)
    phone = try simulation.addCentral(central, on: controller)
    guest = try simulation.addCentral()
    line = LossyLine(before: victim == .lamp ? lamp : phone, of: simulation)
    lamp.stack.resetAttempts = .max
    lamp.stack.watchInterval = .seconds(1)
    phone.stack.resetAttempts = .max
    phone.stack.watchInterval = .seconds(1)
    try guest.start()
    for central in [phone, guest] { central.limit = .seconds(3) }
  }

  private func handle(_ index: CharacteristicIndex) -> UInt16 { lamp.stack.server.database[index].value }

  /// Performs everything before the moment, without a loss.
  func prepare() throws {
    guard moment != .bringUp else { return }
    try lamp.start()
    try phone.start()
    guard moment != .connecting, moment != .advertising else { return }
    try meet()
    if moment == .encrypting, let link {
      try phone.pair(link)
      try phone.disconnect(link)
      try meet()
    }
    if moment == .twoLinks { try subscribe(guest, try guest.connect(to: Lamp.address)) }
  }

  private func meet() throws {
    let link = try phone.connect(to: Lamp.address, parameters: LinkParameters(timeout: .seconds(1)))
    self.link = link
    try subscribe(phone, link)
  }

  private func subscribe(_ central: ScriptedCentral, _ link: ConnectionHandle) throws {
    try central.discover(on: link)
    try central.configure(handle(Lamp.level), .notification, on: link)
  }

  /// The number of links after a moment without a loss; nil if that depends on the packet.
  private var linkCount: Int? {
    switch moment {
    case .traffic: victim == .lamp ? 1 : nil
    case .channels, .parameters, .twoLinks: 1
    default: nil
    }
  }

  /// Performs the activity of the moment; a failure caused by the loss ends it.
  func live() throws {
    switch moment {
    case .bringUp:
      if victim == .lamp { try lamp.start() } else { try phone.start() }
    case .connecting: try meet()
    case .traffic:
      guard let link else { return }
      try phone.write(Array(repeating: 7, count: 300), to: handle(Lamp.text), on: link)
      for _ in 0..<6 { notify() }
      _ = try phone.read(handle(Lamp.text), on: link)
    case .parameters:
      guard let link else { return }
      try phone.setPHY(link, .le2M)
      try phone.update(link, LinkParameters(interval: .milliseconds(15), timeout: .seconds(1)))
    case .channels:
      guard let link else { return }
      let channel = try phone.openChannel(Self.psm, Self.parameters, on: link)
      for _ in 0..<4 { try phone.sendSDU(Array(repeating: 1, count: 500), on: channel.id, of: link) }
      let there = try #require(lamp.stack.linkStates.first)
      for _ in 0..<4 {
        try lamp.perform(
          .channel(.send(there.handle, try #require(there.channels.first).id, Array(repeating: 2, count: 400))))
        simulation.run(for: .milliseconds(50))
      }
      try phone.closeChannel(channel.id, of: link)
    case .leaving:
      if let link { try phone.disconnect(link) }
    case .hangingUp:
      try lamp.perform(
        .disconnect(try #require(lamp.stack.linkStates.first).handle, reason: .remoteUserTerminatedConnection))
      simulation.run(for: .seconds(1))
    case .twoLinks:
      for _ in 0..<6 { notify() }
      if let link { try phone.disconnect(link) }
      for _ in 0..<3 { notify() }
    case .encrypting:
      guard let link else { return }
      try phone.pair(link)
      _ = try phone.read(handle(Lamp.text), on: link)
    case .advertising:
      try lamp.perform(.advertise(set: "main", isOn: false))
      simulation.run(for: .milliseconds(300))
      try lamp.perform(.advertise(set: "main", isOn: true))
      simulation.run(for: .milliseconds(300))
    }
  }

  private func notify() {
    try? lamp.perform(.notify(Lamp.level))
    simulation.run(for: .milliseconds(50))
  }

  /// Waits for the time in which the host must detect the loss, without any help from the centrals.
  func wait() { simulation.run(for: Self.noticeTime) }

  /// Waits for that time while the lamp continues to send.
  func goOnSending() {
    let end = simulation.now + Self.noticeTime
    while simulation.now < end { notify() }
  }

  var disagreements: [String] {
    switch victim {
    case .lamp: simulation.disagreements(of: lamp)
    case .phone: simulation.disagreements(of: phone)
    }
  }

  /// Returns what no longer works: a connected phone receives from the lamp, and another one can connect to it.
  func broken() -> [String] {
    var broken: [String] = []
    for central in [phone, guest] where central.links.count == 1 && isSubscribed(central) {
      let before = central.pushed.count
      notify()
      simulation.run(for: .milliseconds(500))
      if central.pushed.count == before { broken.append("\(central.controller) does not hear the lamp") }
    }
    guard victim == .lamp, lamp.stack.linkStates.count < 2, guest.links.isEmpty else { return broken }
    do { try guest.connect(to: Lamp.address) } catch { broken.append("nobody can connect: \(error)") }
    return broken
  }

  /// Returns links that were lost unnecessarily: the loss of data, or of a report of completed packets, must cost no link. A phone whose
  /// request was lost can do nothing more on its link (Core 5.4 Vol 3 Part F 3.3.3).
  func linksLost() -> [String] {
    guard let lost = line.lost?.octets, lost[0] == H4PacketType.acl.rawValue || lost[1] == 0x13, let wanted = linkCount,
      lamp.stack.linkStates.count < wanted
    else { return [] }
    return ["\(lamp.stack.linkStates.count) of \(wanted) links are left"]
  }

  private func isSubscribed(_ central: ScriptedCentral) -> Bool {
    let peers = Set(lamp.stack.linkStates.filter { !$0.subscriptions.isEmpty }.map(\.details.peer))
    return central.stack.address.map(peers.contains) ?? false
  }
}

@Suite("The loss of a packet between a host and its controller", .timeLimit(.minutes(20)))
struct PacketLossTests {
  /// Runs a moment with the loss of that packet, or of none.
  private func run(
    _ moment: LossMoment, _ victim: LossVictim, _ setup: Setup, losing number: Int?,
    _ direction: LossyLine.Direction = .towardsHost
  ) throws -> LossScene {
    let scene = try LossScene(moment, victim, on: setup.controller, hostBuffers: setup.hostBuffers)
    try scene.prepare()
    scene.line.lose(number, direction)
    if number == nil { try scene.live() } else { try? scene.live() }
    return scene
  }

  /// A controller, and the number of buffers that hosts announce: none for no flow control to them.
  private struct Setup {
    var controller: ControllerConfiguration
    var hostBuffers: Int
  }

  private static let setups = [
    Setup(controller: .full, hostBuffers: 8), Setup(controller: .zephyrHCIUART, hostBuffers: 0),
  ]

  /// Loses every packet of a moment in turn; the test fails on anything that `judge` finds wrong afterwards. Other tests run in between.
  private func loseEach(_ moment: LossMoment, _ victim: LossVictim, _ judge: (LossScene) -> [String]) async throws {
    for setup in Self.setups {
      let whole = try run(moment, victim, setup, losing: nil)
      #expect(whole.disagreements == [])
      for direction in LossyLine.Direction.allCases {
        for number in 0..<whole.line.count(direction) {
          await Task.yield()
          let scene = try run(moment, victim, setup, losing: number, direction)
          let wrong = judge(scene)
          let lost = try #require(scene.line.lost)
          #expect(
            wrong == [], "\(setup.controller.name), packet \(number) \(direction): \(lost.octets.hexadecimal)")
        }
      }
    }
  }

  @Test(
    "Within 10 s the host again knows its controller's state, whichever packet was lost",
    arguments: LossMoment.allCases.filter { $0 != .encrypting }, LossVictim.allCases)
  func anyPacket(moment: LossMoment, victim: LossVictim) async throws {
    try await loseEach(moment, victim) { scene in
      scene.wait()
      return scene.disagreements + scene.broken() + scene.linksLost()
    }
  }

  /// While encryption of a link is pending, nothing else is sent on it, for up to 40 s (Core 5.4 Vol 6 Part B 5.1.3.1, 5.2).
  @Test(
    "The host does not confuse encrypted and unencrypted links", arguments: LossVictim.allCases)
  func encryption(victim: LossVictim) async throws {
    try await loseEach(.encrypting, victim) { scene in
      scene.wait()
      return scene.disagreements
    }
  }

  @Test(
    "Data continues to flow, and the host again knows its controller's state after a pause",
    arguments: [LossMoment.traffic, .twoLinks], LossVictim.allCases)
  func goesOn(moment: LossMoment, victim: LossVictim) async throws {
    try await loseEach(moment, victim) { scene in
      scene.goOnSending()
      let broken = scene.broken()
      scene.wait()
      return broken + scene.disagreements + scene.linksLost()
    }
  }
}
