import BLECore
import BLEHCI

/// What a host tells its controller: bring-up before everything, then what links and wishes want, one command at a time; and what
/// is done about silence.
public struct CommandFlow: Sendable {
  /// How often a reset is tried before a silent controller counts as unusable, and how often one that falls silent later on is
  /// brought up again before it has `settled`.
  public var resetAttempts = 2
  /// Bringing the controller up.
  public private(set) var bringUp: BringUp
  /// The commands that wait for their turn.
  public private(set) var waiting: [any HCICommand] = []
  /// The command under way.
  public private(set) var current: (any HCICommand)?

  private let plan: BringUpPlan
  private var queue = CommandQueue()
  private var resetsWithoutAnswer = 0
  /// How often another command was not answered since the controller has settled.
  private var silences = 0

  /// What an event said that the owner has to do something about.
  public enum Answer {
    /// Bring-up has taken an answer; it may be done, or have failed.
    case bringUp
    /// A command was answered. Where its return parameters are within the event packet, status first.
    case answered(any HCICommand, Range<Int>)
    /// The controller granted commands out of the blue. It may have restarted; the owner finds out.
    case unexplainedGrant
    /// An answer to a command that was not sent, with its return parameters.
    case unexpected(CommandOpcode, Range<Int>)
    /// The event is too short for an answer.
    case malformed
  }

  /// What is done about a controller that does not answer.
  public enum Remedy: Hashable, Sendable {
    /// It is reset again, after so many resets without an answer: the first one may have been the tail of a packet that was left
    /// half-sent.
    case resetAgain(after: Int)
    /// It is brought up again, for that reason; its links are gone.
    case restart(String)
    /// Nothing more.
    case giveUp(ControllerFailure)
  }

  /// A flow that begins with bringing the controller up.
  public init(_ plan: BringUpPlan) {
    self.plan = plan
    bringUp = BringUp(plan)
  }

  /// Whether the controller has been brought up.
  public var isUp: Bool { bringUp.isDone }

  /// Whether no command is under way, so that `send` sends the next.
  public var isFree: Bool { queue.isIdle }

  /// Whether no command is under way or waits.
  public var isIdle: Bool { current == nil && waiting.isEmpty }

  /// When `advance` has something to do next.
  public var nextDeadline: Instant? { queue.nextDeadline }

  // MARK: Commands

  /// Lets a command wait for its turn.
  public mutating func add(_ command: any HCICommand) { waiting.append(command) }

  /// Asks for something of a connection, whose answer tells whether the controller still has it.
  public mutating func probe(_ handle: ConnectionHandle) {
    guard !waiting.contains(where: { $0 is HCIReadRSSI }) else { return }
    add(HCIReadRSSI { $0.connectionHandle = handle })
  }

  /// Sends the next command, when none is under way.
  public mutating func send(into buffer: inout OctetBuffer, at now: Instant) {
    guard current == nil, let command = nextCommand() else { return }
    current = command
    queue.enqueue(command)
    queue.send(into: &buffer, at: now)
  }

  private mutating func nextCommand() -> (any HCICommand)? {
    guard isUp else { return bringUp.nextCommand() }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Forgets all commands and begins with bring-up anew.
  public mutating func bringUpAgain() {
    queue.reset()
    current = nil
    waiting = []
    bringUp = BringUp(plan)
  }

  /// Begins anew with another controller, whose silences are its own.
  public mutating func reset() {
    bringUpAgain()
    resetsWithoutAnswer = 0
    settled()
  }

  /// The controller does what it is there for: silences before do not count any longer.
  public mutating func settled() { silences = 0 }

  // MARK: Answers

  /// Whether the controller has been told to reset and has not answered. What it says before it was said before the reset
  /// (Core 5.4 Vol 4 Part E 7.3.2), perhaps to another host.
  public var isResetting: Bool { queue.outstanding == .reset }

  /// Whether an event was said before a reset. What tells of commands or of faults is heard all the same.
  public func isOutdated(_ code: EventCode) -> Bool {
    isResetting && ![.commandComplete, .commandStatus, .hardwareError, .vendor].contains(code)
  }

  /// How long a command may take that was under way when the controller seemed to restart.
  private static let suspiciousLimit = Duration.milliseconds(100)

  /// Takes an event that may be about commands; nil when nothing follows from it. `packet` is the event packet without its H4
  /// type, and `event` its head.
  public mutating func receive(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into buffer: inout OctetBuffer
  ) -> Answer? {
    // A refusal by Command Status says as much as one by Command Complete (Core 5.4 Vol 4 Part E 7.7.14, 7.7.15).
    let parameters = event.code == .commandStatus ? event.parameters.prefix(1) : event.parameters.dropFirst(3)
    switch queue.receive(event, in: packet) {
    case .complete, .status:
      guard let command = current else { return nil }
      current = nil
      guard !isUp else { return .answered(command, parameters) }
      resetsWithoutAnswer = 0
      bringUp.answered(command, packet.extracting(parameters))
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

  /// What the passing of time means: what is done about a silence, once, when the deadline is over.
  public mutating func advance(to now: Instant) -> Remedy? {
    switch queue.advance(to: now) {
    case .noAnswer(.reset), .noGrant(.reset):
      resetsWithoutAnswer += 1
      guard resetsWithoutAnswer < resetAttempts else {
        return .giveUp(.silent(.reset, after: queue.timeout * resetsWithoutAnswer))
      }
      return .resetAgain(after: resetsWithoutAnswer)
    case .noAnswer(let opcode), .noGrant(let opcode):
      silences += 1
      return silences <= resetAttempts
        ? .restart("it did not answer \(opcode)") : .giveUp(.silent(opcode, after: queue.timeout))
    case nil: return nil
    }
  }
}
