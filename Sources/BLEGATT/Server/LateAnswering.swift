import BLEATT
import BLECore

extension GATTServer {
  /// Answers a ticket and continues the request that waits for it. Returns false if the bearer has no such ticket, because it has been
  /// answered or cancelled.
  ///
  /// A request that reads several values asks for them one after the other, so another ticket may follow. Earlier values are not requested
  /// again.
  public mutating func answer<Application: AttributeApplication>(
    _ ticket: AnswerTicket, with answer: LateAnswer, on bearer: inout ServerBearer, from session: inout GATTSession,
    application: inout Application, at now: Instant, reply: inout OctetBuffer, effects: inout ServerEffects
  ) -> Bool {
    guard let place = bearer.questions.firstIndex(where: { $0.ticket == ticket }) else { return false }
    let open = bearer.questions.remove(at: place)
    guard let opcode = open.pdu.first.map({ ATTOpcode(rawValue: $0) }) else { return false }
    var context = RequestContext(opcode: opcode, now: now, limit: bearer.att.mtu, transport: session.transport)
    context.answers = open.answers + [GivenAnswer(question: open.question, answer: answer)]
    context.isSigned = open.isSigned
    guard !opcode.isCommand else {
      writeCommand(
        &context, open.pdu.span, on: &bearer, session: &session, application: &application, effects: &effects)
      return true
    }
    let arrival = bearer.att.openRequest?.arrival ?? now
    bearer.att.closeRequest()
    serve(
      &context, open.pdu.span, arrival: arrival, on: &bearer, from: &session, application: &application,
      reply: &reply, effects: &effects)
    return true
  }

  /// Answers the next request that arrived before the previous one was answered. Returns false if there is none or it must still wait. Call
  /// it after `answer` until it returns false: it produces one response at a time.
  public mutating func answerEarlyRequest<Application: AttributeApplication>(
    on bearer: inout ServerBearer, from session: inout GATTSession, application: inout Application, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) -> Bool {
    guard let pdu = bearer.att.nextEarlyRequest() else { return false }
    receive(
      pdu.span, on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
    return true
  }

  /// Keeps a request that arrived too early.
  func keepEarly(_ pdu: Span<UInt8>, on bearer: inout ServerBearer, _ effects: inout ServerEffects) {
    let isKept = bearer.att.keepEarly(pdu.withUnsafeBytes { Array($0) })
    effects.events.append(.earlyRequest(ATTOpcode(rawValue: pdu[0]), isKept: isKept))
  }

  /// Checks the request that waits for its answer: warns before the client's timeout, and at the timeout cancels its ticket (Core 5.4 Vol 3
  /// Part F 3.3.3).
  public func checkRequest<Application: AttributeApplication>(
    on bearer: inout ServerBearer, application: inout Application, at now: Instant, events: inout [ServerEvent]
  ) {
    switch bearer.att.checkRequest(at: now) {
    case .inTime: break
    case .warning:
      for question in bearer.questions where !question.isCommand {
        events.append(.running(outOfTime: question.ticket))
      }
    case .over:
      let ended = bearer.questions.filter { !$0.isCommand }.map(\.ticket)
      bearer.questions.removeAll { !$0.isCommand }
      cancel(ended, because: .timeout, application: &application, events: &events)
    }
  }

  /// Ends a bearer and cancels its unanswered questions to the application. An unconfirmed Service Changed indication becomes due again on
  /// another bearer of the session.
  public func close<Application: AttributeApplication>(
    _ bearer: inout ServerBearer, of session: inout GATTSession, application: inout Application,
    events: inout [ServerEvent]
  ) {
    cancel(bearer.tickets, because: .clientLeft, application: &application, events: &events)
    if let handle = bearer.att.indicated, handle == serviceChangedHandle { session.forgetReport() }
    session.executing[bearer.id] = nil
    bearer = ServerBearer()
  }

  private func cancel<Application: AttributeApplication>(
    _ tickets: [AnswerTicket], because reason: AnswerTicket.Cancellation, application: inout Application,
    events: inout [ServerEvent]
  ) {
    for ticket in tickets {
      application.cancelled(ticket, because: reason)
      events.append(.cancelled(ticket))
    }
  }
}

extension OpenQuestion {
  /// Whether it is a command, so that nobody waits for a response.
  var isCommand: Bool { pdu.first.map { ATTOpcode(rawValue: $0).isCommand } ?? false }
}
