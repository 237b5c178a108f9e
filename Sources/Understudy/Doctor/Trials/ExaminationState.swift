import BLECore
import BLEHCI

/// The conditions of an examination.
struct ExaminationConditions: Hashable, Sendable {
  /// The speed of the serial port, in bit/s; nil for other lines.
  var baud: UInt32?
  /// Whether flow control (RTS and CTS) is used.
  var flowControl = true
  /// The advertising that the second controller receives.
  var listening: Listening = .none
  /// The number of resets without an answer after which no controller is assumed to be present.
  var firstResets = 2
  /// The seed for the advertised addresses.
  var seed: UInt64 = 0
  /// The steps to do.
  var scope = Scope.everything

  /// The scope of an examination.
  enum Scope: Hashable, Sendable {
    /// All steps.
    case everything
    /// The steps up to `throughput`, with few repetitions.
    case lineRate
  }

  /// The advertising that the second controller receives.
  enum Listening: Hashable, Sendable {
    /// There is no second controller.
    case none
    /// Legacy advertising only.
    case legacy
    /// Both kinds.
    case extended
  }

  /// Creates conditions without a serial port and a second controller.
  init() {}

  /// Octets per second that the port can carry in one direction: ten bits each, with start and stop bit.
  var octetsPerSecond: Int? { baud.map { Int($0 / 10) } }
}

/// The state of an examination so far.
struct ExaminationState: Sendable {
  let conditions: ExaminationConditions
  /// The findings, in the order in which the steps ended.
  private(set) var findings: [StepFinding] = []
  var identity: ControllerIdentity?
  var commands = SupportedCommands()
  var features: LEFeatures = []
  /// The maximum octets of data in a set; 0 without extended advertising.
  var advertisingDataLength = 0

  /// The number of commands that were answered.
  var exchanges = 0
  /// The number of answers later than `Examination.patience` since this was last reported, and the longest delay.
  private var late = (count: 0, longest: Duration.zero)
  /// Whether any answer was late.
  private(set) var hasLateAnswers = false
  /// Whether any answer was lost.
  var hasLostAnswers = false
  /// The number of commands that were repeated because they were not answered in time, outside the trials that expect losses.
  var repetitions = 0
  /// The number of octets from the controller.
  var heardOctets = 0
  /// The number of octets from the controller that belonged to no packet, since it was synchronized.
  var strayOctets = 0
  /// The signs of restarts of the controller.
  var restarts: [RestartSign] = []
  /// The octets and the time of the shortest exchange.
  var shortExchange: (octets: Int, time: Duration)?

  init(_ conditions: ExaminationConditions) { self.conditions = conditions }

  /// Records the finding of a step. Only the first finding of a step counts.
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

  /// The number of late answers since this was last reported.
  var lateCount: Int { late.count }

  /// Returns the observation about late answers, once; nil if none was late.
  mutating func takeLateAnswers() -> Observation? {
    guard late.count > 0 else { return nil }
    defer { late = (0, .zero) }
    return .late(answers: late.count, of: exchanges, longest: late.longest)
  }

  subscript(step: ExaminationStep) -> StepFinding? { findings.first { $0.step == step } }

  var manufacturer: ControllerManufacturer { identity?.manufacturer ?? ControllerManufacturer(rawValue: 0xFFFF) }

  /// Whether a step that checks for it has found that the line loses octets.
  var losesOctets: Bool { self[.exchanges]?.verdict == .failed || self[.flowControl]?.verdict == .failed }

  /// Returns the observation about late answers after the latency step, if that step found none.
  mutating func lateAnswersSinceLatency() -> Observation? {
    if case .late = self[.latency]?.observation { return nil }
    return takeLateAnswers()
  }

  /// Whether answers are repeatedly late, so that long series of commands would take minutes.
  var isSlow: Bool {
    guard case .late(let answers, _, _) = self[.latency]?.observation else { return false }
    return answers >= RepetitionTrial.lateLimit
  }

  /// Whether extended advertising can be used; the host decides by the same rule.
  var hasExtendedAdvertising: Bool {
    features.contains(.extendedAdvertising) && commands.contains(.leSetExtendedAdvertisingEnable)
      && commands.contains(.leReadNumberOfSupportedAdvertisingSets)
      && commands.contains(.leReadMaximumAdvertisingDataLength)
  }
}
