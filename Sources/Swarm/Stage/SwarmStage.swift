import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Understudy
import UnderstudyTesting
import VirtualRadio

/// The air of one run, with everything on it.
final class SwarmStage {
  let plan: SwarmPlan
  let air: TestAir
  let accessory: TestAccessory
  /// Another accessory on the same controller; nil if the controller is not shared.
  let companion: TestAccessory?
  /// The line between the accessory's host and its controller.
  let line: LossyLine
  /// The accessory's stored bonds, which survive a kill of its process.
  let store: StoreKeeper
  /// The advertising sets that were on the air at the beginning.
  let firstSets: [String]
  private(set) var centrals: [CentralDriver] = []
  private(set) var peers: [PeerDriver] = []
  /// The transport of each link.
  private var transports: [ConnectionHandle: LinkTransport] = [:]
  /// When the services or the process last changed.
  private(set) var servicesChanged: Instant?
  /// The passkey that the accessory has shown last.
  private var shownPasskey: UInt32?
  /// A user of the accessory; nil if the passkey is fixed.
  private(set) var typing: PasskeyTyping?
  private var owner: OwnerDriver
  /// The events of the accessory since the judges last looked.
  private(set) var fresh: [HostEvent] = []
  /// The PSMs that were published at the beginning of the last step.
  private(set) var publishedBefore: [SPSM] = []
  /// The events that the accessory has reported to observers since the judges last looked.
  private(set) var newEvents: [TestEvent] = []
  private var seenCount = 0

  init(_ plan: SwarmPlan) throws {
    self.plan = plan
    let air = TestAir(seed: plan.seed)
    self.air = air
    let profile = try Profile.load(swarm: plan.profile)
    var controller = ControllerConfiguration.named(plan.preset) ?? .full
    if !plan.peers.isEmpty || plan.centrals.contains(where: \.isDual) {
      controller = controller.with(publicAddress: Self.classicAddress)
    }
    accessory = try air.accessory(profile, on: controller)
    firstSets = accessory.advertising
    // Retry resets forever, as on a serial line, because the swarm disturbs the line.
    accessory.simulated.stack.resetAttempts = .max
    if profile.security.pairing.fixedPasskey == nil {
      typing = PasskeyTyping()
      accessory.simulated.user = .nobody
    }
    companion = try plan.companion.map { try air.accessory(try Profile.load(swarm: $0), on: .full) }
    line = try Self.line(before: accessory, companion, of: air)
    store = try StoreKeeper(profile, seed: plan.seed)
    owner = OwnerDriver(plan.owner, at: air.radio.now)
    for (number, central) in plan.centrals.enumerated() {
      let twin = plan.peers.firstIndex { $0.central == number }
      centrals.append(
        try CentralDriver(
          central, number: number, on: air, with: accessory, avoiding: companion?.simulated.stack.address,
          publicAddress: twin.map { PeerDriver.address(of: $0) }))
    }
    for (number, peer) in plan.peers.enumerated() {
      let central = peer.central.flatMap { centrals.indices.contains($0) ? centrals[$0] : nil }
      let driver = PeerDriver(peer, number: number, beside: central, on: air, with: accessory)
      driver.peer.shownToUser = { [unowned self] in shownPasskey }
      peers.append(driver)
    }
  }

  private static let classicAddress = DeviceAddress(bits: 0x00A0_9612_3456)

  /// The address of the accessory over BR/EDR.
  var classicAddress: DeviceAddress { Self.classicAddress }

  /// The centrals, and the peers over BR/EDR.
  var clients: [any SwarmClient] { centrals + peers }

  /// Returns the transport of a link.
  func transport(of link: ConnectionHandle) -> LinkTransport { transports[link] ?? .le }

  /// Creates the line to the controller, which the companion shares.
  private static func line(
    before accessory: TestAccessory, _ companion: TestAccessory?, of air: TestAir
  ) throws -> LossyLine {
    guard let companion else { return LossyLine(before: accessory.simulated, of: air.radio) }
    let both = [accessory, companion]
    air.radio.remove(companion.simulated)
    let desk = SharedDesk(
      both.map(\.simulated), advertisingSets: both.map(\.profile.advertising.count), of: air.radio)
    let line = LossyLine(before: desk, of: air.radio)
    companion.simulated.stack.resetAttempts = .max
    for one in both {
      one.simulated.events = []
      try one.restartProcess(with: [])
    }
    let areReady = air.advance(
      until: {
        desk.refusal != nil
          || both.allSatisfy {
            $0.simulated.events.contains { if case .advertisingReady = $0 { true } else { false } }
          }
      }, within: .seconds(10))
    guard areReady, desk.refusal == nil else {
      throw SimulationFailure.controllerFailed("it cannot be shared: \(desk.refusal ?? "no answer")")
    }
    return line
  }

