/// A question that an application answers later: what an attribute reads as, whether it takes a value, whether a client is
/// authorized, whether channels may be opened. The application gives the number, and never the same one twice. It keeps the
/// deadline; whoever asked keeps what goes on with the answer.
public struct AnswerTicket: Hashable, Sendable {
  /// The number.
  public var number: UInt64
  /// The ticket with that number.
  public init(_ number: UInt64) { self.number = number }

  /// Why nobody waits for the answer any longer.
  public enum Cancellation: Hashable, Sendable {
    /// The client has disconnected.
    case clientLeft
    /// The client has given up (Core 5.4 Vol 3 Part F 3.3.3).
    case timeout
    /// The answer is needed at once, or what asks for it cannot be kept.
    case notAwaited
  }
}

/// What may answer later, whatever it is asked.
public protocol LateAnswering: Sendable {
  /// Nobody waits for the answer to a ticket any longer. Without an own method nothing follows from that.
  mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation)
}

extension LateAnswering {
  /// Nothing happens.
  public mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation) {}
}
