import AccessoryProfile
import BLECore
import Bench
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Understudy
import VirtualRadio

/// The soak on the virtual radio, in virtual time: days in minutes.
struct SimulatedSoak: Sendable {
  /// The accessory's profile.
  var profile: Profile
  /// How the soak is run.
  var settings: SoakSettings
  /// What happens to packets on the air.
  var impairment = PathImpairment()
  /// How long the accessory's controller may be silent before its host checks it.
  var watchInterval: Duration? = .seconds(1)
  /// The ways in which sessions can end.
  var ends = SoakEnd.allCases
  /// A function that meets the accessory before its centrals do.
  var meet: (@Sendable (RadioSimulation, DeviceAddress) throws -> Void)?
  /// Returns the octets of the heap that are in use.
  var heap: @Sendable () -> Int = { HeapTrend.heap }

  /// Makes a soak of the accessory of that profile.
  init(_ profile: Profile, _ settings: SoakSettings) {
    self.profile = settings.prepared(profile)
    self.settings = settings
  }

  /// Runs the soak. Calls `progress` now and then with how much virtual time has passed.
  func run(progress: (SoakProgress) -> Void = { _ in }) throws -> SoakReport {
    let run = try SimulatedSoakRun(self)
    let began = ProcessorTime.now
    try run.play(for: settings.duration, progress)
    return run.report(processor: ProcessorTime.now - began)
  }
}

/// One run: the hosts, and what the driver does to them.
private final class SimulatedSoakRun {
  let soak: SimulatedSoak
  let simulation: RadioSimulation
  let accessory: SimulatedAccessory<ProfileRuntime>
  var centrals: [SimulatedPlayer<SoakCentral>] = []
  var watches: [StormWatch] = []
  var ledger = SoakLedger()
  var audit = SoakAudit()
  /// The audits of the centrals.
  var audits: [SoakAudit] = []
  private var reports = AccessoryReports()
  var trend = HeapTrend()
  /// The centrals that are out of reach, and until when.
  var lost: [(central: Int, until: Instant)] = []

  init(_ soak: SimulatedSoak) throws {
    self.soak = soak
    simulation = RadioSimulation(seed: soak.settings.seed)
    accessory = try simulation.addAccessory(soak.configuration, application: soak.application(at: .zero))
    accessory.stack.watchInterval = soak.watchInterval
    try accessory.start()
    simulation.air.setDefaultImpairment(soak.impairment)
    guard let address = accessory.stack.address else { throw StepFailure("the accessory has no address") }
    try soak.meet?(simulation, address)
    let configuration = soak.settings.central(
      peer: address, type: accessory.stack.addressType, profile: soak.profile, ends: soak.ends,
      toleratesLoss: isLossy)
    for number in 0..<soak.settings.centrals {
      let central = SimulatedPlayer(
        try SoakCentral(number, configuration), on: simulation.air.addController(configuration: .full))
      simulation.add(central)
      centrals.append(central)
      audits.append(SoakAudit())
    }
    let hosts: [any RadioParticipant] = [accessory] + centrals
    watches = hosts.map { StormWatch($0) }
    for (watch, host) in zip(watches, hosts) {
      simulation.interpose(watch, before: host)
    }
  }

  private var isLossy: Bool { soak.impairment != PathImpairment() }

  // MARK: Time

  func play(for duration: Duration, _ progress: (SoakProgress) -> Void) throws {
    let start = simulation.now
    for central in centrals { central.start(at: start) }
    let end = start + duration
    while simulation.now < end {
      try playSlice(until: min(end, simulation.now + Self.slice))
      check(share: (simulation.now - start) / duration)
      progress(SoakProgress(elapsed: simulation.now - start, ledger: total))
    }
    for central in centrals { central.change { central, _ in central.finish() } }
    let limit = simulation.now + Self.finishLimit
    while simulation.now < limit, !centrals.allSatisfy(\.player.isOver) {
      try playSlice(until: min(limit, simulation.now + Self.slice))
      check(share: 1)
    }
    if !centrals.allSatisfy(\.player.isOver) { fault("the sessions are not over after \(Self.finishLimit)") }
  }

  private static let slice = Duration.seconds(5)
  private static let finishLimit = Duration.seconds(3600)

  private func playSlice(until end: Instant) throws {
    while true {
      let hasTask = simulation.run(
        until: { centrals.contains { $0.player.hasTask } }, limit: nextLimit(end) - simulation.now)
      if hasTask {
        for central in centrals {
          if let task = central.change({ central, _ in central.takeTask() }) { try perform(task) }
        }
      } else if simulation.now < nextLimit(end) {
        simulation.run(for: nextLimit(end) - simulation.now)
      }
      restorePaths()
      if simulation.now >= end { return }
    }
  }

  /// Returns the time until which the driver has nothing to do.
  private func nextLimit(_ end: Instant) -> Instant { lost.reduce(end) { min($0, max(simulation.now, $1.until)) } }

  // MARK: Tasks

