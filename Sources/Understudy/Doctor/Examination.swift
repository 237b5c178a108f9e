import BLECore
import BLEHCI

/// The examination of a controller over its line, from the first reset to advertising on the air. Octets and
/// the time go in, octets come out. It begins with `synchronization`; the earlier steps examine the port.
///
/// Commands are sent one at a time, as the controller permits (Core 5.4 Vol 4 Part E 4.4). If a command is
/// not answered, resets follow until one is answered.
struct Examination: Sendable {
  /// The time after which an answer counts as late.
  static let patience = Duration.seconds(1)
  /// The time after which an answer counts as lost.
  static let longestWait = Duration.seconds(4)
  /// How many times a trial is attempted before it is given up.
  static let attempts = 3

  var state: ExaminationState
  /// The remaining trials.
  private var trials: [any Trial]
  /// The current trial, and its initial state.
  private var trial: (current: any Trial, pristine: any Trial)?
  private var attempt = 0
  private var phase = Phase.idle
  private var deframer = H4Deframer(side: .host, maximumDataLength: 4096)
  private var queue = CommandQueue(timeout: Self.longestWait)
  /// Whether it has ended.
  private(set) var isOver = false

  private enum Phase {
    case idle
    /// Resets are sent until one is answered. Then the trial gets this news, or starts again if it is nil.
    case resetting(ResetSeries, TrialNews?)
    /// A command is waiting for its answer.
    case exchanging(since: Instant, octets: Int)
    /// The second controller is listening for that address.
    case listening(DeviceAddress, until: Instant)
  }

  /// Until when the line must not be read.
  private var unreadUntil: Instant?

  /// Creates an examination under the given conditions.
  init(_ conditions: ExaminationConditions) {
    state = ExaminationState(conditions)
    trials =
      switch conditions.scope {
      case .everything:
        [
          FirmwareTrial(), ResynchronizationTrial(), CapabilityTrial(), RepetitionTrial(), BurstTrial(),
          AdvertisingTrial(.legacy, seed: conditions.seed), AdvertisingTrial(.extended, seed: conditions.seed),
        ]
      case .lineRate:
        [FirmwareTrial(), CapabilityTrial(), RepetitionTrial(rounds: 20), BurstTrial(count: 20, hasPause: false)]
      }
  }

  /// The findings so far, in order.
  var findings: [StepFinding] { state.findings }

  /// Whether to read the line now. Some trials test what happens while the host does not read.
  var isReading: Bool { unreadUntil == nil }

  /// When to call `advance` next.
  var nextDeadline: Instant? {
    guard !isOver else { return nil }
    if let unreadUntil { return unreadUntil }
    return switch phase {
    case .idle: nil
    case .resetting(let series, _): series.deadline
    case .exchanging: queue.nextDeadline
    case .listening(_, let end): end
    }
  }

  // MARK: - Input

  /// Starts the examination.
  mutating func start(at now: Instant, into out: inout OctetBuffer) {
    beginResets(ResetSeries(.first(state.conditions.firstResets), at: now), nil, at: now, into: &out)
  }

