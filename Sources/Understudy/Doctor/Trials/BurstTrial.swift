import BLECore
import BLEHCI

/// Sends the longest commands, each as one run of octets, and pauses reading for a while, so that answers and reports queue
/// up. A UART whose flow control is not wired loses some of either. When this trial begins, short commands are known to work.
struct BurstTrial: Trial {
  /// The number of long commands.
  let count: Int
  /// Whether to pause reading at the end.
  let hasPause: Bool
  /// How long reading is paused.
  static let pause = Duration.milliseconds(500)
  /// The number of losses after which the trial ends.
  private static let lossLimit = 2
  /// The longest fragment of advertising data (Core 5.4 Vol 4 Part E 7.8.54).
  private static let longestFragment = 251

  /// The purpose of a command.
  private enum Purpose { case preparation, burst, pause, afterPause }

  var steps: [ExaminationStep] { [.flowControl, .throughput] }
  var expectsLosses: Bool { true }

  private var script: [(purpose: Purpose, command: any HCICommand)] = []
  private var current = Purpose.preparation
  private var lost = 0
  private var octets = 0
  private var roundTrips: [Duration] = []
  private var before = (stray: 0, heard: 0)

  /// Creates a trial with that many long commands.
  init(count: Int = 40, hasPause: Bool = true) {
    self.count = count
    self.hasPause = hasPause
  }

  func obstacle(in state: ExaminationState) -> SkipReason? {
    state.losesOctets ? .lossyLine : state.isSlow ? .slowLine : nil
  }

  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction {
    switch news {
    case .begun: write(state)
    case .answered(let exchange):
      if current == .burst {
        octets = max(octets, exchange.octets)
        roundTrips.append(exchange.roundTrip)
      }
    case .unanswered:
      lost += 1
      if current == .pause || current == .afterPause { return conclude(&state) }
      // The reset has undone the preparation.
      script.insert(contentsOf: preparation(state).map { (.preparation, $0) }, at: 0)
    default: break
    }
    guard lost < Self.lossLimit, !script.isEmpty else { return conclude(&state) }
    let (purpose, command) = script.removeFirst()
    // The pause reveals something only about a line that has passed the bursts.
    if purpose == .pause, lost > 0 { return conclude(&state) }
    current = purpose
    guard purpose == .pause else { return .exchange(command) }
    before = (state.strayOctets, state.heardOctets)
    return .exchangeUnread(command, Self.pause)
  }

  private mutating func write(_ state: ExaminationState) {
    script = preparation(state).map { (.preparation, $0) }
    script += Array(repeating: (.burst, longCommand(state)), count: count)
    guard hasPause else { return }
    script += listening(state).map { (.preparation, $0) }
    script.append((.pause, HCIReadLocalSupportedCommands()))
    // If anything overflowed, the following command shows it.
    script.append((.afterPause, HCIReset()))
  }

  /// Returns the commands that create a set for data that is never advertised.
  private func preparation(_ state: ExaminationState) -> [any HCICommand] {
    state.hasExtendedAdvertising ? [LESetExtendedAdvertisingParameters { $0.ownAddressType = .random }] : []
  }

  /// Returns the longest command that the controller supports and that changes nothing on the air.
  private func longCommand(_ state: ExaminationState) -> any HCICommand {
    guard state.hasExtendedAdvertising else {
      return state.commands.contains(.leSetAdvertisingData) ? LESetAdvertisingData() : LEEncrypt()
    }
    let length = min(Self.longestFragment, max(state.advertisingDataLength, 31))
    // One AD structure of manufacturer specific data, with the company identifier for tests (Assigned Numbers 7.1).
    let data = [UInt8(length - 1), 0xFF, 0xFF, 0xFF] + (4..<length).map { UInt8(truncatingIfNeeded: $0) }
    return LESetExtendedAdvertisingData { $0.data = data }
  }

  /// Returns the commands that start scanning, if the controller can scan: reports of other advertisers arrive without a command.
  private func listening(_ state: ExaminationState) -> [any HCICommand] {
    let commands: [any HCICommand] =
      state.hasExtendedAdvertising
      ? [
        HCISetEventMask { $0.eventMask.formUnion(.leMeta) },
        LESetEventMask { $0.eventMask.formUnion(.extendedAdvertisingReport) },
        LESetExtendedScanParameters(), LESetExtendedScanEnable { $0.enable = true },
      ]
      : [
        HCISetEventMask { $0.eventMask.formUnion(.leMeta) }, LESetScanParameters(),
        LESetScanEnable { $0.enable = true },
      ]
    return commands.allSatisfy { state.commands.contains(type(of: $0).opcode) } ? commands : []
  }

  private func conclude(_ state: inout ExaminationState) -> TrialAction {
    let hasPaused = current == .pause || current == .afterPause
    if hasPaused, lost > 0 || state.strayOctets > before.stray {
      state.note(.flowControl, .pauseLost(flowControl: state.conditions.flowControl))
      noteRate(&state)
    } else if lost > 0 {
      state.note(
        .flowControl,
        .burstsLost(exchanges: roundTrips.count + lost, lost: lost, flowControl: state.conditions.flowControl))
      state.note(.throughput, .skipped(.lossyLine))
    } else {
      state.note(
        .flowControl,
        .burstsWhole(
          exchanges: count, octets: octets, afterPause: hasPaused ? state.heardOctets - before.heard : 0))
      noteRate(&state)
    }
    return .end
  }

  /// Computes the rate from what the additional octets of a long exchange cost compared with a short one.
  /// This excludes the controller's own processing time.
  private func noteRate(_ state: inout ExaminationState) {
    guard let long = roundTrips.sorted().percentile(50), let short = state.shortExchange else {
      return state.note(.throughput, .skipped(.lossyLine))
    }
    let (more, time) = (octets - short.octets, (long - short.time).inSeconds)
    // A time below 0.1 µs per octet is not that of a line, and below the clock's resolution a division is meaningless.
    guard more > 0, time > Double(more) * 1e-7 else { return state.note(.throughput, .rateBeyondClock) }
    state.note(
      .throughput, .rate(octetsPerSecond: Int(Double(more) / time), limit: state.conditions.octetsPerSecond))
  }
}
