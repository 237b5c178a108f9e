import BLECore
import Bench
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// A central that goes through one session after another, and checks everything that it sees.
///
/// Like the hosts, it does no input or output itself. What only the driver can do to a session, such as
/// restart a controller, the central asks for in a task (`takeTask`).
struct SoakCentral: Sendable {
  /// The peer that it connects to, and the way it behaves.
  struct Configuration: Sendable {
    var peer: DeviceAddress
    var peerType: AddressType
    var seed: UInt64
    var pace: SoakPace
    /// The ways in which its sessions can end.
    var ends: [SoakEnd]
    /// Whether the accessory has the profile `soak`.
    var knowsAccessory: Bool
    /// Whether the radio loses so many packets that links may be lost too.
    var toleratesLoss: Bool
    /// Whether there are other centrals.
    var hasRivals: Bool
  }

  /// What it is doing.
  enum Phase { case starting, seeking, falling, resting, connecting, running, leaving }

  /// Its number, starting at 0.
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
  /// When the last session began to end, and how.
  var left: (at: Instant, end: SoakEnd?)?
  /// The values that the slot may hold: the last one written, and those that may or may not have arrived.
  var possible = [SoakService.initialSlot]
  /// When the central began.
  var origin = Instant.zero
  /// Whether it begins no more sessions.
  var isEnding = false

  /// Makes the central with that number.
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

  /// Returns the address of the central with that number.
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

  /// The time at which `advance` has something to do next.
  var nextDeadline: Instant? { mutating get { Instant.earliest(stack.nextDeadline, deadline) } }

  /// Returns what the driver is to do, once.
  mutating func takeTask() -> SoakTask? {
    defer { task = nil }
    return task
  }

  /// Whether the driver is to do something.
  var hasTask: Bool { task != nil }

  /// Tells the central that the driver has done what it was to do.
  mutating func taskIsDone(at now: Instant, into out: inout HostOutput) {
    guard phase == .leaving else { return }
    left = (now, session.plan.end)
    // A central that never sends anything would never notice.
    if session.plan.end.isUnannounced { perform(.read(session.handles.label ?? 3), at: now, into: &out) }
    finishTurn(at: now, into: &out)
  }

  /// Tells the central that a task for another central ends this session too, or keeps the accessory from advertising.
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

  /// Tells the central that the machine stood still for that long, while time went on. Nobody is to blame for what that does to a session.
  mutating func standStill(for duration: Duration) {
    if isInSession { session.isInterrupted = true }
    deadline? += duration
  }

  /// Tells the central that the accessory has begun anew, and that its slot holds nothing that was written.
  mutating func forgetValues() { possible = [SoakService.initialSlot] }

  /// Begins no more sessions. The current session goes to its end, and so does the first one.
  mutating func finish() { isEnding = true }

  /// Whether nothing is under way.
  var isResting: Bool { phase == .resting }

  /// Whether the central still waits for its session to end, so that a task for it still makes sense.
  var isLeaving: Bool { phase == .leaving }

  /// Whether nothing is under way, and nothing will be.
  var isOver: Bool { isResting && !hasMore }

  /// Whether another session follows. However short a soak is, it has one session.
  var hasMore: Bool { !isEnding || ledger[.sessions] == 0 }

  // MARK: Limits

  /// How long a controller may take to come up.
  static var startLimit: Duration { .seconds(10) }
  /// How long an action may take.
  static var actionLimit: Duration { .seconds(120) }
  /// How long connecting may take.
  static var connectionLimit: Duration { .seconds(20) }
  /// How long it may take after the supervision timeout until an end is noticed.
  static var leavingLimit: Duration { .seconds(5) }
  /// How long a central may take to notice that its controller has forgotten a link: it notices when an ATT
  /// transaction times out, after 30 s.
  static var silenceLimit: Duration { .seconds(45) }
  /// How long a link may last that a task for another central ends.
  static var interruptionLimit: Duration { .seconds(60) }
  /// How long the accessory may take to advertise again.
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

  /// Reports a fault and ends the session.
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

  /// Replaces the host by one that knows nothing of the old one.
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
