/// A question that an application answers later: the value of an attribute, whether a write is accepted, whether a client is authorized, or
/// whether channels may be opened. The application assigns the number and never reuses it. The application keeps the deadline; the caller
/// keeps whatever continues with the answer.
public struct AnswerTicket: Hashable, Sendable {
  /// The number.
  public var number: UInt64
  /// Creates the ticket with this number.
  public init(_ number: UInt64) { self.number = number }

  /// The reason why the answer is no longer awaited.
  public enum Cancellation: Hashable, Sendable {
    /// The client has disconnected.
    case clientLeft
    /// The client's timeout has expired (Core 5.4 Vol 3 Part F 3.3.3).
    case timeout
    /// The answer is needed at once, or the request cannot be kept.
    case notAwaited
  }
}

/// An application that may answer any question later.
public protocol LateAnswering: Sendable {
  /// Called when the answer to a ticket is no longer awaited. By default it does nothing.
  mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation)
}

extension LateAnswering {
  /// Does nothing.
  public mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation) {}
}
