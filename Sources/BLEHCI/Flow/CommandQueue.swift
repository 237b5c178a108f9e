import BLECore

/// What an event said about the commands sent.
public enum CommandAnswer: Hashable, Sendable {
  /// The command is done. `returnParameters` is where they are within the event packet.
  case complete(CommandOpcode, returnParameters: Range<Int>)
  /// The command has begun, was refused, or is not known.
  case status(CommandOpcode, ErrorCode)
  /// The controller is there, or takes commands again.
  case granted
  /// The controller granted commands out of the blue. It may have restarted; the owner finds out. The queue goes on.
  case unexplainedGrant
  /// An answer to a command that is not waiting for one; it changed nothing.
  case unexpected(CommandOpcode)
  /// The event is too short for an answer; it changed nothing.
  case malformed
}

/// Why no command goes on.
public enum CommandTimeout: Hashable, Sendable {
  /// The controller did not answer that command in time.
  case noAnswer(CommandOpcode)
  /// The controller did not take another command in time; that one waits first.
  case noGrant(CommandOpcode)
}

/// The flow of commands from a host: one at a time, and only when the controller has granted it
/// (Core 5.4 Vol 4 Part E 4.4).
///
/// Controllers are reset or lose answers when two commands reach them back to back, whatever they granted. After a
/// timeout nothing more is sent until `reset`.
public struct CommandQueue: Sendable {
  /// How long the controller may take to answer.
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
  /// Whether the controller has answered since the beginning.
  private var hasAnswered = false
  private var isStopped = false
  /// How often the host was held up over the command that waits for its answer.
  private var holdUps = 0
  /// When the controller counts as silent.
  public private(set) var nextDeadline: Instant?

  /// An empty queue to a controller that takes one command, as after power-on.
  public init(timeout: Duration = .seconds(2)) { self.timeout = timeout }

  /// How many commands wait to be sent.
  public var waitingCount: Int { entries.count }

  /// Whether no command waits to be sent or for its answer.
  public var isIdle: Bool { entries.isEmpty && outstanding == nil }

  /// Queues a command.
  public mutating func enqueue(_ command: some HCICommand) { enqueue(type(of: command).opcode, packet: command.h4) }

  /// Queues a command that is encoded already, as a whole packet with its H4 type.
  public mutating func enqueue(_ opcode: CommandOpcode, packet: [UInt8]) {
    entries.append(Entry(opcode: opcode, packet: packet))
  }

  /// Appends the next command to `buffer` when it may be sent now, and says which it is.
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

  /// Takes in an event; nil for one that is not about commands. `packet` is the event packet without its H4 type, and
  /// `event` its head. Call `send` afterwards.
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

  /// Waits for an answer that is awaited no longer than until `deadline`; nothing when none is.
  public mutating func expectAnswer(by deadline: Instant) {
    if outstanding != nil { nextDeadline = Instant.earliest(nextDeadline, deadline) }
  }

  /// How late after the deadline a host is told the time at most, unless something held it up.
  private static let latest = Duration.milliseconds(10)
  /// How often that is believed of one command.
  private static let mostHoldUps = 5

  /// What the passing of time means: a timeout, once, when the deadline is over.
  ///
  /// A host that notices its deadline late was held up itself, by a stopped process or a busy machine, and the answer may lie
  /// unread: the controller gets the whole time again.
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

  /// Forgets all commands and begins anew, as before sending HCI_Reset to a controller that fell silent or restarted.
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

  /// Before its first answer a controller says with it that it has started, which some do and some do not; later on it
  /// takes commands again after a pause. Else it has no reason to say so, unless it restarted by itself.
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
