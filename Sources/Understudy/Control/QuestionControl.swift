import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// Answering the questions of a running accessory.
extension Accessory {
  /// The open questions, in the order in which they were asked.
  public var openQuestions: [PendingQuestion] { stack.application.openQuestions.map { pending($0) } }

  /// Returns the open questions for JSON.
  package func questionReport() -> ProfileValue { .array(openQuestions.map(\.json)) }

  /// Answers a question. The answer is sent to the central at once.
  public func answer(_ ticket: AnswerTicket, with reply: QuestionReply) throws(ControlError) {
    let actions: [ApplicationAction]
    do throws(QuestionRefusal) {
      actions = try stack.application.answer(ticket, with: reply, at: loop.now())
    } catch {
      throw .question(error)
    }
    try perform(.perform(actions))
  }

  /// Sends the central a keypress notification while a passkey is entered for a question (Core 5.4 Vol 3 Part
  /// H 3.5.8). After this call, the answer to the question sends no keypress notifications for its digits.
  public func press(_ key: Keypress, for ticket: AnswerTicket) throws(ControlError) {
    guard let question = stack.application.openQuestions.first(where: { $0.ticket == ticket }) else {
      throw .question(.unknown(ticket))
    }
    guard case .pairing(.passkey) = question.kind else {
      throw .question(.unsuitable("no passkey is being entered for question \(ticket.number)"))
    }
    try perform(.pressKey(question.client.connection, key))
  }

  /// Reports the runtime's new and ended questions.
  func followQuestions(at now: Instant) {
    for report in stack.application.takeQuestionReports() {
      switch report {
      case .asked(let question): emit(.question(.asked(pending(question))), name(of: question))
      case .ended(let question, let end):
        emit(.question(.ended(pending(question), end)), name(of: question))
        if case (.pairing(let asked), .pairing(let answer, _)) = (question.kind, end) {
          decide(answer, asked, on: question.client.connection)
        }
      }
    }
  }

  private func name(of question: Question) -> CharacteristicName? { question.characteristic.map { name(of: $0) } }

  private func pending(_ question: Question) -> PendingQuestion {
    var value: ProfileValue?
    if case .write(let characteristic, let octets) = question.kind {
      value = stack.application.decode(octets, of: characteristic)
    }
    return PendingQuestion(
      question: question, characteristic: name(of: question), value: value,
      deadline: loop.sinceEpoch() + (question.deadline - loop.now()))
  }
}

extension HostRequest {
  /// The ticket and reply, if the request answers a question.
  var reply: (ticket: AnswerTicket, reply: QuestionReply)? {
    guard case .answer(let ticket, let answer) = self else { return nil }
    switch answer {
    case .value(let octets): return (ticket, .value(.octets(octets)))
    case .accepted: return (ticket, .accept)
    case .error(let code): return (ticket, .error(code))
    }
  }
}
