import BLECore
import BLEHCI

/// How an examination is made.
struct ExaminationConditions: Hashable, Sendable {
  /// The speed of the serial port, in bit/s; nil for anything that has none.
  var baud: UInt32?
  /// Whether RTS and CTS are heeded.
  var flowControl = true
  /// What a second controller listens to.
  var listening: Listening = .none
  /// How many resets go out before nobody is taken to be there.
  var firstResets = 2
  /// Changes the addresses that are advertised.
  var seed: UInt64 = 0
  /// Which steps are done.
  var scope = Scope.everything

  /// How far an examination goes.
  enum Scope: Hashable, Sendable {
    /// All steps.
    case everything
    /// As far as `throughput`, with few repetitions.
    case lineRate
  }

  /// What the second controller hears.
  enum Listening: Hashable, Sendable {
    /// There is none.
    case none
    /// Legacy advertising only.
    case legacy
    /// Both kinds.
    case extended
  }

  /// Conditions of no serial port and no second controller.
  init() {}

  /// Octets in a second that the port can carry in one direction: ten bits each, with start and stop bit.
  var octetsPerSecond: Int? { baud.map { Int($0 / 10) } }
}

/// What an examination knows so far.
struct ExaminationState: Sendable {
  let conditions: ExaminationConditions
  /// What the steps have found, in the order in which they ended.
  private(set) var findings: [StepFinding] = []
  var identity: ControllerIdentity?
  var commands = SupportedCommands()
  var features: LEFeatures = []
  /// Octets of data that a set can have; 0 without extended advertising.
  var advertisingDataLength = 0

  /// How many commands were answered.
  var exchanges = 0
  /// How many answers came later than `Examination.patience`, since that was last told, and how late the latest was.
  private var late = (count: 0, longest: Duration.zero)
  /// Whether an answer has ever come late.
  private(set) var hasLateAnswers = false
  /// Whether an answer has never come.
  var hasLostAnswers = false
  /// How many commands were not answered in time and asked again, outside the trials that are about it.
  var repetitions = 0
  /// How many octets have come from the controller.
  var heardOctets = 0
  /// How many octets from the controller belonged to no packet, since it was in step.
  var strayOctets = 0
  /// What said that the controller restarted.
  var restarts: [RestartSign] = []
  /// The time of the shortest exchange, and its octets.
  var shortExchange: (octets: Int, time: Duration)?

  init(_ conditions: ExaminationConditions) { self.conditions = conditions }

  /// Keeps what a step has found; the first finding counts.
  mutating func note(_ step: ExaminationStep, _ observation: Observation) {
    guard self[step] == nil else { return }
    findings.append(StepFinding(step, observation))
  }

  /// Counts an answer.
  mutating func noteAnswer(after time: Duration) {
    exchanges += 1
    guard time > Examination.patience else { return }
    hasLateAnswers = true
    late = (late.count + 1, max(late.longest, time))
  }

  /// How many answers came late since this was last asked.
  var lateCount: Int { late.count }

  /// What there is to say of late answers, once; nil when none was late.
  mutating func takeLateAnswers() -> Observation? {
    guard late.count > 0 else { return nil }
    defer { late = (0, .zero) }
    return .late(answers: late.count, of: exchanges, longest: late.longest)
  }

  subscript(step: ExaminationStep) -> StepFinding? { findings.first { $0.step == step } }

  var manufacturer: ControllerManufacturer { identity?.manufacturer ?? ControllerManufacturer(rawValue: 0xFFFF) }

  /// Whether the line has lost octets in one of the steps that look for that.
  var losesOctets: Bool { self[.exchanges]?.verdict == .failed || self[.flowControl]?.verdict == .failed }

  /// What there is to say of late answers behind the step that is about them, where that found none.
  mutating func lateAnswersSinceLatency() -> Observation? {
    if case .late = self[.latency]?.observation { return nil }
    return takeLateAnswers()
  }

  /// Whether answers are late again and again, so that long series of commands would take minutes.
  var isSlow: Bool {
    guard case .late(let answers, _, _) = self[.latency]?.observation else { return false }
    return answers >= RepetitionTrial.lateLimit
  }

  /// Whether extended advertising can be used, as the host decides it too.
  var hasExtendedAdvertising: Bool {
    features.contains(.extendedAdvertising) && commands.contains(.leSetExtendedAdvertisingEnable)
      && commands.contains(.leReadNumberOfSupportedAdvertisingSets)
      && commands.contains(.leReadMaximumAdvertisingDataLength)
  }
}
