import BLECore

/// The meaning of an event for the commands that were sent.
public enum CommandAnswer: Hashable, Sendable {
  /// The command is complete. `returnParameters` is their position in the event packet.
  case complete(CommandOpcode, returnParameters: Range<Int>)
  /// The command has started, was refused, or is unknown.
  case status(CommandOpcode, ErrorCode)
  /// The controller is present, or accepts commands again.
  case granted
  /// The controller granted commands unexpectedly. It may have restarted, which the owner checks. The queue continues.
  case unexplainedGrant
  /// An answer to a command that is not outstanding. It has no effect.
  case unexpected(CommandOpcode)
  /// The event is too short for an answer. It has no effect.
  case malformed
}

/// The reason why no command can be sent.
public enum CommandTimeout: Hashable, Sendable {
  /// The controller did not answer this command in time.
  case noAnswer(CommandOpcode)
  /// The controller did not accept another command in time; this one is the first that waits.
  case noGrant(CommandOpcode)
}

/// The command flow of a host: one command at a time, and only if the controller has granted it (Core 5.4 Vol 4 Part E 4.4).
///
/// Real controllers reset or lose answers if two commands arrive back to back, regardless of the number granted. After a timeout nothing is
/// sent until `reset`.
public struct CommandQueue: Sendable {
  /// The time that the controller has to answer.
  public let timeout: Duration

  private struct Entry: Sendable {
    let opcode: CommandOpcode
    let packet: [UInt8]
  }

  private var entries: [Entry] = []
  /// The command that waits for its answer.
  public private(set) var outstanding: CommandOpcode?
  /// Num_HCI_Command_Packets of the last answer.
  private var granted = 1
  /// Whether the controller has ever answered.
  private var hasAnswered = false
  private var isStopped = false
  /// The number of times that the host was held up while the outstanding command waited for its answer.
  private var holdUps = 0
  /// When the controller is considered unresponsive.
  public private(set) var nextDeadline: Instant?

  /// Creates an empty queue for a controller that accepts one command, as after power on.
  public init(timeout: Duration = .seconds(2)) { self.timeout = timeout }

  /// The number of commands that wait to be sent.
  public var waitingCount: Int { entries.count }

  /// Whether no command waits to be sent or answered.
  public var isIdle: Bool { entries.isEmpty && outstanding == nil }

  /// Queues a command.
  public mutating func enqueue(_ command: some HCICommand) { enqueue(type(of: command).opcode, packet: command.h4) }

  /// Queues an encoded command, as a whole packet with its H4 type.
  public mutating func enqueue(_ opcode: CommandOpcode, packet: [UInt8]) {
    entries.append(Entry(opcode: opcode, packet: packet))
  }

  /// Appends the next command to `buffer` and returns its opcode, if it may be sent now.
  @discardableResult
  public mutating func send(into buffer: inout OctetBuffer, at now: Instant) -> CommandOpcode? {
    guard !isStopped, outstanding == nil, !entries.isEmpty else { return nil }
    guard granted > 0 else {
      if nextDeadline == nil { nextDeadline = now + timeout }
      return nil
    }
    let entry = entries.removeFirst()
    buffer.append(entry.packet)
    outstanding = entry.opcode
    granted = 0
    holdUps = 0
    nextDeadline = now + timeout
    return entry.opcode
  }

  /// Processes an event; nil if it is not about commands. `packet` is the event packet without its H4 type, and `event` its header. Call
  /// `send` afterwards.
  public mutating func receive(_ event: EventPacket, in packet: Span<UInt8>) -> CommandAnswer? {
    let start = event.parameters.lowerBound
    switch event.code {
    case .commandComplete:
      guard event.parameters.count >= 3 else { return .malformed }
      let opcode = Self.opcode(packet, start + 1)
      return answer(opcode, grant: packet[start], .complete(opcode, returnParameters: start + 3..<packet.count))
    case .commandStatus:
      guard event.parameters.count >= 4 else { return .malformed }
      let opcode = Self.opcode(packet, start + 2)
      return answer(opcode, grant: packet[start + 1], .status(opcode, ErrorCode(rawValue: packet[start])))
    default: return nil
    }
  }

  /// Limits the wait for an outstanding answer to `deadline`. Does nothing if none is outstanding.
  public mutating func expectAnswer(by deadline: Instant) {
    if outstanding != nil { nextDeadline = Instant.earliest(nextDeadline, deadline) }
  }

  /// The maximum delay of `advance` after the deadline in a host that was not held up.
  private static let latest = Duration.milliseconds(10)
  /// The maximum number of hold-ups that extend the wait for one command.
  private static let mostHoldUps = 5

  /// Handles the passing of time: returns a timeout once, when the deadline is over.
  ///
  /// A host that notices its deadline late was held up itself, by a stopped process or a busy machine. The answer may already have arrived
  /// unread, so the controller gets the full time again.
  public mutating func advance(to now: Instant) -> CommandTimeout? {
    guard let deadline = nextDeadline, now >= deadline else { return nil }
    guard now - deadline <= Self.latest || holdUps >= Self.mostHoldUps else {
      holdUps += 1
      nextDeadline = now + timeout
      return nil
    }
    nextDeadline = nil
    guard let silent = outstanding ?? entries.first?.opcode else { return nil }
    isStopped = true
    defer { outstanding = nil }
    return outstanding == nil ? .noGrant(silent) : .noAnswer(silent)
  }

  /// Drops all commands and starts over, as before an HCI_Reset to a controller that stopped responding or restarted.
  public mutating func reset() { self = CommandQueue(timeout: timeout) }

  private mutating func answer(_ opcode: CommandOpcode, grant: UInt8, _ answer: CommandAnswer) -> CommandAnswer {
    if opcode == .none { return grantOnly(Int(grant)) }
    guard !isStopped, opcode == outstanding else { return .unexpected(opcode) }
    outstanding = nil
    nextDeadline = nil
    hasAnswered = true
    granted = Int(grant)
    return answer
  }

  /// Handles an event that only grants commands. Before its first answer, some controllers announce with it that they have started; later
  /// it resumes the flow after a pause. At any other time it is unexpected, unless the controller restarted spontaneously.
  private mutating func grantOnly(_ grant: Int) -> CommandAnswer {
    let waitsForGrant = outstanding == nil && granted == 0
    if outstanding == nil {
      granted = grant
      if grant > 0 { nextDeadline = nil }
    }
    return isStopped || !hasAnswered || waitsForGrant || outstanding == .reset ? .granted : .unexplainedGrant
  }

  private static func opcode(_ packet: Span<UInt8>, _ offset: Int) -> CommandOpcode {
    CommandOpcode(rawValue: UInt16(packet[offset]) | UInt16(packet[offset + 1]) << 8)
  }
}
