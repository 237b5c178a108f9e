import BLECore
import BLEHCI

/// Sends the same two commands again and again, one at a time. Equal commands must get equal answers.
struct RepetitionTrial: Trial {
  /// The number of times that both are sent.
  let rounds: Int
  /// The number of losses after which the trial ends.
  private static let lossLimit = 5
  /// The number of late answers after which the trial ends.
  static let lateLimit = 5

  var steps: [ExaminationStep] { [.exchanges, .latency] }
  var expectsLosses: Bool { true }

  private let questions: [any HCICommand] = [HCIReadLocalVersionInformation(), HCIReadLocalSupportedCommands()]
  private var answers: [[UInt8]?] = [nil, nil]
  private var asked = 0
  private var unanswered = 0
  private var different = 0
  private var roundTrips: [(octets: Int, time: Duration)] = []

  /// Creates a trial that sends both commands that many times.
  init(rounds: Int = 100) { self.rounds = rounds }

  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction {
    switch news {
    case .answered(let exchange): compare(exchange)
    case .unanswered: unanswered += 1
    default: break
    }
    guard asked < rounds * questions.count, unanswered + different < Self.lossLimit, state.lateCount < Self.lateLimit
    else {
      conclude(&state)
      return .end
    }
    asked += 1
    return .exchange(questions[asked % questions.count])
  }

  private mutating func compare(_ exchange: CommandExchange) {
    let index = asked % questions.count
    if exchange.opcode == .readLocalVersionInformation { roundTrips.append((exchange.octets, exchange.roundTrip)) }
    guard let first = answers[index] else {
      answers[index] = exchange.parameters
      return
    }
    if first != exchange.parameters { different += 1 }
  }

  private func conclude(_ state: inout ExaminationState) {
    // Losses in the steps before were losses of single exchanges too.
    let lost = unanswered + state.repetitions
    let isExact = lost == 0 && different == 0 && state.strayOctets == 0
    state.note(
      .exchanges,
      isExact
        ? .exact(exchanges: asked)
        : .lossy(
          exchanges: asked + state.repetitions, unanswered: lost, different: different, strayOctets: state.strayOctets))
    state.repetitions = 0
    let times = roundTrips.map(\.time).sorted()
    if let late = state.takeLateAnswers() { state.note(.latency, late) }
    guard let median = times.percentile(50), let p99 = times.percentile(99) else {
      return state.note(.latency, .skipped(.lossyLine))
    }
    state.shortExchange = (roundTrips.first?.octets ?? 0, median)
    state.note(.latency, .latency(median: median, p99: p99))
  }
}

extension [Duration] {
  /// Returns the given percentile of sorted values; nil if there are none.
  func percentile(_ percent: Int) -> Duration? {
    isEmpty ? nil : self[Swift.min(count - 1, count * percent / 100)]
  }
}
