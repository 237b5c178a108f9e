import BLECore

/// The commands of a host to its controller, one at a time: bring-up first, then the commands of the host's parts.
///
/// Each command carries its purpose, which is returned with the answer. So an answer is assigned without a look at the command, and the
/// commands for a link are withdrawn when the link ends.
package struct CommandFlow<Purpose: Sendable>: Sendable {
  /// A command and its purpose.
  package struct Entry: Sendable {
    /// The command.
    package var command: any HCICommand
    /// Its purpose; nil when nothing waits for the answer any more.
    package var purpose: Purpose?

    /// Creates an entry for this command and purpose.
    package init(_ command: any HCICommand, for purpose: Purpose?) {
      self.command = command
      self.purpose = purpose
    }
  }

  /// The number of unanswered resets after which the controller counts as unusable. Also the number of times that a controller that falls
  /// silent later is brought up again without being `isHealthy` in between.
  package var resetAttempts = 2
  /// The bring-up of the controller.
  package private(set) var bringUp: BringUp
  /// The queued commands.
  package private(set) var waiting: [Entry] = []
  /// The command in progress. Its purpose is nil during bring-up.
  package private(set) var current: Entry?

  private var plan: BringUpPlan
  private var queue = CommandQueue()
  private var resetsWithoutAnswer = 0
  /// The number of times the controller was brought up again because of silence, since it was last healthy.
  private var silences = 0

  /// The result of an event that the owner has to handle.
  package enum Answer {
    /// Bring-up has processed an answer. It may be finished, or have failed.
    case bringUp
    /// A command was answered. The range locates its return parameters within the event packet, status first.
    case answered(any HCICommand, Purpose?, Range<Int>)
    /// The controller announced for no known reason that it accepts commands. It may have restarted; the owner finds out.
    case unexplainedGrant
    /// An answer to a command that was not sent, with its return parameters.
    case unexpected(CommandOpcode, Range<Int>)
    /// The event is too short for an answer.
    case malformed
  }

  /// The consequence of a controller's silence.
  package enum Silence: Sendable {
    /// This many resets have not been answered. The controller is reset again, because it may have taken the first reset for the rest of
    /// a half-sent packet.
    case resetAgain(after: Int)
    /// The controller did not answer this command.
    case noAnswer(Entry)
    /// The controller is unusable.
    case giveUp(ControllerFailure)
  }

  /// Creates a flow that begins with bring-up.
  package init(_ plan: BringUpPlan) {
    self.plan = plan
    bringUp = BringUp(plan)
  }

  /// Whether bring-up is finished.
  package var isUp: Bool { bringUp.isDone }

  /// Whether no command is in progress, so that `send` sends the next one.
  package var isFree: Bool { queue.isIdle }

  /// Whether no command is in progress or queued.
  package var isIdle: Bool { current == nil && waiting.isEmpty }

  /// The time at which `advance` must be called next.
  package var nextDeadline: Instant? { queue.nextDeadline }

  // MARK: Commands

  /// Queues a command.
  package mutating func add(_ command: any HCICommand, for purpose: Purpose?) {
    waiting.append(Entry(command, for: purpose))
  }

  /// Puts commands before all others in the queue, in this order.
  package mutating func addFirst(_ entries: [Entry]) { waiting.insert(contentsOf: entries, at: 0) }

  /// Withdraws the commands whose purpose is gone. If one of them is in progress, its answer is reported without a purpose.
  package mutating func withdraw(where isGone: (Purpose) -> Bool) {
    waiting.removeAll { $0.purpose.map(isGone) ?? false }
    if let purpose = current?.purpose, isGone(purpose) { current?.purpose = nil }
  }

  /// Returns whether a command with a matching purpose is in progress or queued.
  package func contains(where matches: (Purpose) -> Bool) -> Bool {
    (current?.purpose.map(matches) ?? false) || waiting.contains { $0.purpose.map(matches) ?? false }
  }

  /// Sends the next command if none is in progress.
  package mutating func send(into buffer: inout OctetBuffer, at now: Instant) {
    guard current == nil, let entry = nextEntry() else { return }
    current = entry
    queue.enqueue(entry.command)
    queue.send(into: &buffer, at: now)
  }

  private mutating func nextEntry() -> Entry? {
    guard isUp else { return bringUp.nextCommand().map { Entry($0, for: nil) } }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Changes the random address that the next bring-up sets.
  package mutating func setRandomAddress(_ address: DeviceAddress) { plan.randomAddress = address }

  /// Discards all commands and restarts bring-up.
  package mutating func bringUpAgain() {
    queue.reset()
    current = nil
    waiting = []
    bringUp = BringUp(plan)
  }

  /// Restarts with a new controller, whose silences are counted from zero.
  package mutating func reset() {
    bringUpAgain()
    resetsWithoutAnswer = 0
    isHealthy()
  }

  /// Continues after an unanswered command as if it had not been sent. `expectAnswer` can limit the wait for the next answer.
  package mutating func goOn() {
    current = nil
    queue.reset()
  }

  /// Limits the wait for the answer to the command in progress to `deadline`.
  package mutating func expectAnswer(by deadline: Instant) { queue.expectAnswer(by: deadline) }

  /// Records that the controller works, and clears the count of silences.
  package mutating func isHealthy() { silences = 0 }

  /// Counts a silence after which the controller is brought up again. Returns false when there were too many.
  package mutating func noteSilence() -> Bool {
    silences += 1
    return silences <= resetAttempts
  }

  // MARK: Answers

  /// Whether a reset has been sent and not answered. Events that arrive before the answer were sent before the reset (Core 5.4 Vol 4 Part
  /// E 7.3.2), perhaps to another host.
  package var isResetting: Bool { queue.outstanding == .reset }

  /// Returns whether an event was sent before a reset. Events about commands or faults are never outdated.
  package func isOutdated(_ code: EventCode) -> Bool {
    isResetting && ![.commandComplete, .commandStatus, .hardwareError, .vendor].contains(code)
  }

  /// The time limit for the command in progress when the controller seems to have restarted.
  private static var suspiciousLimit: Duration { .milliseconds(100) }

  /// Processes an event that may be about commands. Returns nil when nothing follows from it. `packet` is the event packet without its H4
  /// type, and `event` its header.
  package mutating func receive(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into buffer: inout OctetBuffer
  ) -> Answer? {
    // A refusal in Command Status means the same as one in Command Complete (Core 5.4 Vol 4 Part E 7.7.14, 7.7.15).
    let parameters = event.code == .commandStatus ? event.parameters.prefix(1) : event.parameters.dropFirst(3)
    switch queue.receive(event, in: packet) {
    case .complete, .status:
      guard let entry = current else { return nil }
      current = nil
      guard !isUp else { return .answered(entry.command, entry.purpose, parameters) }
      resetsWithoutAnswer = 0
      bringUp.answered(entry.command, packet.extracting(parameters))
      return .bringUp
    case .granted:
      queue.send(into: &buffer, at: now)
      return nil
    case .unexplainedGrant:
      if isUp { queue.expectAnswer(by: now + Self.suspiciousLimit) }
      return .unexplainedGrant
    case .unexpected where isResetting: return nil
    case .unexpected(let opcode): return .unexpected(opcode, parameters)
    case .malformed: return .malformed
    case nil: return nil
    }
  }

  /// Reports a silence, once, when its deadline has passed.
  package mutating func advance(to now: Instant) -> Silence? {
    switch queue.advance(to: now) {
    case .noAnswer(.reset), .noGrant(.reset):
      resetsWithoutAnswer += 1
      guard resetsWithoutAnswer < resetAttempts else {
        return .giveUp(.silent(.reset, after: queue.timeout * resetsWithoutAnswer))
      }
      return .resetAgain(after: resetsWithoutAnswer)
    case .noAnswer, .noGrant:
      guard let entry = current else { return nil }
      return .noAnswer(entry)
    case nil: return nil
    }
  }

  /// Returns the failure of a controller that did not answer this command.
  package func silence(after command: any HCICommand) -> ControllerFailure {
    .silent(type(of: command).opcode, after: queue.timeout)
  }
}
