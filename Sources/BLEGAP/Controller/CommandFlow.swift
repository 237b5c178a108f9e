import BLECore
import BLEHCI

/// What a host tells its controller: bring-up before everything, then what its parts have to say, one command at a time.
///
/// Every command carries what it is for, which comes back with its answer. So whoever gave it is found without looking at the
/// command, and what is for a link goes when the link does.
package struct CommandFlow<Purpose: Sendable>: Sendable {
  /// A command and what it is for.
  package struct Entry: Sendable {
    /// The command.
    package var command: any HCICommand
    /// What it is for; nil when nobody waits for its answer any longer.
    package var purpose: Purpose?

    /// A command for that purpose.
    package init(_ command: any HCICommand, for purpose: Purpose?) {
      self.command = command
      self.purpose = purpose
    }
  }

  /// How often a reset is tried before a silent controller counts as unusable, and how often one that falls silent later on is
  /// brought up again before it is `isHealthy`.
  package var resetAttempts = 2
  /// Bringing the controller up.
  package private(set) var bringUp: BringUp
  /// The commands that wait for their turn.
  package private(set) var waiting: [Entry] = []
  /// The command under way; while the controller is brought up its purpose is nil.
  package private(set) var current: Entry?

  private let plan: BringUpPlan
  private var queue = CommandQueue()
  private var resetsWithoutAnswer = 0
  /// How often the controller was brought up again for its silence since it was last healthy.
  private var silences = 0

  /// What an event said that the owner has to do something about.
  package enum Answer {
    /// Bring-up has taken an answer; it may be done, or have failed.
    case bringUp
    /// A command was answered. Where its return parameters are within the event packet, status first.
    case answered(any HCICommand, Purpose?, Range<Int>)
    /// The controller said for no known reason that it takes commands. It may have restarted; the owner finds out.
    case unexplainedGrant
    /// An answer to a command that was not sent, with its return parameters.
    case unexpected(CommandOpcode, Range<Int>)
    /// The event is too short for an answer.
    case malformed
  }

  /// What the silence of a controller means.
  package enum Silence: Sendable {
    /// It was told to reset, so many times, and has not answered: it is reset again, because the first one may have been the
    /// tail of a packet that was left half-sent.
    case resetAgain(after: Int)
    /// It did not answer this command.
    case noAnswer(Entry)
    /// Nothing is to be expected of it any longer.
    case giveUp(ControllerFailure)
  }

  /// A flow that begins with bringing the controller up.
  package init(_ plan: BringUpPlan) {
    self.plan = plan
    bringUp = BringUp(plan)
  }

  /// Whether the controller has been brought up.
  package var isUp: Bool { bringUp.isDone }

  /// Whether no command is under way, so that `send` sends the next.
  package var isFree: Bool { queue.isIdle }

  /// Whether no command is under way or waits.
  package var isIdle: Bool { current == nil && waiting.isEmpty }

  /// When `advance` has something to do next.
  package var nextDeadline: Instant? { queue.nextDeadline }

  // MARK: Commands

  /// Lets a command wait for its turn.
  package mutating func add(_ command: any HCICommand, for purpose: Purpose?) {
    waiting.append(Entry(command, for: purpose))
  }

  /// Lets commands go before all others, in that order.
  package mutating func addFirst(_ entries: [Entry]) { waiting.insert(contentsOf: entries, at: 0) }

  /// Takes commands back whose purpose is gone. One that is under way is answered to nobody.
  package mutating func withdraw(where isGone: (Purpose) -> Bool) {
    waiting.removeAll { $0.purpose.map(isGone) ?? false }
    if let purpose = current?.purpose, isGone(purpose) { current?.purpose = nil }
  }

  /// Whether a command for such a purpose is under way or waits.
  package func contains(where matches: (Purpose) -> Bool) -> Bool {
    (current?.purpose.map(matches) ?? false) || waiting.contains { $0.purpose.map(matches) ?? false }
  }

  /// Sends the next command, when none is under way.
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

  /// Forgets all commands and begins with bring-up anew.
  package mutating func bringUpAgain() {
    queue.reset()
    current = nil
    waiting = []
    bringUp = BringUp(plan)
  }

  /// Begins anew with another controller, whose silences are its own.
  package mutating func reset() {
    bringUpAgain()
    resetsWithoutAnswer = 0
    isHealthy()
  }

  /// Goes on after a command that was not answered, as if it had not been sent. `expectAnswer` says how long the next one may take.
  package mutating func goOn() {
    current = nil
    queue.reset()
  }

  /// Waits for the answer to the command under way no longer than until `deadline`.
  package mutating func expectAnswer(by deadline: Instant) { queue.expectAnswer(by: deadline) }

  /// The controller does what it is there for: silences before do not count any longer.
  package mutating func isHealthy() { silences = 0 }

  /// Counts a silence for which the controller is brought up again; false when it has been too often.
  package mutating func noteSilence() -> Bool {
    silences += 1
    return silences <= resetAttempts
  }

  // MARK: Answers

  /// Whether the controller has been told to reset and has not answered. What it says before it was said before the reset
  /// (Core 5.4 Vol 4 Part E 7.3.2), perhaps to another host.
  package var isResetting: Bool { queue.outstanding == .reset }

  /// Whether an event was said before a reset. What tells of commands or of faults is heard all the same.
  package func isOutdated(_ code: EventCode) -> Bool {
    isResetting && ![.commandComplete, .commandStatus, .hardwareError, .vendor].contains(code)
  }

  /// How long a command may take that was under way when the controller seemed to restart.
  private static var suspiciousLimit: Duration { .milliseconds(100) }

  /// Takes an event that may be about commands; nil when nothing follows from it. `packet` is the event packet without its H4
  /// type, and `event` its head.
  package mutating func receive(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into buffer: inout OctetBuffer
  ) -> Answer? {
    // A refusal by Command Status says as much as one by Command Complete (Core 5.4 Vol 4 Part E 7.7.14, 7.7.15).
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

  /// What the passing of time means: a silence, once, when the deadline is over.
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

  /// The end of a controller that did not answer that command.
  package func silence(after command: any HCICommand) -> ControllerFailure {
    .silent(type(of: command).opcode, after: queue.timeout)
  }
}
