import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP
import BLESMP

/// Something that somebody outside has to decide: a human, or a program behind the control API. A central waits for it.
public struct Question: Hashable, Sendable {
  /// Its number, by which it is answered.
  public var ticket: AnswerTicket
  /// The client that waits.
  public var client: ClientID
  /// What is to be decided.
  public var kind: Kind
  /// When it is answered by itself, if nobody has done so.
  public var deadline: Instant

  /// A question of a central.
  public init(ticket: AnswerTicket, client: ClientID, kind: Kind, deadline: Instant) {
    self.ticket = ticket
    self.client = client
    self.kind = kind
    self.deadline = deadline
  }

  /// What is to be decided.
  public enum Kind: Hashable, Sendable {
    /// What a characteristic reads as.
    case read(CharacteristicIndex)
    /// Whether a characteristic takes these octets.
    case write(CharacteristicIndex, [UInt8])
    /// Whether the central may read or write a characteristic, and whatever the same authorization is for as long as it is
    /// connected.
    case authorization(AttributeOperation, CharacteristicIndex)
    /// Whether the central may open channels.
    case channels(ChannelAuthorizationRequest)
    /// What a pairing asks the user of this side. A passkey that is shown needs no answer, and can be refused.
    case pairing(PairingQuestion)
  }

  /// The characteristic that it is about; nil for channels and pairings.
  public var characteristic: CharacteristicIndex? {
    switch kind {
    case .read(let index), .write(let index, _), .authorization(_, let index): index
    case .channels, .pairing: nil
    }
  }
}

/// What somebody says to a question.
public enum QuestionReply: Hashable, Sendable {
  /// The value that is read, as the characteristic's format has it, or as octets; the passkey as a number, or as its digits.
  case value(ProfileValue)
  /// The value is taken; the central may.
  case accept
  /// As if nobody had answered.
  case refuse
  /// The access is answered with this error.
  case error(ATTErrorCode)
}

/// How a question ended.
public enum QuestionEnd: Hashable, Sendable {
  /// Somebody gave that answer.
  case answered(LateAnswer)
  /// Nobody answered in time, and the central got this.
  case expired(LateAnswer)
  /// Somebody decided so while it paired; `isLate` when nobody did in time, which refuses.
  case pairing(PairingAnswer, isLate: Bool)
  /// The pairing has gone on without an answer, or has ended.
  case over
  /// The central has disconnected.
  case clientLeft
  /// The central has given up, or is not waited for.
  case abandoned
}

/// What is to be told about a question.
package enum QuestionReport: Hashable, Sendable {
  case asked(Question)
  case ended(Question, QuestionEnd)
}

/// Why a reply was not taken.
public enum QuestionRefusal: Error, Hashable, Sendable {
  /// No question has had that number, or it was long ago.
  case unknown(AnswerTicket)
  /// It has ended.
  case ended(AnswerTicket, QuestionEnd)
  /// It is none for such a question; why.
  case unsuitable(String)
}
