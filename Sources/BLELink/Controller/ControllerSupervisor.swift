import BLECore
import BLEHCI

/// What a host expects of its controller besides its links, and the checks that are due.
struct ControllerSupervisor: Sendable {
  /// The interval of checks; nil for never.
  var interval: Duration?
  /// When octets were last received from the controller.
  var lastHeard = Instant.zero
  /// The current incident on the line; nil if there is none.
  var incident: LineIncident?
  /// How often the controller has refused something that it has to accept, since all settings were last applied.
  var bringUpFailures = 0
  /// The last failure of an initialization.
  var lastFailure: ControllerFailure?
  /// When to initialize a controller that keeps restarting.
  var bringUpDue: Instant?
  /// Whether the controller has applied all settings since it was initialized.
  var hasBeenUpToDate = false
  /// Whether a command was not answered, so that the next one decides whether the controller is gone.
  var isOnLastChance = false
  /// The last command without an answer; the answer may still come.
  var lostCommand: CommandOpcode?
  /// Links that the controller has but did not report; they are being disconnected.
  var unknownLinks: Set<ConnectionHandle> = []
  /// Links that the controller no longer knows; kept until all links have been checked.
  var forgottenLinks: Set<ConnectionHandle> = []
  /// The reliability of the answers to the role's questions.
  var roleAnswers = Credibility.untried
  /// The reliability of the answers about a setting.
  var settingAnswers = SettingAnswers.untried
  /// Whether to repeat the question with a doubtful answer, as soon as the controller has applied all settings.
  var asksAgain = false
  /// The number of the role's next question.
  private var round = 0

  /// Links whose advertising set was reported as terminated, and the deadlines for their connection events.
  private var expected: [(handle: ConnectionHandle, due: Instant)] = []
  /// When the next check is due.
  private var nextLook: Instant?

  /// How long to wait for the answer that decides whether a controller is gone.
  static let lastChance = Duration.seconds(1)
  /// How long after the termination of its advertising set a link has to be reported.
  private static let announcement = Duration.seconds(1)

  /// Whether the answers are meaningful. Some controllers accept the parameters of a set that is on the air.
  enum Credibility: Hashable, Sendable {
    case untried, confirmed
    /// By the answer to this question (a packet), a setting was not in effect. It has been applied again, this many times, and the question
    /// is repeated.
    case doubted(question: [UInt8], hasLinks: Bool, times: Int)
    /// The answer is always the same.
    case worthless
  }

  /// How often a setting is applied again before an answer counts as worthless. A controller can restart while the question is repeated.
  static let doubts = 3

  /// Whether the controller returns the suggested data length that was set.
  enum SettingAnswers: Hashable, Sendable {
    case untried, confirmed
    /// It did not, and was reset because of that. If it does not the next time either, it never does.
    case doubted
    case worthless
  }

  init(interval: Duration? = nil) { self.interval = interval }

  /// When the next action is due.
  var deadline: Instant? {
    expected.reduce(Instant.earliest(nextLook, bringUpDue)) { Instant.earliest($0, $1.due) }
  }

  /// Starts the checks of an initialized controller.
  mutating func begin(at now: Instant) { nextLook = interval.map { now + $0 } }

  /// Returns whether a check is due; if so, the next one is due one interval later.
  mutating func isDue(at now: Instant) -> Bool {
    guard let due = nextLook, due <= now else { return false }
    nextLook = interval.map { now + $0 }
    return interval != nil
  }

  /// Returns the number of the next question: the same number again while its answer is doubted.
  mutating func nextRound() -> Int {
    if case .doubted = roleAnswers { return round }
    round &+= 1
    return round
  }

  /// Notes that a link has been made according to an advertising set, and has to be reported.
  mutating func expect(_ handle: ConnectionHandle, at now: Instant) {
    guard interval != nil else { return }
    expected.append((handle, now + Self.announcement))
  }

  /// Notes that a link has been reported.
  mutating func knows(_ handle: ConnectionHandle) {
    unknownLinks.remove(handle)
    expected.removeAll { $0.handle == handle }
  }

  /// Removes and returns the links that were not reported in time.
  mutating func takeOverdue(at now: Instant) -> [ConnectionHandle] {
    let overdue = expected.filter { $0.due <= now }.map(\.handle)
    if !overdue.isEmpty { expected.removeAll { $0.due <= now } }
    return overdue
  }

  /// Discards everything about the controller, which is being initialized again.
  mutating func forgetController() {
    nextLook = nil
    expected = []
    unknownLinks = []
    forgottenLinks = []
    isOnLastChance = false
    lostCommand = nil
    asksAgain = false
    hasBeenUpToDate = false
  }
}
