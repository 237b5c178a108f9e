import BLEATT
import BLECore

/// The answer to a read.
public enum ReadAnswer: Hashable, Sendable {
  /// The whole value, at most 512 octets.
  case value([UInt8])
  /// An Error Response with this code.
  case error(ATTErrorCode)
  /// The answer follows later with this ticket. Until then the client waits.
  case later(AnswerTicket)
}

/// The answer to a write.
public struct WriteAnswer: Hashable, Sendable {
  /// The code of the Error Response; nil when the write is accepted.
  public var error: ATTErrorCode?
  /// Further effects of the write, after its response.
  public var actions: [ApplicationAction]
  /// The ticket of a later answer. Until then the client waits.
  public var ticket: AnswerTicket?

  /// Creates an answer with these effects.
  public init(error: ATTErrorCode? = nil, actions: [ApplicationAction] = []) {
    self.error = error
    self.actions = actions
  }

  /// The write is accepted, without further effects.
  public static let accepted = WriteAnswer()

  /// Returns an answer that follows later with this ticket.
  public static func later(_ ticket: AnswerTicket) -> WriteAnswer {
    var answer = WriteAnswer()
    answer.ticket = ticket
    return answer
  }
}

/// The answer to an authorization request.
public enum AuthorizationAnswer: Hashable, Sendable {
  /// Authorized.
  case granted
  /// Not authorized: Insufficient Authorization.
  case refused
  /// Not authorized: an Error Response with this code.
  case error(ATTErrorCode)
  /// Someone is being asked, and the answer follows with this ticket. Until then the client waits.
  case ask(AnswerTicket)
}

/// A later answer to a ticket.
public enum LateAnswer: Hashable, Sendable {
  /// The whole value to be read, at most 512 octets.
  case value([UInt8])
  /// The write is accepted, or the client is authorized.
  case accepted
  /// An Error Response with this code.
  case error(ATTErrorCode)
}
