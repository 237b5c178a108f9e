import BLEATT
import BLECore
import BLEGATT
import BLESMP

/// Questions of pairings to the user of this side. Their answers are in the reports of the questions.
extension ProfileRuntime {
  /// The time limit for an answer: a pairing fails after 30 s (Core 5.4 Vol 3 Part H 3.4).
  private static var limit: Duration { AnswerTiming.usualLimit }

  /// Asks a question of the pairing with a client. An earlier question of that pairing is ended.
  package mutating func ask(_ question: PairingQuestion, of client: ClientID, at now: Instant) {
    endPairingQuestion(of: client)
    _ = questions.add(
      .pairing(question), for: client, until: now + Self.limit, preset: .error(.unlikelyError), isAsked: true)
    updateDeadline()
  }

  /// Ends the question of the pairing with a client.
  package mutating func endPairingQuestion(of client: ClientID) {
    for question in questions.questions where question.client == client {
      if case .pairing = question.kind { _ = questions.remove(question.ticket, .over) }
    }
    updateDeadline()
  }

  /// Converts a reply to the answer for the pairing.
  static func answer(
    to question: PairingQuestion, _ reply: QuestionReply
  ) throws(QuestionRefusal) -> PairingAnswer {
    switch (reply, question) {
    case (.refuse, _): return .refuse
    case (.accept, .consent), (.accept, .comparison): return .accept
    case (.accept, .display): throw .unsuitable("the passkey is only displayed: it needs no answer, but can be refused")
    case (.value(let value), .passkey):
      guard let passkey = passkey(value) else { throw .unsuitable("a passkey has six digits") }
      return .passkey(passkey)
    case (.accept, .passkey): throw .unsuitable("the answer must be a value: the passkey that the central displays")
    case (.value, _), (.error, _): throw .unsuitable("a pairing can only be accepted or refused")
    }
  }

  private static func passkey(_ value: ProfileValue) -> UInt32? {
    let number: UInt32? =
      switch value {
      case .int(let number): UInt32(exactly: number)
      case .string(let text) where text.utf8.count == 6 && text.allSatisfy({ $0.isASCII && $0.isNumber }): UInt32(text)
      default: nil
      }
    return number.flatMap { $0 <= 999_999 ? $0 : nil }
  }
}
