import BLEATT
import BLECore

/// The answer to a read.
public enum ReadAnswer: Hashable, Sendable {
  /// The whole value, at most 512 octets.
  case value([UInt8])
  /// An Error Response with this code.
  case error(ATTErrorCode)
  /// The answer comes later, by that ticket; until then the client waits.
  case later(AnswerTicket)
}

/// The answer to a write.
public struct WriteAnswer: Hashable, Sendable {
  /// The code of the Error Response; nil when the write is accepted.
  public var error: ATTErrorCode?
  /// What else happens because of the write, after its response.
  public var actions: [ApplicationAction]
  /// The ticket by which the answer comes later; until then the client waits.
  public var ticket: AnswerTicket?

  /// An answer with these consequences.
  public init(error: ATTErrorCode? = nil, actions: [ApplicationAction] = []) {
    self.error = error
    self.actions = actions
  }

  /// Accepted, with no consequence.
  public static let accepted = WriteAnswer()

  /// The answer comes later, by that ticket.
  public static func later(_ ticket: AnswerTicket) -> WriteAnswer {
    var answer = WriteAnswer()
    answer.ticket = ticket
    return answer
  }
}

/// The answer to the question whether a client may do something.
public enum AuthorizationAnswer: Hashable, Sendable {
  /// It may.
  case granted
  /// It may not: Insufficient Authorization.
  case refused
  /// It may not: an Error Response with this code.
  case error(ATTErrorCode)
  /// Somebody is asked, and the answer comes by that ticket; until then the client waits.
  case ask(AnswerTicket)
}

/// An answer that comes by a ticket.
public enum LateAnswer: Hashable, Sendable {
  /// The whole value that was to be read, at most 512 octets.
  case value([UInt8])
  /// The write is accepted, or the client authorized.
  case accepted
  /// An Error Response with this code.
  case error(ATTErrorCode)
}