  private func perform(_ task: SoakTask) throws {
    let central = centrals[task.central]
    listen()
    switch task.end {
    case .accessoryDisconnects:
      let address = SoakCentral.address(of: task.central)
      guard let link = accessory.stack.linkStates.last(where: { $0.details.peer == address }) else {
        // When packets are lost, it may never have heard of the link.
        if !isLossy { fault("the accessory does not know the link of central \(task.central + 1)") }
        break
      }
      try accessory.perform(.disconnect(link.handle, reason: .remoteUserTerminatedConnection))
    case .linkLoss:
      simulation.air.setReachable(accessory.controller, central.controller, false)
      lost.append((task.central, simulation.now + task.timeout + .milliseconds(500)))
    case .accessoryHostRestart:
      try accessory.restart(soak.configuration, application: soak.application(at: simulation.now))
      reports = AccessoryReports()
      for central in centrals { central.change { central, _ in central.forgetValues() } }
    default:
      guard let notice = task.end.notice else { break }
      let id = task.end.isOfCentralController ? central.controller : accessory.controller
      if !task.end.isOfCentralController { reports.controllerRestarts() }
      simulation.air.restartController(id, announcing: notice)
    }
    if task.end.endsAllLinks {
      for other in centrals where other !== central {
        other.change { central, _ in central.interrupt(at: simulation.now) }
      }
    }
    central.change { central, out in central.taskIsDone(at: simulation.now, into: &out) }
  }

  private func restorePaths() {
    for path in lost where path.until <= simulation.now {
      simulation.air.setReachable(accessory.controller, centrals[path.central].controller, true)
    }
    lost.removeAll { $0.until <= simulation.now }
  }

  // MARK: Checks

  private var total: SoakLedger { centrals.reduce(into: ledger) { $0.add($1.player.ledger) } }

  private func fault(_ reason: String) {
    ledger.add(
      SoakFault(
        time: simulation.now - .zero, central: nil, session: centrals.reduce(1) { $0 + $1.player.ledger[.sessions] },
        place: "audit", reason: reason))
  }

  /// Checks what the accessory has reported so far.
  private func listen() {
    for event in accessory.events {
      if let objection = reports.objection(to: event) { fault(objection) }
    }
    accessory.events.removeAll(keepingCapacity: true)
  }

  private func check(share: Double) {
    listen()
    for finding in audit.check(holdings, at: simulation.now) { fault(finding.rawValue) }
    for number in centrals.indices {
      for finding in audits[number].check(holdings(of: number), at: simulation.now) {
        fault("central \(number + 1): \(finding.rawValue)")
      }
    }
    for host in simulation.air.controllerIDs {
      for hostFault in simulation.air.takeHostFaults(of: host) where !hostFault.isOfEndedLink { fault("\(hostFault)") }
    }
    guard centrals.allSatisfy(\.player.isResting), accessory.stack.linkStates.isEmpty else { return }
    trend.add(
      soak.heap(), session: centrals.reduce(0) { $0 + $1.player.ledger[.sessions] }, progress: share)
  }

  /// What the accessory holds. All its links must be links of centrals.
  private var holdings: SoakHoldings {
    let load = accessory.stack.load
    var holdings = SoakHoldings()
    holdings.accessoryLinks = load.links
    holdings.accessoryControllerLinks = simulation.air.connectionCount(of: accessory.controller)
    holdings.centralLinks = centrals.indices.reduce(0) { $0 + linksAtAccessory(of: $1) }
    holdings.centralControllerLinks = holdings.centralLinks
    holdings.packets = load.packets
    holdings.held = accessory.stack.application.heldClients
    holdings.commands = load.commands
    holdings.storms = watches.count { $0.isStorm }
    return holdings
  }

  /// Returns what a central holds, and what the accessory holds of it.
  private func holdings(of number: Int) -> SoakHoldings {
    let load = centrals[number].player.stack.load
    var holdings = SoakHoldings()
    holdings.accessoryLinks = linksAtAccessory(of: number)
    holdings.accessoryControllerLinks = holdings.accessoryLinks
    holdings.centralLinks = load.links
    holdings.centralControllerLinks = simulation.air.connectionCount(of: centrals[number].controller)
    holdings.packets = load.packets
    holdings.commands = load.commands
    return holdings
  }

  private func linksAtAccessory(of number: Int) -> Int {
    let address = SoakCentral.address(of: number)
    return accessory.stack.linkStates.count { $0.details.peer == address }
  }

  func report(processor: Duration) -> SoakReport {
    SoakReport(
      settings: soak.settings, isVirtual: true, elapsed: simulation.now - .zero, ledger: total, heap: trend.figure,
      processor: processor, wakes: watches.first?.wakes ?? 0)
  }
}

extension SimulatedSoak {
  var configuration: HostConfiguration { profile.hostConfiguration(seed: settings.seed) }

  func application(at now: Instant) -> ProfileRuntime {
    ProfileRuntime(profile: profile, seed: settings.seed, startingAt: now)
  }
}

extension HostFault {
  /// Whether a host can cause it because it does not know yet that a link has ended.
  fileprivate var isOfEndedLink: Bool {
    if case .dataForUnknownConnection = self { true } else { false }
  }
}
