import AccessoryProfile
import BLECore
import BLEHCI
import CentralHost
import PeripheralHost
import Synchronization
import Transport
import Understudy
import VirtualRadio

/// The soak in real time, behind lines: on two boards, or on pseudo-terminals of a virtual radio.
public struct LineSoak: Sendable {
  /// The accessory's profile.
  public var profile: Profile
  /// How it is run.
  public var settings: SoakSettings
  /// The accessory's controller.
  public var accessory: ControllerAddress
  /// The controllers of the centrals.
  public var centrals: [ControllerAddress]
  /// The virtual radio behind the controllers, with their names in the same order, the accessory's first; nil for boards. With it
  /// links can be lost and controllers can reset.
  public var radio: (hub: RadioHub, names: [String])?
  /// Whether the radio is so bad that links may be lost.
  public var toleratesLoss = false

  /// A soak on boards.
  public init(_ profile: Profile, _ settings: SoakSettings, accessory: ControllerAddress, centrals: [ControllerAddress])
  {
    self.profile = settings.prepared(profile)
    self.settings = settings
    self.accessory = accessory
    self.centrals = centrals
  }

  /// A soak on pseudo-terminals of a virtual radio, as a board's serial port is.
  public init(_ profile: Profile, _ settings: SoakSettings, on radio: RadioHub) async throws(TransportError) {
    var places: [ControllerAddress] = []
    for _ in 0...settings.centrals {
      places.append(.serial(SerialSettings(path: try await radio.openTerminal())))
    }
    self.init(profile, settings, accessory: places[0], centrals: Array(places.dropFirst()))
    self.radio = (radio, (1...places.count).map { "pty-\($0)" })
  }

  /// Runs it. Throws a `TransportError` or an `AccessoryFailure` when a controller cannot be used.
  public func run(on loop: PollLoop, progress: @Sendable (SoakProgress) -> Void = { _ in }) async throws -> SoakReport {
    let run = LineSoakRun(self, loop: loop)
    let (start, processor) = (loop.now(), ProcessorTime.now)
    try await run.begin()
    try await run.play(progress)
    return await run.report(elapsed: loop.now() - start, processor: ProcessorTime.now - processor)
  }
}