  /// The second identities of peers that the owner has added.
  var addedIdentities: Set<TypedAddress> { owner.addedIdentities }

  /// Returns whether the accessory, and not its companion, has sent an advertisement.
  func isFromAccessory(_ advertisement: Advertisement) -> Bool {
    accessory.hasSent(advertisement) && advertisement.address != companion?.simulated.stack.address
  }

  var simulation: RadioSimulation { air.radio }

  func note(_ who: String, _ text: String) { air.transcript.note(who, text, at: air.now) }

  /// Passes on the packets that hosts have queued.
  func exchange() { simulation.exchange() }

  /// Sets whether a central and the accessory can receive each other.
  func setReachable(_ central: ScriptedCentral, _ isReachable: Bool) {
    simulation.air.setReachable(central.controller, accessory.simulated.controller, isReachable)
  }

  /// Advances to the next event, but not beyond `end`.
  func step(until end: Instant) {
    publishedBefore = accessory.simulated.stack.publishedChannels.map(\.psm)
    var deadline = Instant.earliest(
      Instant.earliest(simulation.nextDeadline, owner.nextDeadline), store.nextDeadline)
    for central in centrals { deadline = Instant.earliest(deadline, central.nextDeadline) }
    for peer in peers { deadline = Instant.earliest(deadline, peer.nextDeadline) }
    simulation.step(to: max(simulation.now, min(deadline ?? end, end)))
    let now = simulation.now
    // Changes must be on the disk before anything can end the process.
    collect()
    if line.hasCut {
      note("owner", "the process is killed within a turn")
      line.cut(while: nil)
      try? kill()
    }
    let shown = (centrals.compactMap { $0.typing?.shown } + peers.compactMap(\.shown)).last
    for (link, answer) in typing?.answers(shown) ?? [] {
      try? accessory.simulated.perform(.answerPairing(link, answer))
    }
    owner.turn(at: now, of: self)
    for central in centrals {
      central.followUp()
      central.turn(at: now, of: self)
    }
    for peer in peers { peer.turn(at: now, of: self) }
    collect()
  }

  /// Stores and notes what has happened to the accessories since the last call.
  func collect() {
    store.take(accessory.simulated.events, at: simulation.now)
    for event in accessory.simulated.events {
      typing?.take(event)
      follow(event)
    }
    fresh += accessory.simulated.events
    accessory.simulated.events = []
    companion?.simulated.events = []
  }

  private func follow(_ event: HostEvent) {
    switch event {
    case .connected(let link, let details): transports[link] = details.transport
    case .databaseChanged, .controllerReady: servicesChanged = simulation.now
    case .security(_, .asked(.display(let passkey))): shownPasskey = passkey
    default: break
    }
  }

  /// Ends the process, and starts it again with the bonds on the disk.
  func kill() throws {
    collect()
    try accessory.restartProcess(with: store.bondsAfterKill(with: accessory.simulated.stack.bonds))
  }

  /// Returns the accessory's events since the last call.
  func takeFresh() -> [HostEvent] {
    defer { fresh = [] }
    // A copy: a slice would keep the whole array shared, and the next event would copy all of it.
    newEvents = Array(accessory.events[seenCount...])
    seenCount = accessory.events.count
    return fresh
  }

  /// Ends faults, losses and the centrals' activity.
  func calm() {
    note("swarm", "faults end")
    owner.stop()
    accessory.disarm()
    air.impairment = PathImpairment()
    line.lose(nil)
    line.cut(while: nil)
    line.freeze(until: nil)
    store.disk.setFull(false)
    try? accessory.setAsleep(false)
    for set in firstSets { try? accessory.advertise(set, true) }
    for central in centrals { central.finish(of: self) }
    for peer in peers { peer.finish(of: self) }
    exchange()
  }
}

extension Profile {
  /// Loads the profile of a plan, which is the name of a shipped profile or a text.
  package static func load(swarm text: String) throws -> Profile {
    text.contains("\n") ? try load(text: text, file: "swarm.yaml") : try load(text)
  }

  /// Returns the text of the profile of a plan.
  static func text(swarm text: String) -> String {
    if text.contains("\n") { return text }
    if let shipped = ShippedProfiles.entry(named: text) { return ShippedProfiles.text(of: shipped) ?? "" }
    return (try? FileReading.text(at: text).get()) ?? ""
  }
}
