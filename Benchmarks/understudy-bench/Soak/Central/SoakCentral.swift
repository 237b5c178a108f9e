import BLECore
import Bench
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// A central that lives through one session after another, and checks everything that it sees.
///
/// As the hosts, it has no input or output of its own. What only the outside can do to a session, such as to restart a controller,
/// it asks for by `takeTask`.
struct SoakCentral: Sendable {
  /// Whom it connects to, and how it lives.
  struct Configuration: Sendable {
    var peer: DeviceAddress
    var peerType: AddressType
    var seed: UInt64
    var pace: SoakPace
    /// The ends that its sessions can have.
    var ends: [SoakEnd]
    /// Whether the accessory is that of the profile `soak`.
    var knowsAccessory: Bool
    /// Whether the radio loses so much that links may be lost too.
    var toleratesLoss: Bool
    /// Whether there are other centrals.
    var hasRivals: Bool
  }

  /// Where it is in its life.
  enum Phase { case starting, seeking, falling, resting, connecting, running, leaving }

  /// Its number, from 0 on.
  let number: Int
  let configuration: Configuration
  /// What it has seen.
  package internal(set) var ledger = SoakLedger()
  /// Its host.
  package internal(set) var stack: CentralStack
  var phase = Phase.starting
  var session: SoakSession
  var random: SplitMix64
  /// When what it waits for is due or overdue.
  var deadline: Instant?
  var task: SoakTask?
  /// When the last session's end began, and which one that was.
  var left: (at: Instant, end: SoakEnd?)?
  /// What the slot may hold: what was written last, and what may or may not have arrived.
  var possible = [SoakService.initialSlot]
  /// When it began.
  var origin = Instant.zero
  /// Whether it is to begin no more sessions.
  var isEnding = false

  /// A central with that number.
  init(_ number: Int, _ configuration: Configuration) throws(AttributeDatabase.DefinitionError) {
    self.number = number
    self.configuration = configuration
    random = SplitMix64(seed: configuration.seed, stream: UInt64(number) + 1)
    stack = try CentralStack(Self.host(number))
    session = SoakSession(plan: SoakPlan(&random, configuration.pace, ends: configuration.ends))
  }

  private static func host(_ number: Int) -> CentralConfiguration {
    CentralConfiguration(name: "Soak \(number + 1)", randomAddress: address(of: number))
  }

  /// The address of the central with that number.
  static func address(of number: Int) -> DeviceAddress { .randomStatic(from: 0x50A4_0000 + UInt64(number)) }

  // MARK: Input

  /// Begins.
  mutating func start(at now: Instant, into out: inout HostOutput) {
    origin = now
    left = (now, nil)
    bringUp(at: now, into: &out)
    finishTurn(at: now, into: &out)
  }