/// One run: the hosts, and what the outside does to them.
///
/// It lives on the loop as they do, and waits by the loop's timers: each hop to another thread would leave something behind in
/// what the runtime keeps for that thread, and the heap would tell of the soak and not of the hosts.
private actor LineSoakRun {
  private let soak: LineSoak
  private nonisolated let loop: PollLoop
  private let desk = LinkDesk()
  private let deeds: AsyncStream<SoakDeed>
  private let deedContinuation: AsyncStream<SoakDeed>.Continuation
  private var device: Accessory?
  private var lines: [SoakLine] = []
  private var ledger = SoakLedger()
  private var audit = SoakAudit()
  private var trend = HeapTrend()
  private var origin = Instant.zero

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ soak: LineSoak, loop: PollLoop) {
    self.soak = soak
    self.loop = loop
    (deeds, deedContinuation) = AsyncStream.makeStream(of: SoakDeed.self)
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
      let line = SoakLine(
        try SoakCentral(number, configuration), at: address, loop: loop, deeds: deedContinuation)
      try await line.start()
      lines.append(line)
    }
  }

  private func startAccessory() async throws -> ReadyReport {
    let options = AccessoryOptions(controller: soak.accessory, waitsForController: true, seed: soak.settings.seed)
    let device = try Accessory(soak.profile, options: options, loop: loop)
    self.device = device
    desk.clear()
    let events = await device.events()
    await device.observe { [desk] in desk.take($0) }
    try await device.start()
    for await event in events {
      switch event.kind {
      case .ready(let report): return report
      case .failed(let failure): throw failure
      default: break
      }
    }
    throw StepFailure("the accessory ended before it was on the air")
  }

  // MARK: Playing

  func play(_ progress: @Sendable (SoakProgress) -> Void) async throws {
    let performing = Task { for await deed in deeds { await perform(deed) } }
    let duration = soak.settings.duration
    while loop.now() - origin < duration {
      try await pause(for: .seconds(1))
      await look(share: (loop.now() - origin) / duration)
      progress(SoakProgress(elapsed: loop.now() - origin, ledger: await total()))
    }
    for line in lines { await line.finish() }
    let limit = loop.now() + Self.finishLimit
    while loop.now() < limit, await !areOver() { try await pause(for: .seconds(1)) }
    if await !areOver() { fault("not over after \(Self.finishLimit)") }
    deedContinuation.finish()
    await performing.value
    for line in lines { await line.close() }
    await device?.stop()
    _ = await device?.end()
  }

  private static let finishLimit = Duration.seconds(300)

  /// Waits by a continuation, as the next element of a stream is waited for on another thread.
  private func pause(for duration: Duration) async throws {
    var timer: TimerID?
    await withCheckedContinuation { continuation in
      let added = loop.addTimer { continuation.resume() }
      loop.setTimer(added, loop.now() + duration)
      timer = added
    }
    if let timer { loop.removeTimer(timer) }
    try Task.checkCancellation()
  }

  private func areResting() async -> Bool {
    for line in lines where await !line.isResting { return false }
    return true
  }

  private func areOver() async -> Bool {
    for line in lines where await !line.isOver { return false }
    return true
  }

  // MARK: Deeds

  private func perform(_ deed: SoakDeed) async {
    switch deed.end {
    case .accessoryDisconnects: await disconnect(deed)
    case .linkLoss: await loseLink(deed)
    case .accessoryHostRestart: await restartAccessory()
    default:
      guard let notice = deed.end.notice, let radio = soak.radio else { break }
      let name = radio.names[deed.end.isOfCentralController ? deed.central + 1 : 0]
      _ = await radio.hub.restartController(name, announcing: notice)
    }
    if deed.end.endsAllLinks {
      for (number, line) in lines.enumerated() where number != deed.central { await line.disturb() }
    }
    await lines[deed.central].deedIsDone()
  }

  private func disconnect(_ deed: SoakDeed) async {
    guard let link = desk.link(of: SoakCentral.address(of: deed.central)) else {
      return fault("the accessory does not know the link of central \(deed.central + 1)")
    }
    do { try await device?.grant(.disconnect(link, reason: .remoteUserTerminatedConnection)) } catch {
      fault("the accessory does not disconnect: \(error)")
    }
  }

  private func loseLink(_ deed: SoakDeed) async {
    guard let (hub, names) = soak.radio else { return }
    let paths = [(names[0], names[deed.central + 1]), (names[deed.central + 1], names[0])]
    for (from, to) in paths { await hub.setImpairment(PathImpairment(isReachable: false), from: from, to: to) }
    let duration = deed.timeout + .milliseconds(500)
    Task {
      try? await pause(for: duration)
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

  private func total() async -> SoakLedger {
    var total = ledger
    for line in lines { total.add(await line.ledger) }
    return total
  }

  private func fault(_ reason: String) {
    ledger.add(SoakFault(time: loop.now() - origin, central: nil, session: 0, place: "audit", reason: reason))
  }

  private func look(share: Double) async {
    var holdings = SoakHoldings()
    holdings.accessoryLinks = desk.count
    holdings.accessoryControllerLinks = desk.count
    for line in lines {
      let load = await line.load
      holdings.centralLinks += load.links
      holdings.centralControllerLinks += load.links
      holdings.packets += load.packets
      holdings.commands += load.commands
      if let failure = await line.failure { fault(failure) }
    }
    for finding in audit.look(holdings, at: loop.now()) { fault(finding.rawValue) }
    guard await areResting(), desk.count == 0 else { return }
    let sessions = await total()[.sessions]
    trend.add(HeapTrend.heap, session: sessions, progress: share)
  }

  func report(elapsed: Duration, processor: Duration) async -> SoakReport {
    SoakReport(
      settings: soak.settings, isVirtual: false, elapsed: elapsed, ledger: await total(), heap: trend.figure,
      processor: processor, wakes: nil)
  }
}

/// Takes down which links an accessory has, on its loop.
private final class LinkDesk: Sendable {
  private let links = Mutex<[ConnectionHandle: DeviceAddress]>([:])

  func take(_ event: AccessoryEvent) {
    guard case .host(let event) = event.kind else { return }
    switch event {
    case .connected(let handle, let details): links.withLock { $0[handle] = details.peer }
    case .disconnected(let handle, _): links.withLock { $0[handle] = nil }
    default: break
    }
  }

  func link(of peer: DeviceAddress) -> ConnectionHandle? { links.withLock { $0.first { $0.value == peer }?.key } }

  var count: Int { links.withLock { $0.count } }

  func clear() { links.withLock { $0 = [:] } }
}
