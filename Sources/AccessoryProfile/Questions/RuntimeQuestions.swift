import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP

extension ProfileRuntime {
  // MARK: Asking

  /// Answers a read later: after a delay with the value at the time of the read, or when a question is answered.
  mutating func readLater(
    _ timing: AnswerTiming, _ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> ReadAnswer {
    let preset: LateAnswer
    switch (timing, states[characteristic.position].readError) {
    case (.after, let error?): preset = .error(error)
    case (.after, nil): preset = .value(octets(of: characteristic.position, for: client, at: now))
    case (.asked(_, let otherwise), _): preset = .error(otherwise)
    }
    return .later(wait(timing, .read(characteristic), for: client, preset: preset, at: now))
  }

  /// Answers a write later: after a delay according to its rule, or when a question is answered.
  mutating func writeLater(
    _ timing: AnswerTiming, _ rule: WriteRule, _ value: [UInt8], to characteristic: CharacteristicIndex,
    for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    let preset: LateAnswer =
      if case .asked(_, let otherwise) = timing { .error(otherwise) } else {
        rule.error.map { .error($0) } ?? .accepted
      }
    return .later(wait(timing, .write(characteristic, value), for: client, preset: preset, at: now))
  }

  private mutating func wait(
    _ timing: AnswerTiming, _ kind: Question.Kind, for client: ClientID, preset: LateAnswer, at now: Instant
  ) -> AnswerTicket {
    defer { updateDeadline() }
    switch timing {
    case .after(let delay):
      return questions.add(kind, for: client, until: now + delay, preset: preset, isAsked: false)
    case .asked(let limit, _):
      return questions.add(kind, for: client, until: now + limit, preset: preset, isAsked: true)
    }
  }

  /// Asks whether a client is authorized.
  mutating func askAuthorization(
    _ operation: AttributeOperation, of characteristic: CharacteristicIndex, _ policy: AuthorizationPolicy,
    for client: ClientID, at now: Instant
  ) -> AuthorizationAnswer {
    let timing = AnswerTiming.asked(within: policy.limit, otherwise: policy.error)
    return .ask(
      wait(timing, .authorization(operation, characteristic), for: client, preset: .error(policy.error), at: now))
  }

  // MARK: Answering

  /// The open questions.
  package var openQuestions: [Question] { questions.questions }

  /// Returns and removes the reports of questions since the last call. At most 1,000 are kept; the oldest are dropped first.
  package mutating func takeQuestionReports() -> [QuestionReport] { questions.takeReports() }

  /// Answers a question. Returns the actions for the host: sending the answer to the client, and further effects.
  package mutating func answer(
    _ ticket: AnswerTicket, with reply: QuestionReply, at now: Instant
  ) throws(QuestionRefusal) -> [ApplicationAction] {
    let entry = try questions.question(ticket)
    if case .pairing(let question) = entry.question.kind {
      _ = questions.remove(ticket, .pairing(try Self.answer(to: question, reply), isLate: false))
      updateDeadline()
      return []
    }
    return answer(entry.question, with: try lateAnswer(to: entry, reply), at: now)
  }

  /// Answers an open question.
  mutating func answer(_ question: Question, with answer: LateAnswer, at now: Instant) -> [ApplicationAction] {
    defer { updateDeadline() }
    guard let entry = questions.remove(question.ticket, .answered(answer)) else { return [] }
    return conclude(entry.question, answer, at: now)
  }

  private func lateAnswer(
    to entry: QuestionBook.Entry, _ reply: QuestionReply
  ) throws(QuestionRefusal) -> LateAnswer {
    switch (reply, entry.question.kind) {
    case (.accept, .read), (.refuse, .read): throw .unsuitable("a read needs a value or an error")
    case (_, .pairing): throw .unsuitable("a pairing needs another kind of answer")
    case (.accept, _): return .accepted
    case (.refuse, _): return entry.preset
    case (.error, .channels):
      throw .unsuitable("channels can only be accepted or refused; the specification defines the result")
    case (.error(let code), _): return .error(code)
    case (.value(let value), .read(let characteristic)):
      do throws(ProfileValueError) {
        let octets = try behaviors[characteristic.position].format.encode(value)
        guard octets.count <= 512 else {
          throw ProfileValueError("the value takes \(octets.count) octets; the maximum is 512")
        }
        return .value(octets)
      } catch {
        throw .unsuitable(error.message)
      }
    case (.value, _): throw .unsuitable("only a read takes a value; this can be accepted, or answered with an error")
    }
  }

  /// Answers all entries that are due.
  mutating func advanceQuestions(_ now: Instant, actions: inout [ApplicationAction]) {
    while let entry = questions.removeDue(at: now) { actions += conclude(entry.question, entry.preset, at: now) }
  }

  /// Sends an answer to a client, and performs its effects.
  private mutating func conclude(_ question: Question, _ answer: LateAnswer, at now: Instant) -> [ApplicationAction] {
    switch (question.kind, answer) {
    case (.pairing, _): return []
    case (.write(let characteristic, let value), .accepted):
      let rule = rule(for: value, characteristic.position, question.client, at: now)
      let verdict = accept(value, to: characteristic, rule, for: question.client, at: now)
      if let error = verdict.error { return [.answer(question.ticket, .error(error))] }
      return [.answer(question.ticket, .accepted)] + verdict.actions
    case (.write(let characteristic, let value), .error(let error)):
      // An error of the profile, not of whoever was asked.
      if let rule = rule(for: value, characteristic.position, question.client, at: now), rule.error == error {
        refuse(value, of: characteristic, rule, for: question.client, at: now)
      }
      return [.answer(question.ticket, answer)]
    case (.authorization(_, let characteristic), .accepted):
      return [.answer(question.ticket, .accepted)] + authorize(question.client, as: characteristic, at: now)
    default: return [.answer(question.ticket, answer)]
    }
  }

  package mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation) {
    _ = questions.remove(ticket, reason == .clientLeft ? .clientLeft : .abandoned)
    updateDeadline()
  }

  // MARK: Channels

  package mutating func authorize(
    _ request: ChannelAuthorizationRequest, for client: ClientID, at now: Instant
  ) -> ChannelAuthorizationAnswer {
    let timing = AnswerTiming.asked(within: AnswerTiming.usualLimit, otherwise: .insufficientAuthorization)
    return .ask(
      wait(timing, .channels(request), for: client, preset: .error(.insufficientAuthorization), at: now))
  }

  /// Removes the questions and authorizations of a client that has disconnected.
  mutating func forgetQuestions(of client: ClientID) {
    for question in questions.questions where question.client == client {
      _ = questions.remove(question.ticket, .clientLeft)
    }
    authorized = authorized.filter { $0.client != client }
  }
}