  /// Takes octets from the controller.
  mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    stack.receive(octets, at: now, into: &out)
    finishTurn(at: now, into: &out)
  }

  /// Does what is due at `now`.
  mutating func advance(to now: Instant, into out: inout HostOutput) {
    stack.advance(to: now, into: &out)
    finishTurn(at: now, into: &out)
    if let deadline, deadline <= now { due(at: now, into: &out) }
    finishTurn(at: now, into: &out)
  }

  /// When `advance` has something to do next.
  var nextDeadline: Instant? { mutating get { Instant.earliest(stack.nextDeadline, deadline) } }

  /// What the outside is to do, once.
  mutating func takeTask() -> SoakTask? {
    defer { task = nil }
    return task
  }

  /// Whether the outside is to do something.
  var hasTask: Bool { task != nil }

  /// The outside has done what it was to do.
  mutating func taskIsDone(at now: Instant, into out: inout HostOutput) {
    guard phase == .leaving else { return }
    left = (now, session.plan.end)
    // Somebody who never says a word would never notice.
    if session.plan.end.isUnannounced { perform(.read(session.handles.label ?? 3), at: now, into: &out) }
    finishTurn(at: now, into: &out)
  }

  /// Somebody else's deed ends this session too, or keeps the accessory off the air.
  mutating func interrupt(at now: Instant) {
    switch phase {
    case .connecting, .running, .leaving:
      if !session.isInterrupted { ledger.count(.interruptions) }
      session.isInterrupted = true
      if phase != .leaving { deadline = now + Self.interruptionLimit }
    case .seeking: deadline = now + seekingLimit
    case .starting, .falling, .resting: break
    }
  }

  /// The machine stood still for so long, and the time did not: what that does to a session is nobody's fault.
  mutating func standStill(for duration: Duration) {
    if isInSession { session.isInterrupted = true }
    deadline? += duration
  }

  /// The accessory has begun anew, and holds nothing that was written.
  mutating func forgetValues() { possible = [SoakService.initialSlot] }

  /// Begins no more sessions; the one under way goes to its end, and so does the first one.
  mutating func finish() { isEnding = true }

  /// Whether nothing is under way.
  var isResting: Bool { phase == .resting }

  /// Whether what the outside does to end its session still finds it.
  var isLeaving: Bool { phase == .leaving }

  /// Whether nothing is under way, and nothing will be.
  var isOver: Bool { isResting && !hasMore }

  /// Whether another session follows. However short a soak is, it has one.
  var hasMore: Bool { !isEnding || ledger[.sessions] == 0 }

  // MARK: Limits

  /// How long a controller may take to come up.
  static var startLimit: Duration { .seconds(10) }
  /// How long an action may take.
  static var actionLimit: Duration { .seconds(120) }
  /// How long connecting may take.
  static var connectionLimit: Duration { .seconds(20) }
  /// How long it may take beyond the supervision timeout until an end is noticed.
  static var leavingLimit: Duration { .seconds(5) }
  /// An ATT transaction times out after 30 s, and that is how a central notices that its controller has forgotten a link.
  static var silenceLimit: Duration { .seconds(45) }
  /// By then a link that somebody else has ended is gone.
  static var interruptionLimit: Duration { .seconds(60) }
  /// By then the accessory has to be on the air again.
  var seekingLimit: Duration { configuration.toleratesLoss ? .seconds(60) : .seconds(15) }

  // MARK: Faults

  mutating func fault(_ reason: String, at now: Instant) {
    ledger.add(
      SoakFault(
        time: now - origin, central: number + 1, session: ledger[.sessions] + 1, place: place, reason: reason))
  }

  private var place: String {
    switch phase {
    case .starting: "starting"
    case .seeking, .falling: "waiting for the accessory" + (left?.end.map { " (\($0.rawValue))" } ?? "")
    case .resting: "resting"
    case .connecting: "connecting"
    case .running: session.action.map { "\($0)" } ?? "ending"
    case .leaving: session.plan.end.rawValue
    }
  }

  /// A fault that ends the session.
  mutating func abandon(_ reason: String, at now: Instant, into out: inout HostOutput) {
    if !session.isInterrupted { fault(reason, at: now) }
    guard !session.isAbandoned else { return restartHost(at: now, into: &out) }
    session.isAbandoned = true
    session.operation = nil
    session.plan.end = .centralDisconnects
    leave(at: now, into: &out)
  }

  /// Gives up what the host was doing and begins anew.
  mutating func restartHost(at now: Instant, into out: inout HostOutput) {
    ledger.count(.centralRestarts)
    replaceHost(at: now, into: &out)
  }

  /// A host that knows nothing of the one before.
  mutating func replaceHost(at now: Instant, into out: inout HostOutput) {
    guard let fresh = try? CentralStack(Self.host(number)) else { return }
    stack = fresh
    out.octets.removeAll()
    out.events.removeAll()
    bringUp(at: now, into: &out)
  }

  private mutating func bringUp(at now: Instant, into out: inout HostOutput) {
    phase = .starting
    deadline = now + Self.startLimit
    stack.start(at: now, into: &out)
  }
}

extension SoakCentral: CentralPlayer {}