  /// Handles octets from the controller.
  mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout OctetBuffer) {
    state.heardOctets += octets.count
    var offset = 0
    while !isOver, let frame = deframer.next(in: octets, at: &offset) {
      guard frame.type == .event else { continue }
      switch frame.place {
      case .given(let range): receiveEvent(octets.extracting(range), at: now, into: &out)
      case .collected(let packet): receiveEvent(packet.span, at: now, into: &out)
      }
    }
    noteStrayOctets()
  }

  /// Does what is due at `now`.
  mutating func advance(to now: Instant, into out: inout OctetBuffer) {
    guard !isOver else { return }
    if let end = unreadUntil {
      if now >= end { unreadUntil = nil }
      return
    }
    switch phase {
    case .idle: break
    case .resetting(var series, let news):
      guard now >= series.deadline else { return }
      if series.advance(at: now) { beginResets(series, news, at: now, into: &out) } else { resetsFailed() }
    case .exchanging: if queue.advance(to: now) != nil { exchangeFailed(at: now, into: &out) }
    case .listening(_, let end): if now >= end { proceed(after: .listened(heard: false), at: now, into: &out) }
    }
  }

  /// Notes that the second controller has received that address.
  mutating func heard(_ address: DeviceAddress, at now: Instant, into out: inout OctetBuffer) {
    guard !isOver, case .listening(address, _) = phase else { return }
    proceed(after: .listened(heard: true), at: now, into: &out)
  }

  /// Notes that the controller's side of the line has closed.
  mutating func lineClosed() {
    guard !isOver else { return }
    if state[.synchronization] == nil { state.note(.synchronization, .hungUp) } else { noteStop() }
    isOver = true
  }

  // MARK: - Events

  private mutating func receiveEvent(_ packet: Span<UInt8>, at now: Instant, into out: inout OctetBuffer) {
    guard let event = try? EventPacket(packet) else { return }
    guard let answer = queue.receive(event, in: packet) else {
      if let sign = RestartSign(event, packet) { restarted(sign, at: now, into: &out) }
      return
    }
    switch answer {
    case .complete(let opcode, let range): answered(opcode, packet, range, at: now, into: &out)
    case .status(let opcode, let status): answered(opcode, status, at: now, into: &out)
    case .granted: queue.send(into: &out, at: now)
    case .unexplainedGrant: restarted(.unaskedGrant, at: now, into: &out)
    case .unexpected, .malformed: break
    }
  }

  private mutating func answered(
    _ opcode: CommandOpcode, _ packet: Span<UInt8>, _ range: Range<Int>, at now: Instant, into out: inout OctetBuffer
  ) {
    if case .resetting(let series, let news) = phase {
      // An answer with an error answers another host's command, or comes from an unusable controller.
      if range.count > 0, packet[range.lowerBound] == ErrorCode.success.rawValue {
        resetAnswered(series, news, at: now, into: &out)
      }
      return
    }
    guard case .exchanging(let start, let octets) = phase else { return }
    let parameters = packet.extracting(range).withUnsafeBytes { Array($0) }
    let exchange = CommandExchange(
      opcode: opcode, status: ErrorCode(rawValue: parameters.first ?? ErrorCode.unspecifiedError.rawValue),
      parameters: parameters, octets: octets + packet.count + 1, roundTrip: now - start)
    state.noteAnswer(after: exchange.roundTrip)
    proceed(after: .answered(exchange), at: now, into: &out)
  }

  private mutating func answered(
    _ opcode: CommandOpcode, _ status: ErrorCode, at now: Instant, into out: inout OctetBuffer
  ) {
    guard case .exchanging(let start, let octets) = phase else { return }
    state.noteAnswer(after: now - start)
    let exchange = CommandExchange(
      opcode: opcode, status: status, parameters: [], octets: octets + 7, roundTrip: now - start)
    proceed(after: .answered(exchange), at: now, into: &out)
  }

  /// Counts octets that belong to no packet as lost, once the controller has been synchronized.
  private mutating func noteStrayOctets() {
    let stray = deframer.takeSkipped()
    if state[.synchronization] != nil { state.strayOctets += stray }
  }

  // MARK: - Resets

  private mutating func beginResets(
    _ series: ResetSeries, _ news: TrialNews?, at now: Instant, into out: inout OctetBuffer
  ) {
    phase = .resetting(series, news)
    if series.begins { deframer.reset() }
    out.append(series.filler)
    queue.reset()
    queue.enqueue(HCIReset())
    queue.send(into: &out, at: now)
  }

  private mutating func resetAnswered(
    _ series: ResetSeries, _ news: TrialNews?, at now: Instant, into out: inout OctetBuffer
  ) {
    state.exchanges += 1
    if state[.synchronization] == nil {
      state.note(.synchronization, .synchronized(strayOctets: deframer.skippedOctets))
      deframer.takeSkipped()
      return nextTrial(at: now, into: &out)
    }
    if let news { return proceed(after: news, at: now, into: &out) }
    attempt += 1
    guard attempt < Self.attempts, let pristine = trial?.pristine else {
      for step in trial?.current.steps ?? [] { state.note(step, .unanswered(lastOpcode)) }
      return nextTrial(at: now, into: &out)
    }
    trial = (pristine, pristine)
    proceed(after: .begun, at: now, into: &out)
  }

  private mutating func resetsFailed() {
    if state[.synchronization] == nil {
      state.note(.synchronization, state.heardOctets > 0 ? .noise(octets: state.heardOctets) : .silent)
    } else {
      noteStop()
    }
    isOver = true
  }

  private mutating func noteStop() {
    let step = trial?.current.steps.first { state[$0] == nil } ?? trial?.current.steps.last ?? .synchronization
    state.note(.stability, .stopped(during: step))
  }

  private mutating func restarted(_ sign: RestartSign, at now: Instant, into out: inout OctetBuffer) {
    guard state[.synchronization] != nil else { return }
    if case .resetting = phase, sign == .unaskedGrant { return }
    state.restarts.append(sign)
    guard state.restarts.count < Self.attempts else {
      conclude()
      return
    }
    if case .resetting = phase { return }
    // This restart does not count as an attempt at the trial.
    attempt -= 1
    beginResets(ResetSeries(.again, at: now), nil, at: now, into: &out)
  }

  // MARK: - Trials

  private var lastOpcode = CommandOpcode.none

  private mutating func exchangeFailed(at now: Instant, into out: inout OctetBuffer) {
    let isExpected = trial?.current.expectsLosses == true
    if !isExpected { state.repetitions += 1 }
    state.hasLostAnswers = true
    beginResets(ResetSeries(.again, at: now), isExpected ? .unanswered : nil, at: now, into: &out)
  }

  private mutating func nextTrial(at now: Instant, into out: inout OctetBuffer) {
    trial = nil
    attempt = 0
    while !trials.isEmpty {
      let next = trials.removeFirst()
      if let reason = next.obstacle(in: state) {
        for step in next.steps { state.note(step, .skipped(reason)) }
        continue
      }
      trial = (next, next)
      return proceed(after: .begun, at: now, into: &out)
    }
    conclude()
  }

  private mutating func proceed(after news: TrialNews, at now: Instant, into out: inout OctetBuffer) {
    phase = .idle
    // The octets after this answer are in the same read: first count the stray ones before it.
    noteStrayOctets()
    guard let action = trial?.current.proceed(after: news, &state) else { return }
    switch action {
    case .exchange(let command): begin(command, at: now, into: &out)
    case .exchangeUnread(let command, let pause):
      begin(command, at: now, into: &out)
      unreadUntil = now + pause
    case .send(let octets):
      out.append(octets)
      proceed(after: .sent, at: now, into: &out)
    case .listen(let address, let limit): phase = .listening(address, until: now + limit)
    case .end: nextTrial(at: now, into: &out)
    }
  }

  private mutating func begin(_ command: any HCICommand, at now: Instant, into out: inout OctetBuffer) {
    lastOpcode = type(of: command).opcode
    let packet = command.h4
    queue.enqueue(lastOpcode, packet: packet)
    phase = .exchanging(since: now, octets: packet.count)
    queue.send(into: &out, at: now)
    // If answers get lost and none was late, another long wait would reveal nothing new.
    if state.hasLostAnswers, !state.hasLateAnswers { queue.expectAnswer(by: now + Self.patience) }
  }

  private mutating func conclude() {
    isOver = true
    state.note(
      .stability,
      !state.restarts.isEmpty
        ? .restarted(state.restarts)
        : state.repetitions > 0
          ? .repeated(state.repetitions) : state.lateAnswersSinceLatency() ?? .stable(exchanges: state.exchanges))
  }
}

extension RestartSign {
  /// Returns the restart that an event indicates; nil if it indicates none.
  fileprivate init?(_ event: EventPacket, _ packet: Span<UInt8>) {
    let parameters = packet.extracting(event.parameters)
    switch event.code {
    case .hardwareError:
      guard let error = try? HCIHardwareError.received(parameters) else { return nil }
      self = .hardwareError(error.hardwareCode)
    case .vendor:
      guard let assertion = (try? HCIVendorEvent.received(parameters))?.zephyrAssertion else {
        return nil
      }
      self = .assertion(assertion.description)
    default: return nil
    }
  }
}
