import BLECore
import BLEGAP
import BLEHCI

/// What a host believes of its controller beside its links, and what is due to find out whether that is so.
struct ControllerSupervisor: Sendable {
  /// How often the controller is looked after; nil for never.
  var interval: Duration?
  /// When the controller last said anything.
  var lastHeard = Instant.zero
  /// What is wrong on the line right now; nil while all is well.
  var incident: LineIncident?
  /// How often the controller refused something that it has to take, since it last did all that it was told.
  var bringUpFailures = 0
  /// What it refused last while it was brought up.
  var lastFailure: ControllerFailure?
  /// When a controller that keeps restarting is next brought up.
  var bringUpDue: Instant?
  /// Whether the controller has done everything that it was told since it came up.
  var hasBeenUpToDate = false
  /// Whether a command was not answered, and the next one decides whether the controller is gone.
  var isTryingOn = false
  /// The command that was not answered last, whose answer may still come.
  var lostCommand: CommandOpcode?
  /// Links that the controller has and never told of, which it is told to end.
  var unknownLinks: Set<ConnectionHandle> = []
  /// Links that the controller does not know any longer, until all have been asked for.
  var forgottenLinks: Set<ConnectionHandle> = []
  /// What the answers to the role's questions are worth.
  var roleAnswers = Credibility.untried
  /// What the answers about a setting are worth.
  var settingAnswers = SettingAnswers.untried
  /// Whether the question whose answer is doubted is to be asked again, as soon as the controller has been told everything.
  var asksAgain = false
  /// Which of the role's questions is next.
  private var round = 0

  /// Links of which an advertising set was said to have ended, and until when they have to be told of.
  private var expected: [(handle: ConnectionHandle, due: Instant)] = []
  /// When the controller is next looked after.
  private var nextLook: Instant?

  /// How long the answer to a question may take that decides whether a controller is gone.
  static let lastChance = Duration.seconds(1)
  /// How long after its advertising set has ended a link has to be told of.
  private static let announcement = Duration.seconds(1)

  /// Whether the answers tell anything. Some controllers take the parameters of a set that is on the air.
  enum Credibility: Hashable, Sendable {
    case untried, confirmed
    /// By its answer to this question, a packet, the controller did not do what it was told. It was told again, and is asked again.
    case doubted(question: [UInt8], hasLinks: Bool)
    /// It answers the same whatever it does.
    case worthless
  }

  /// Whether the controller gives back what it was told to suggest.
  enum SettingAnswers: Hashable, Sendable {
    case untried, confirmed
    /// It did not, and was reset for it. If it does not the next time either, it never does.
    case doubted
    case worthless
  }

  init(interval: Duration? = nil) { self.interval = interval }

  /// When something is due.
  var deadline: Instant? {
    expected.reduce(Instant.earliest(nextLook, bringUpDue)) { Instant.earliest($0, $1.due) }
  }

  /// The controller is up: it is looked after from now on.
  mutating func begin(at now: Instant) { nextLook = interval.map { now + $0 } }

  /// Whether it is time to look after the controller; the next time is one interval later.
  mutating func isDue(at now: Instant) -> Bool {
    guard let due = nextLook, due <= now else { return false }
    nextLook = interval.map { now + $0 }
    return interval != nil
  }

  /// Which question is next: the same again while its answer is doubted.
  mutating func nextRound() -> Int {
    if case .doubted = roleAnswers { return round }
    round &+= 1
    return round
  }

  /// A link is said to have been made, and has to be told of.
  mutating func expect(_ handle: ConnectionHandle, at now: Instant) {
    guard interval != nil else { return }
    expected.append((handle, now + Self.announcement))
  }

  /// A link is known.
  mutating func knows(_ handle: ConnectionHandle) {
    unknownLinks.remove(handle)
    expected.removeAll { $0.handle == handle }
  }

  /// The links that have not been told of in time.
  mutating func takeOverdue(at now: Instant) -> [ConnectionHandle] {
    let overdue = expected.filter { $0.due <= now }.map(\.handle)
    if !overdue.isEmpty { expected.removeAll { $0.due <= now } }
    return overdue
  }

  /// The controller is brought up again.
  mutating func forgetController() {
    nextLook = nil
    expected = []
    unknownLinks = []
    forgottenLinks = []
    isTryingOn = false
    lostCommand = nil
    asksAgain = false
    hasBeenUpToDate = false
  }
}
