import AccessoryProfile
import BLECore
import Bench
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Transport
import Understudy
import VirtualRadio

/// The soak in real time, over lines: on two boards, or on pseudo-terminals of a virtual radio.
struct LineSoak: Sendable {
  /// The accessory's profile.
  var profile: Profile
  /// How the soak is run.
  var settings: SoakSettings
  /// The accessory's controller.
  var accessory: ControllerAddress
  /// The controllers of the centrals.
  var centrals: [ControllerAddress]
  /// The virtual radio behind the controllers, and their names in the same order, the accessory's first; nil
  /// for boards. Only with a virtual radio can links be lost and controllers reset.
  var radio: (hub: RadioHub, names: [String])?
  /// Whether the radio is so bad that links may be lost.
  var toleratesLoss = false

  /// Makes a soak on boards.
  init(
    _ profile: Profile, _ settings: SoakSettings, accessory: ControllerAddress, centrals: [ControllerAddress]
  ) {
    self.profile = settings.prepared(profile)
    self.settings = settings
    self.accessory = accessory
    self.centrals = centrals
  }

  /// Makes a soak on pseudo-terminals of a virtual radio, which are like a board's serial port.
  init(_ profile: Profile, _ settings: SoakSettings, on radio: RadioHub) async throws(TransportError) {
    var places: [ControllerAddress] = []
    for _ in 0...settings.centrals {
      places.append(.serial(SerialSettings(path: try await radio.openTerminal())))
    }
    self.init(profile, settings, accessory: places[0], centrals: Array(places.dropFirst()))
    self.radio = (radio, (1...places.count).map { "pty-\($0)" })
  }

  /// Runs the soak. Throws a `TransportError` or an `AccessoryFailure` when a controller cannot be used.
  func run(
    on loop: PollLoop, progress: @escaping @Sendable (SoakProgress) -> Void = { _ in }
  ) async throws -> SoakReport {
    let run = LineSoakRun(self, loop: loop)
    let (start, processor) = (loop.now(), ProcessorTime.now)
    try await run.begin()
    await run.play(progress)
    return await run.report(elapsed: loop.now() - start, processor: ProcessorTime.now - processor)
  }
}

