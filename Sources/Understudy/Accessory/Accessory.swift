import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import Capture
import BLELink
import PeripheralHost
import Transport

/// A running accessory: a profile, its host stack, and the controller that it uses, all on one poll loop.
///
/// ```swift
/// let loop = try PollLoop(name: "understudy")
/// try loop.start()
/// let accessory = try Accessory(profile, options: AccessoryOptions(), loop: loop)
/// try await accessory.start()
/// let end = await accessory.end()
/// ```
///
/// The actor runs on the loop. It is entered once per read of the controller's line, never once per packet.
/// Calls of the public methods run between those reads.
public actor Accessory {
  /// The profile that the accessory implements, with its PSMs assigned.
  public nonisolated let profile: Profile
  /// The options of this run.
  public nonisolated let options: AccessoryOptions

  nonisolated let loop: PollLoop
  /// The virtual radio passed to `init`, if any.
  nonisolated let radio: RadioHub?
  /// The seat at a shared controller, if any.
  nonisolated let sharing: (hub: SharedControllerLine, seat: SharedControllerLine.Seat)?
  var random: RandomSource
  var stack: HostStack<ProfileRuntime>
  var out = HostOutput()
  private var inbox = OctetBuffer(minimumCapacity: Line.readSize)
  var transport = HCITransport.none
  /// The search for a missing controller.
  var search: AbsentController?
  /// The port that the controller is or was on, if udev knows it.
  var served: ServedPort?
  var entrance: ControllerEntrance?
  private var timer: TimerID?
  private var stopLimit: TimerID?
  private var armedDeadline: Instant?
  var capture: AccessoryCapture?
  /// Why the capture file is incomplete; nil if it is complete.
  public internal(set) var captureFailure: CaptureFailure?
  var observers = EventObservers()
  /// The number of events reported so far.
  var eventCount: UInt64 = 0
  var packetWatchers = PacketWatchers()
  /// The most recent packets, if a ring was requested.
  var ring: PacketRing?
  /// The number of files that the ring was saved to on request.
  var ringFiles = 0
  /// Whether the accessory has ever been on the air.
  var wasReady = false
  /// The number of observers that want single reads, writes and notifications.
  var accessReaders = 0
  var remoteOperations = RemoteOperations()
  var signalStrengths = SignalStrengthWaiters()
  /// The stored state; nil if nothing is stored or the accessory has ended. `hasStateFailed`: whether the last write failed.
  var store: StateStore?
  var hasStateFailed = false
  /// What was restored from an earlier run.
  let restored: RestoredReport?
  /// The centrals' subscriptions. When a link ends, so do its subscriptions, and each end is reported.
  var subscriptions: [ConnectionHandle: [CharacteristicIndex]] = [:]
  /// The number of connections so far.
  var connectionCounts = ConnectionCounts()
  /// The current pairing settings.
  var security: SecurityDefinition
  /// The channels that are published now.
  var channels: [ChannelDefinition]
  /// Whether a rule has requested a restart, which begins when all links have ended.
  var isRestarting = false
  /// The named snapshots.
  var snapshots: [String: AccessorySnapshot] = [:]
  /// A reset in progress.
  var pendingReset: PendingReset?
  var bridges: [ChannelBridge] = []
  var nextBridge = 0
  var terminalVisits: (watch: WatchID, terminals: TerminalVisits)?
  var programs: [RunningProgram] = []
  private(set) var outcome: AccessoryEnd?
  private var waiting: [CheckedContinuation<AccessoryEnd, Never>] = []

  /// The loop, on which the actor runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates an accessory that does nothing until `start`.
  public init(_ profile: Profile, options: AccessoryOptions, loop: PollLoop) throws(AccessoryFailure) {
    try self.init(profile, options: options, loop: loop, radio: nil)
  }

  /// Creates an accessory on a virtual radio, which others may share and which the accessory does not close.
  /// `options.controller` is ignored.
  public init(_ profile: Profile, options: AccessoryOptions, on radio: RadioHub) throws(AccessoryFailure) {
    var options = options
    options.controller = .virtual
    try self.init(profile, options: options, loop: radio.loop, radio: radio)
  }

  /// Creates an accessory that shares its controller with others.
  init(
    _ profile: Profile, options: AccessoryOptions, sharing hub: SharedControllerLine, at seat: SharedControllerLine.Seat
  ) throws(AccessoryFailure) {
    try self.init(profile, options: options, loop: hub.loop, radio: nil, sharing: (hub, seat))
  }

  private init(
    _ profile: Profile, options: AccessoryOptions, loop: PollLoop, radio: RadioHub?,
    sharing: (hub: SharedControllerLine, seat: SharedControllerLine.Seat)? = nil
  ) throws(AccessoryFailure) {
    var random = options.random
    let store = try Self.openStore(of: profile, options)
    self.profile = profile.assigningPSMs(keeping: store?.runtime.psms ?? [:], random: &random)
    self.random = random
    var channels = self.profile.channels
    security = self.profile.security
    self.options = options
    self.loop = loop
    self.radio = radio
    self.sharing = sharing
    ring = options.ringLimit > 0 ? PacketRing(limit: options.ringLimit) : nil
    let now = loop.now()
    stack = try Self.host(of: self.profile, options, store?.identity, at: now)
    if let store {
      let chosen = self.profile.chosenPSMs(beside: profile)
      restored = stack.restore(store, psms: chosen, channels: &channels, at: now)
      self.store = store
    } else {
      restored = nil
    }
    self.channels = channels
  }

  /// Returns a new host for the profile, without earlier state except the identity.
  static func host(
    of profile: Profile, _ options: AccessoryOptions, _ identity: StoredIdentity?, at now: Instant
  ) throws(AccessoryFailure) -> HostStack<ProfileRuntime> {
    let runtime = ProfileRuntime(profile: profile, seed: options.seed, clock: .system(at: now), startingAt: now)
    var configuration = profile.hostConfiguration(seed: options.seed)
    if options.controller.hasFlowControl { configuration.connection.hostBuffers = 0 }
    identity?.apply(to: &configuration)
    do throws(AttributeDatabase.DefinitionError) {
      var stack = try HostStack(configuration, application: runtime)
      stack.watchInterval = watchInterval
      stack.arm(profile.faults + options.faults, of: configuration, channels: profile.psms, at: now)
      return stack
    } catch {
      throw .definition(error)
    }
  }

  private static func openStore(of profile: Profile, _ options: AccessoryOptions) throws(AccessoryFailure)
    -> StateStore?
  {
    guard let directory = options.state else { return nil }
    var random = options.random.source(for: "identity")
    do throws(StateFailure) {
      return try StateStore(of: profile, seed: options.seed, below: directory, random: &random)
    } catch {
      throw .state(error)
    }
  }

  // MARK: - Life

  /// Opens the controller and starts its initialization, or starts waiting for it. The event `ready` reports
  /// that the accessory is on the air. If `start` throws, the accessory has ended.
  public func start() async throws(AccessoryFailure) {
    do throws(AccessoryFailure) { try await open() } catch {
      finish(.failed(error))
      throw error
    }
  }

  private func open() async throws(AccessoryFailure) {
    try checkPrograms()
    timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
    reportRestoration()
    do throws(CaptureFailure) {
      capture = try options.capturePath.map { path throws(CaptureFailure) in
        try AccessoryCapture(creating: path, includingAdvertising: options.capturesAdvertising)
      }
    } catch {
      throw .capture(error)
    }
    try await openController()
    startPrograms()
  }

  /// Starts talking to the controller, once it is present.
  func begin() {
    let now = loop.now()
    stack.start(at: now, into: &out)
    flush(at: now)
  }

  /// Takes everything off the air, disconnects all centrals, and ends.
  public func stop() {
    guard outcome == nil else { return }
    let now = loop.now()
    stack.shutDown(at: now, into: &out)
    flush(at: now)
    guard outcome == nil else { return }
    // A controller that does not answer must not delay the end.
    let limit = loop.addTimer { [weak self] in self?.assumeIsolated { $0.finish(.stopped) } }
    stopLimit = limit
    loop.setTimer(limit, now + .seconds(1))
  }

  /// Waits until the accessory and all its programs have ended, and returns how the accessory ended.
  public func end() async -> AccessoryEnd {
    if let outcome, !hasPrograms { return outcome }
    return await withCheckedContinuation { waiting.append($0) }
  }

  var hasEnded: Bool { outcome != nil }

  /// Ends the accessory: from now on, nothing is sent or accepted.
  func finish(_ end: AccessoryEnd) {
    guard outcome == nil else { return }
    outcome = end
    endReset()
    if case .failed(let failure) = end {
      if options.savesRingOnFailure, wasReady { saveRing(.failed) }
      emit(.failed(failure))
    }
    for timer in [timer, stopLimit] {
      if let timer { loop.removeTimer(timer) }
    }
    endSearch()
    closeController()
    endBridges()
    endPrograms()
    closeState()
    capture?.close()
    noteCaptureFailure()
    observers.finish()
    packetWatchers.finish()
    remoteOperations.endAll()
    signalStrengths.endAll()
    releaseWaiting()
  }

  /// Resumes the callers of `end()`, once all programs have ended.
  func releaseWaiting() {
    guard let outcome, !hasPrograms else { return }
    for continuation in waiting { continuation.resume(returning: outcome) }
    waiting = []
  }

  // MARK: - Turns

  /// Handles an event on the controller's line. This is the hot path.
  func lineReady(_ events: PollEvents) {
    guard case .line(let line, _) = transport else { return }
    if events.contains(.writable) {
      check(line.flush())
      guard case .line = transport else { return flush(at: loop.now()) }
      watchInterest(of: line)
    }
    inbox.removeAll()
    switch line.read(into: &inbox) {
    case .octets: if inbox.withSpan({ isController($0) }) { takeInbox() } else { flush(at: loop.now()) }
    case .wouldBlock: break
    case .closed: vanish("the line was closed")
    case .failed(let code): vanish(TransportError.text(ofErrno: code))
    }
  }

  /// Handles the loss of the controller's line in a turn of its own.
  private func vanish(_ reason: String) {
    lineFailed(reason)
    flush(at: loop.now())
  }

  /// Takes packets that the controller behind our seat has sent on its own, not in answer to a call.
  func seatReady() {
    switch transport {
    case .radio(let radio, let pass): collect(from: radio, pass.seat)
    case .shared(let hub, let seat): collect(from: hub, seat)
    case .none, .awaiting, .line: break
    }
  }

  private func collect<Hub: InProcessTransport>(from hub: Hub, _ seat: Hub.Seat) {
    inbox.removeAll()
    inbox.append(hub.assumeIsolated { $0.collect(seat) })
    takeInbox()
  }

  private func takeInbox() {
    let now = loop.now()
    if isSeen { inbox.withSpan { record(.controllerToHost, $0, at: now) } }
    inbox.withSpan { octets in
      stack.receive(octets, at: now, into: &out)
    }
    flush(at: now)
  }

  private func deadlineReached() {
    armedDeadline = nil
    let now = loop.now()
    capture?.advance(to: now)
    noteCaptureFailure()
    saveState(at: now)
    stack.advance(to: now, into: &out)
    flush(at: now)
  }

  /// Ends a turn: sends packets, informs observers, sets the timer.
  func flush(at now: Instant) {
    repeat {
      // What a peer did is reported before what the application does about it.
      if !out.signalStrengths.isEmpty { tellSignalStrengths() }
      if !out.events.isEmpty { report(at: now) }
      guard outcome == nil else { return out.removeAll() }
      followApplication(at: now)
      guard !out.octets.isEmpty else { continue }
      if isSeen { out.octets.withSpan { record(.hostToController, $0, at: now) } }
      switch transport {
      case .none, .awaiting: out.octets.removeAll()
      case .line(let line, _):
        check(line.write(out.octets))
        out.octets.removeAll()
      case .radio(let radio, let pass): exchange(with: radio, pass.seat, at: now)
      case .shared(let hub, let seat): exchange(with: hub, seat, at: now)
      }
    } while !out.octets.isEmpty || !out.events.isEmpty || !out.signalStrengths.isEmpty
    arm()
  }

  /// Reports what the profile's runtime did on its own.
  private func followApplication(at now: Instant) {
    for entry in stack.application.takeJournal() {
      let value = stack.application.decode(entry.value, of: entry.characteristic)
      emit(.logged(entry.value), name(of: entry.characteristic), value)
    }
    for report in stack.application.takeClientReports() { emit(.remoteStep(report)) }
    followQuestions(at: now)
    followRules(at: now)
    keepValues(at: now)
  }

  /// Passes packets to the controller behind our seat, and processes its answer at once.
  private func exchange<Hub: InProcessTransport>(with hub: Hub, _ seat: Hub.Seat, at now: Instant) {
    let octets = out.octets.copy()
    out.octets.removeAll()
    let answer = hub.assumeIsolated { $0.exchange(octets, from: seat, at: now) }
    guard !answer.isEmpty else { return }
    if isSeen { record(.controllerToHost, answer.span, at: now) }
    stack.receive(answer.span, at: now, into: &out)
  }

  private func check(_ outcome: WriteOutcome) {
    switch outcome {
    case .sent: break
    case .queued: if case .line(let line, _) = transport { watchInterest(of: line) }
    case .overLimit: lineFailed("it accepts no more octets")
    case .closed: lineFailed("the line was closed")
    case .failed(let code): lineFailed(TransportError.text(ofErrno: code))
    }
  }

  private func lineFailed(_ reason: String) { if !endedUnproven() { controllerVanished(reason) } }

  private func watchInterest(of line: Line) {
    if case .line(_, let watch) = transport { loop.setInterest(watch, line.interest) }
  }

  private func arm() {
    let deadline = Instant.earliest(.earliest(stack.nextDeadline, capture?.nextDeadline), Self.due(of: &store))
    guard let timer, deadline != armedDeadline else { return }
    armedDeadline = deadline
    loop.setTimer(timer, armedDeadline)
  }

  /// Returns when the store has to save something. `store` is `inout` because passing it by value would copy the whole store in every turn.
  private static func due(of store: inout StateStore?) -> Instant? { store?.due }
}
