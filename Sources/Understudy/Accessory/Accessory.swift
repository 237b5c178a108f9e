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

/// A running accessory: a profile, the host stack that is it, and the controller that carries it, all on one poll loop.
///
/// ```swift
/// let loop = try PollLoop(name: "understudy")
/// try loop.start()
/// let accessory = try Accessory(profile, options: AccessoryOptions(), loop: loop)
/// try await accessory.start()
/// let end = await accessory.end()
/// ```
///
/// The actor runs on the loop. It is entered once per read of the controller's line, never once per packet; the public methods
/// are for everybody else and come in between.
public actor Accessory {
  /// The profile that it was made from.
  public nonisolated let profile: Profile
  /// How it is run.
  public nonisolated let options: AccessoryOptions

  nonisolated let loop: PollLoop
  /// The virtual radio that it was given to join.
  nonisolated let radio: RadioHub?
  /// Its place at a controller that it shares with others.
  nonisolated let sharing: (hub: SharedControllerLine, seat: SharedControllerLine.Seat)?
  var random: RandomSource
  var stack: HostStack<ProfileRuntime>
  var out = HostOutput()
  private var inbox = OctetBuffer(minimumCapacity: Line.readSize)
  var transport = HCITransport.none
  /// The search for a controller that is not there.
  var search: AbsentController?
  /// The port that the controller is or was on, where udev knows it.
  var served: ServedPort?
  var entrance: ControllerEntrance?
  private var timer: TimerID?
  private var stopLimit: TimerID?
  private var armedDeadline: Instant?
  var capture: AccessoryCapture?
  /// Why the capture file is not whole; nil while it is.
  public internal(set) var captureFailure: CaptureFailure?
  var observers = EventObservers()
  /// How many events have been told of.
  var eventCount: UInt64 = 0
  var packetWatchers = PacketWatchers()
  /// The last packets, where they are kept.
  var ring: PacketRing?
  /// How many files of them were saved because somebody wanted them.
  var ringFiles = 0
  /// Whether it has been on the air.
  var wasReady = false
  /// How many of them want to know of single reads, writes and notifications.
  var accessReaders = 0
  var remoteOperations = RemoteOperations()
  var signalStrengths = SignalStrengthWaiters()
  /// What survives it; nil where nothing does, or it has ended. And whether the last attempt to write it failed.
  var store: StateStore?
  var hasStateFailed = false
  /// What it has again from an earlier run.
  let restored: RestoredReport?
  /// What the centrals have subscribed to: the end of a link is the end of its subscriptions, and is told of each.
  var subscriptions: [ConnectionHandle: [CharacteristicIndex]] = [:]
  /// How often it was connected to.
  var connectionCounts = ConnectionCounts()
  /// How it pairs now.
  var security: SecurityDefinition
  /// What it publishes now.
  var channels: [ChannelDefinition]
  /// Whether a rule wants it to begin anew, once every link has ended.
  var isRestarting = false
  /// The snapshots that have a name.
  var snapshots: [String: AccessorySnapshot] = [:]
  /// A reset that has begun and not ended.
  var pendingReset: PendingReset?
  var bridges: [ChannelBridge] = []
  var nextBridge = 0
  var terminalVisits: (watch: WatchID, terminals: TerminalVisits)?
  var programs: [RunningProgram] = []
  private(set) var outcome: AccessoryEnd?
  private var waiting: [CheckedContinuation<AccessoryEnd, Never>] = []

  /// The loop, on which the actor runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// An accessory that does nothing before `start`.
  public init(_ profile: Profile, options: AccessoryOptions, loop: PollLoop) throws(AccessoryFailure) {
    try self.init(profile, options: options, loop: loop, radio: nil)
  }

  /// An accessory for a virtual radio, which it may share with others and does not close; the options' controller is not
  /// looked at.
  public init(_ profile: Profile, options: AccessoryOptions, on radio: RadioHub) throws(AccessoryFailure) {
    var options = options
    options.controller = .virtual
    try self.init(profile, options: options, loop: radio.loop, radio: radio)
  }

  /// An accessory that shares the controller of its options with others.
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

  /// The host of a profile that has nothing behind it yet.
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

  /// Opens the controller and begins to bring it up, or to wait for it. The event `ready` says when the accessory is on the
  /// air; one that cannot start has ended.
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

  /// Begins the conversation with the controller, once there is one to talk to.
  func begin() {
    let now = loop.now()
    stack.start(at: now, into: &out)
    flush(at: now)
  }

  /// Takes everything off the air, disconnects every central, and ends.
  public func stop() {
    guard outcome == nil else { return }
    let now = loop.now()
    stack.shutDown(at: now, into: &out)
    flush(at: now)
    guard outcome == nil else { return }
    // A controller that does not answer must not hold up the end.
    let limit = loop.addTimer { [weak self] in self?.assumeIsolated { $0.finish(.stopped) } }
    stopLimit = limit
    loop.setTimer(limit, now + .seconds(1))
  }

  /// Waits until the accessory has ended, with all its programs, and says how.
  public func end() async -> AccessoryEnd {
    if let outcome, !hasPrograms { return outcome }
    return await withCheckedContinuation { waiting.append($0) }
  }

  /// Whether it has ended.
  var hasEnded: Bool { outcome != nil }

  /// Ends: nothing is sent or taken from now on.
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

  /// Tells those who wait for the end, once all programs have ended.
  func releaseWaiting() {
    guard let outcome, !hasPrograms else { return }
    for continuation in waiting { continuation.resume(returning: outcome) }
    waiting = []
  }

  // MARK: - Turns

  /// The controller's line has something: the hot path.
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

  /// Acts on the loss of the controller's line, as a turn of its own.
  private func vanish(_ reason: String) {
    lineFailed(reason)
    flush(at: loop.now())
  }

  /// The controller at which it has a seat has something that no call of ours has made.
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

  /// What every turn ends with: packets go out, observers learn, the timer is set.
  func flush(at now: Instant) {
    repeat {
      // What a peer did comes before what the application makes of it.
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

  /// Tells what the profile's runtime has done by itself.
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

  /// Hands packets to the controller at which it has a seat, and takes in at once what it answers.
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

  /// When the store has something to save, by an access that may change it: one that only reads copies the whole store, in every turn.
  private static func due(of store: inout StateStore?) -> Instant? { store?.due }
}
