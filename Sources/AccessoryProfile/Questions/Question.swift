import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP
import BLESMP

/// A decision for someone outside: a person, or a program that uses the control API. A central waits for it.
public struct Question: Hashable, Sendable {
  /// The number that identifies the question in an answer.
  public var ticket: AnswerTicket
  /// The client that is waiting.
  public var client: ClientID
  /// The subject of the question.
  public var kind: Kind
  /// The time at which the question is answered automatically, unless someone has answered it.
  public var deadline: Instant

  /// Creates a question.
  public init(ticket: AnswerTicket, client: ClientID, kind: Kind, deadline: Instant) {
    self.ticket = ticket
    self.client = client
    self.kind = kind
    self.deadline = deadline
  }

  /// The subject of a question.
  public enum Kind: Hashable, Sendable {
    /// The value that a read of a characteristic returns.
    case read(CharacteristicIndex)
    /// Whether the write of these octets to a characteristic is accepted.
    case write(CharacteristicIndex, [UInt8])
    /// Whether the central may read or write a characteristic, and everything else with the same authorization, until it disconnects.
    case authorization(AttributeOperation, CharacteristicIndex)
    /// Whether the central may open channels.
    case channels(ChannelAuthorizationRequest)
    /// A question of a pairing to the user of this side. A displayed passkey needs no answer, but can be refused.
    case pairing(PairingQuestion)
  }

  /// The characteristic of the question; nil for channels and pairings.
  public var characteristic: CharacteristicIndex? {
    switch kind {
    case .read(let index), .write(let index, _), .authorization(_, let index): index
    case .channels, .pairing: nil
    }
  }
}

/// The reply to a question.
public enum QuestionReply: Hashable, Sendable {
  /// The value for a read, in the characteristic's format or as octets; or the passkey, as a number or as its digits.
  case value(ProfileValue)
  /// The write, the access, the channel or the pairing is accepted.
  case accept
  /// The same result as without a reply.
  case refuse
  /// The access is answered with this error.
  case error(ATTErrorCode)
}

/// The end of a question.
public enum QuestionEnd: Hashable, Sendable {
  /// The question was answered.
  case answered(LateAnswer)
  /// The time limit was reached, and the central got this answer.
  case expired(LateAnswer)
  /// The pairing got this answer. If `isLate` is true, the time limit was reached and the answer is a refusal.
  case pairing(PairingAnswer, isLate: Bool)
  /// The pairing continued without an answer, or ended.
  case over
  /// The central has disconnected.
  case clientLeft
  /// The central gave up, or no longer needs the answer.
  case abandoned
}

/// A report of a question's start or end.
package enum QuestionReport: Hashable, Sendable {
  case asked(Question)
  case ended(Question, QuestionEnd)
}

/// The reason why a reply was rejected.
public enum QuestionRefusal: Error, Hashable, Sendable {
  /// There has been no question with that number, or it ended long ago.
  case unknown(AnswerTicket)
  /// The question has ended.
  case ended(AnswerTicket, QuestionEnd)
  /// The reply does not suit this kind of question, for the given reason.
  case unsuitable(String)
}
