import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// What somebody outside decides for a running accessory.
extension Accessory {
  /// What somebody is asked and has not answered, in the order in which it was asked.
  public var openQuestions: [PendingQuestion] { stack.application.openQuestions.map { pending($0) } }

  /// The same as JSON.
  package func questionReport() -> ProfileValue { .array(openQuestions.map(\.json)) }

  /// Answers a question; the central gets its answer at once.
  public func answer(_ ticket: AnswerTicket, with reply: QuestionReply) throws(ControlError) {
    let actions: [ApplicationAction]
    do throws(QuestionRefusal) {
      actions = try stack.application.answer(ticket, with: reply, at: loop.now())
    } catch {
      throw .question(error)
    }
    try perform(.perform(actions))
  }

  /// Tells the central that a key was pressed while the passkey is typed that a question wants (Core 5.4 Vol 3 Part H 3.5.8). The answer
  /// to the question then tells of no digits by itself.
  public func press(_ key: Keypress, for ticket: AnswerTicket) throws(ControlError) {
    guard let question = stack.application.openQuestions.first(where: { $0.ticket == ticket }) else {
      throw .question(.unknown(ticket))
    }
    guard case .pairing(.passkey) = question.kind else {
      throw .question(.unsuitable("no passkey is being entered for question \(ticket.number)"))
    }
    try perform(.pressKey(question.client.connection, key))
  }

  /// Tells what the runtime has asked.
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
  /// What somebody says to a question, where it is that.
  var reply: (ticket: AnswerTicket, reply: QuestionReply)? {
    guard case .answer(let ticket, let answer) = self else { return nil }
    switch answer {
    case .value(let octets): return (ticket, .value(.octets(octets)))
    case .accepted: return (ticket, .accept)
    case .error(let code): return (ticket, .error(code))
    }
  }
}
