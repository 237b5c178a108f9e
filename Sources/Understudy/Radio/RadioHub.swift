import BLECore
import Capture
import Transport
import VirtualRadio

/// A running virtual radio: an air with a controller for each accessory of this process, and one for each host that joins from outside.
///
/// It runs on a loop together with the accessories, so that packets between them are passed by function calls.
public actor RadioHub {
  /// The maximum number of controllers for accessories of this process.
  public static let accessoryLimit = 2_000
  /// The maximum number of controllers for hosts from outside.
  public static let hostLimit = 100

  nonisolated let loop: PollLoop
  let air: Air
  let configuration: ControllerConfiguration
  /// When the radio was created.
  let origin: Instant
  private var timer: TimerID?
  private var armedDeadline: Instant?
  var listeners: [RadioListener] = []
  /// The timer after which paused sockets listen again.
  var retryTimer: TimerID?
  /// The callers that wait for time to advance, and until when.
  var advances: (timer: TimerID, waiting: [(until: Instant, done: @Sendable () -> Void)])?
  var visits: (watch: WatchID, terminals: TerminalVisits)?
  var members: [ControllerID: RadioMember] = [:]
  var pathImpairments: [NamedPath: PathImpairment] = [:]
  var controllerImpairments: [String: ControllerImpairment] = [:]
  var capture: RadioCapture?
  /// Why the capture file is incomplete; nil if it is complete.
  public internal(set) var captureFailure: CaptureFailure?
  private var observers: [Int: RadioObserver] = [:]
  private var observerCount = 0
  /// The accessories of this process that are in a turn. They fetch their controller's octets at its end.
  private var exchanging: Set<ControllerID> = []
  var scratch = OctetBuffer(minimumCapacity: 4096)

  /// A host's place on the air.
  public typealias Seat = ControllerID

  /// The loop, on which the actor runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates an air on that loop. `configuration` is the default for its controllers.
  public init(loop: PollLoop, configuration: ControllerConfiguration = .full, seed: UInt64 = 0) {
    self.loop = loop
    self.configuration = configuration
    origin = loop.now()
    air = Air(configuration: AirConfiguration(seed: seed))
  }

  // MARK: - Controllers

  /// The controllers on the air, in the order in which they joined.
  public var controllers: [RadioController] {
    air.controllerIDs.compactMap { id in
      guard let member = members[id], let preset = air.configuration(of: id)?.name else { return nil }
      var hasHost = true
      if case .terminal(_, _, nil) = member.host { hasHost = false }
      return RadioController(name: member.name, place: member.place, preset: preset, hasHost: hasHost)
    }
  }

  /// Puts a controller with a new name on the air, for a host at `place`. `enroll` makes it a member once its host is known.
  func addController(
    _ kind: String, _ configuration: ControllerConfiguration?, at place: String
  ) throws(TransportError) -> (id: ControllerID, name: String) {
    let (limit, whose) =
      kind == Self.accessoryName ? (Self.accessoryLimit, "accessories") : (Self.hostLimit, "hosts from outside")
    let count = kind == Self.accessoryName ? members.count - hostCount : hostCount
    guard count < limit else {
      throw TransportError(
        kind: .busy, what: "cannot add a controller for", place: place, why: "the radio already has \(limit) \(whose)")
    }
    let id = air.addController(configuration: configuration ?? self.configuration)
    let name = freeName(kind)
    impairNewcomer(id, name)
    return (id, name)
  }

  /// The number of hosts from outside that have a controller.
  var hostCount: Int { members.values.count { if case .local = $0.host { false } else { true } } }

  /// Makes a controller a member, now that its host is known.
  func enroll(_ id: ControllerID, _ member: RadioMember) {
    members[id] = member
    capture?.add(id, name: member.name, place: member.place)
  }

  /// Takes a controller off the air.
  func remove(_ id: ControllerID) {
    members[id] = nil
    capture?.remove(id)
    air.removeController(id)
  }

  /// Returns `accessory` or `accessory-2`, but `tcp-1` and `tcp-2`: the names of outside hosts always have a
  /// number. The numbers of hosts that have left are used again.
  private func freeName(_ kind: String) -> String {
    let taken = Set(members.values.map(\.name))
    if kind == Self.accessoryName, !taken.contains(kind) { return kind }
    var number = kind == Self.accessoryName ? 2 : 1
    while taken.contains("\(kind)-\(number)") { number += 1 }
    return "\(kind)-\(number)"
  }

  static let accessoryName = "accessory"

  // MARK: - Accessories of this process

  /// Gives an accessory of this process a controller. `hasOutput` is called on the loop when the controller
  /// has octets for the accessory that are not the answer to its call.
  func attach(
    configuration: ControllerConfiguration? = nil, hasOutput: @escaping @Sendable () -> Void
  ) throws(TransportError) -> Seat {
    let place = "this process"
    let (id, name) = try addController(Self.accessoryName, configuration, at: place)
    enroll(id, RadioMember(name: name, place: place, host: .local(hasOutput: hasOutput)))
    return id
  }

  /// Takes the controller of an accessory of this process off the air.
  func detach(_ seat: Seat) {
    remove(seat)
    flush()
  }

  /// Passes an accessory's octets to its controller, and returns the immediate answer.
  func exchange(_ octets: [UInt8], from seat: Seat, at now: Instant) -> [UInt8] {
    record(.hostToController, octets.span, of: seat, at: now)
    air.receive(octets.span, from: seat, at: now)
    exchanging.insert(seat)
    flush()
    exchanging.remove(seat)
    return collect(seat)
  }

  /// Returns what an accessory's controller has for it.
  func collect(_ seat: Seat) -> [UInt8] {
    scratch.removeAll()
    air.drain(seat, into: &scratch)
    let octets = scratch.copy()
    record(.controllerToHost, octets.span, of: seat, at: loop.now())
    return octets
  }

  // MARK: - Turns

  /// Passes every controller's octets to its host, and sets the timer for what the air does next.
  func flush() {
    for id in air.controllersWithOutput {
      guard let member = members[id] else { continue }
      if case .local(let hasOutput) = member.host {
        // The accessory gets them as the answer: it must not be called back in its own turn.
        if !exchanging.contains(id) { hasOutput() }
      } else {
        deliver(to: id, member)
      }
    }
    arm()
  }

  func arm() {
    let deadline = Instant.earliest(air.nextDeadline, capture?.nextDeadline)
    guard deadline != armedDeadline else { return }
    armedDeadline = deadline
    let timer =
      self.timer
      ?? loop.addTimer { [weak self] in self?.assumeIsolated { $0.tick() } }
    self.timer = timer
    loop.setTimer(timer, armedDeadline)
  }

  private func tick() {
    armedDeadline = nil
    let now = loop.now()
    air.advance(to: now)
    tendCapture(at: now)
    flush()
  }

  /// Closes all ports, sockets, terminals and lines. Pending octets for the hosts, such as those about the
  /// end of a connection, are sent first.
  public func close() {
    for (id, member) in members {
      if let (line, watch) = member.line {
        scratch.removeAll()
        air.drain(id, into: &scratch)
        scratch.withSpan { record(.controllerToHost, $0, of: id, at: loop.now()) }
        _ = line.write(scratch)
        loop.unwatch(watch)
      }
      switch member.host {
      case .local: break
      case .line(let line, _): line.close()
      case .terminal(let terminal, _, _): terminal.line.close()
      }
    }
    members = members.filter { if case .local = $0.value.host { true } else { false } }
    for listener in listeners {
      listener.socket.end()
      loop.unwatch(listener.watch)
    }
    listeners = []
    if let visits { loop.unwatch(visits.watch) }
    visits = nil
    for timer in [timer, retryTimer] {
      if let timer { loop.removeTimer(timer) }
    }
    (timer, retryTimer) = (nil, nil)
    endAdvances()
    closeCapture()
    for observer in observers.values { observer.closed() }
    observers = [:]
  }

  // MARK: - Events

  /// Returns the radio's events from now on, until it closes. If the reader falls more than 4,096 events behind, it loses the oldest.
  public func events() -> AsyncStream<RadioEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: RadioEvent.self, bufferingPolicy: .bufferingNewest(4096))
    let id = observe(RadioObserver(happened: { continuation.yield($0) }, closed: { continuation.finish() }))
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      Task { await self.forget(observer: id) }
    }
    return stream
  }

  /// Calls `handler` on the loop for every event of the radio, and `closed` at its end.
  public func observe(closed: @escaping @Sendable () -> Void, _ handler: @escaping @Sendable (RadioEvent) -> Void) {
    _ = observe(RadioObserver(happened: handler, closed: closed))
  }

  /// Adds an observer, which is called on the loop. Returns the number for `forget(observer:)`.
  func observe(_ observer: RadioObserver) -> Int {
    observerCount += 1
    observers[observerCount] = observer
    return observerCount
  }

  func forget(observer id: Int) { observers[id] = nil }

  func emit(_ event: RadioEvent) {
    for observer in observers.values { observer.happened(event) }
  }
}

/// An observer of a radio.
struct RadioObserver: Sendable {
  var happened: @Sendable (RadioEvent) -> Void
  var closed: @Sendable () -> Void = {}
}