/// One run: the hosts, and what the driver does to them.
///
/// It lives on the loop, as the hosts do, and a timer of the loop wakes it. Each hop to another thread would leave something
/// behind in what the runtime keeps for that thread, and the heap would show the soak's memory and not the hosts'.
private actor LineSoakRun {
  private let soak: LineSoak
  private nonisolated let loop: PollLoop
  private var device: Accessory?
  /// The accessory's links, and their peers.
  private var links: [ConnectionHandle: DeviceAddress] = [:]
  /// The peers whose links the accessory is to end as soon as it knows of them. It may hear of a link later than the central.
  private var awaited: [DeviceAddress: SoakTask] = [:]
  private var reports = AccessoryReports()
  private var lines: [SoakLine] = []
  private var ledger = SoakLedger()
  private var audit = SoakAudit()
  private var trend = HeapTrend()
  private var origin = Instant.zero
  /// What is still to be done to hosts and controllers, in order.
  private var tasks: [SoakTask] = []
  private var performing: Task<Void, Never>?
  /// The result of the accessory's start, and who waits for it.
  private var readiness: Result<ReadyReport, AccessoryFailure>?
  private var starting: CheckedContinuation<Void, Never>?
  private var timer: TimerID?
  /// A timer that fires so often that it shows when the machine stands still, and when it is due.
  private var beat: (timer: TimerID, due: Instant)?
  /// When the last sessions must be over; nil while others begin.
  private var limit: Instant?
  /// Who waits for the end.
  private var waiting: CheckedContinuation<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ soak: LineSoak, loop: PollLoop) {
    self.soak = soak
    self.loop = loop
  }

  // MARK: Beginning

  func begin() async throws {
    origin = loop.now()
    let ready = try await startAccessory()
    let ends = soak.radio == nil ? SoakEnd.ofHosts : SoakEnd.allCases
    let configuration = soak.settings.central(
      peer: ready.address, type: ready.addressType, profile: soak.profile, ends: ends,
      toleratesLoss: soak.toleratesLoss)
    for (number, address) in soak.centrals.enumerated() {
      let line = SoakLine(try SoakCentral(number, configuration), at: address, loop: loop) { [weak self] task in
        self?.assumeIsolated { $0.take(task) }
      }
      try await line.start()
      lines.append(line)
    }
  }

  private func startAccessory() async throws -> ReadyReport {
    let options = AccessoryOptions(controller: soak.accessory, waitsForController: true, seed: soak.settings.seed)
    let device = try Accessory(soak.profile, options: options, loop: loop)
    self.device = device
    links = [:]
    awaited = [:]
    reports = AccessoryReports()
    await device.observe { [weak self] event in self?.assumeIsolated { $0.heard(event) } }
    readiness = nil
    try await device.start()
    if readiness == nil { await withCheckedContinuation { starting = $0 } }
    guard let readiness else { throw StepFailure("the accessory ended before it advertised") }
    return try readiness.get()
  }

  private func heard(_ event: AccessoryEvent) {
    switch event.kind {
    case .ready(let report): conclude(.success(report))
    case .failed(let failure): conclude(.failure(failure))
    case .host(let event): heard(event)
    default: break
    }
  }

  /// Takes the result of the accessory's start: it advertises, or never will.
  private func conclude(_ result: Result<ReadyReport, AccessoryFailure>) {
    readiness = result
    starting?.resume()
    starting = nil
  }

  private func heard(_ event: HostEvent) {
    switch event {
    case .connected(let handle, let details):
      links[handle] = details.peer
      if let task = awaited.removeValue(forKey: details.peer), isLeaving(task) { Task { await disconnect(task) } }
    case .disconnected(let handle, _): links[handle] = nil
    default: break
    }
    if let objection = reports.objection(to: event) { fault(objection) }
  }

  // MARK: Playing

  func play(_ progress: @escaping @Sendable (SoakProgress) -> Void) async {
    timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.tick(progress) } }
    beat = (loop.addTimer { [weak self] in self?.assumeIsolated { $0.beaten() } }, loop.now())
    beaten()
    await withCheckedContinuation { continuation in
      waiting = continuation
      wake()
    }
    for timer in [timer, beat?.timer] { if let timer { loop.removeTimer(timer) } }
    await performing?.value
    for line in lines { await line.close() }
    await device?.stop()
    _ = await device?.end()
  }

  private static let finishLimit = Duration.seconds(300)

  private func wake() { if let timer { loop.setTimer(timer, loop.now() + .seconds(1)) } }

  /// Does what is done every second.
  private func tick(_ progress: @Sendable (SoakProgress) -> Void) {
    let elapsed = loop.now() - origin
    if let limit {
      let isOver = all { $0.isOver }
      guard !isOver, loop.now() < limit else {
        if !isOver { fault("the sessions are not over after \(Self.finishLimit)") }
        waiting?.resume()
        waiting = nil
        return
      }
    } else {
      check(share: elapsed / soak.settings.duration)
      progress(SoakProgress(elapsed: elapsed, ledger: total))
      if elapsed >= soak.settings.duration {
        for line in lines { line.assumeIsolated { $0.finish() } }
        limit = loop.now() + Self.finishLimit
      }
    }
    wake()
  }

  private static let beatInterval = Duration.milliseconds(200)
  /// The delay from which the machine stood still. It is longer than a busy machine makes anybody wait.
  private static let standstill = Duration.seconds(1)

  /// Checks whether time went on while the machine stood still.
  private func beaten() {
    guard let (timer, due) = beat else { return }
    let now = loop.now()
    if now - due > Self.standstill {
      ledger.count(.standstills)
      audit = SoakAudit()
      for line in lines { line.assumeIsolated { $0.standStill(for: now - due) } }
    }
    beat = (timer, now + Self.beatInterval)
    loop.setTimer(timer, now + Self.beatInterval)
  }

  private func all(_ isSo: @Sendable (isolated SoakLine) -> Bool) -> Bool {
    lines.allSatisfy { $0.assumeIsolated { isSo($0) } }
  }

  // MARK: Tasks

  private func take(_ task: SoakTask) {
    tasks.append(task)
    guard performing == nil else { return }
    performing = Task {
      while !tasks.isEmpty { await perform(tasks.removeFirst()) }
      performing = nil
    }
  }

  private func perform(_ task: SoakTask) async {
    // Meanwhile the session may have ended in another way.
    guard task.end == .accessoryHostRestart || isLeaving(task) else { return }
    switch task.end {
    case .accessoryDisconnects: await disconnect(task)
    case .linkLoss: await loseLink(task)
    case .accessoryHostRestart: await restartAccessory()
    default:
      guard let notice = task.end.notice, let radio = soak.radio else { break }
      let name = radio.names[task.end.isOfCentralController ? task.central + 1 : 0]
      if !task.end.isOfCentralController { reports.controllerRestarts() }
      _ = await radio.hub.restartController(name, announcing: notice)
    }
    if task.end.endsAllLinks {
      for (number, line) in lines.enumerated() where number != task.central { await line.interrupt() }
    }
    await lines[task.central].taskIsDone()
  }

  private func isLeaving(_ task: SoakTask) -> Bool { lines[task.central].assumeIsolated { $0.isLeaving } }

  private func disconnect(_ task: SoakTask) async {
    let address = SoakCentral.address(of: task.central)
    guard let link = links.first(where: { $0.value == address })?.key else {
      awaited[address] = task
      return
    }
    do { try await device?.perform(.disconnect(link, reason: .remoteUserTerminatedConnection)) } catch {
      fault("the accessory does not disconnect: \(error)")
    }
  }

  private func loseLink(_ task: SoakTask) async {
    guard let (hub, names) = soak.radio else { return }
    let paths = [(names[0], names[task.central + 1]), (names[task.central + 1], names[0])]
    for (from, to) in paths { await hub.setImpairment(PathImpairment(isReachable: false), from: from, to: to) }
    let duration = task.timeout + .milliseconds(500)
    Task {
      try? await Task.sleep(for: duration)
      for (from, to) in paths { await hub.setImpairment(nil, from: from, to: to) }
    }
  }

  private func restartAccessory() async {
    await device?.stop()
    _ = await device?.end()
    for line in lines { await line.forgetValues() }
    do { _ = try await startAccessory() } catch { fault("the accessory does not start again: \(error)") }
  }

  // MARK: Checks

  private var total: SoakLedger {
    lines.reduce(into: ledger) { total, line in total.add(line.assumeIsolated { $0.ledger }) }
  }

  private func fault(_ reason: String) {
    ledger.add(SoakFault(time: loop.now() - origin, central: nil, session: 0, place: "audit", reason: reason))
  }

  private func check(share: Double) {
    var holdings = SoakHoldings()
    holdings.accessoryLinks = links.count
    holdings.accessoryControllerLinks = links.count
    for line in lines {
      let (load, failure) = line.assumeIsolated { ($0.load, $0.failure) }
      holdings.centralLinks += load.links
      holdings.centralControllerLinks += load.links
      holdings.packets += load.packets
      holdings.commands += load.commands
      if let failure { fault(failure) }
    }
    for finding in audit.check(holdings, at: loop.now()) { fault(finding.rawValue) }
    guard all({ $0.isResting }), links.count == 0 else { return }
    trend.add(HeapTrend.heap, session: total[.sessions], progress: share)
  }

  func report(elapsed: Duration, processor: Duration) -> SoakReport {
    SoakReport(
      settings: soak.settings, isVirtual: false, elapsed: elapsed, ledger: total, heap: trend.figure,
      processor: processor, wakes: nil)
  }
}
