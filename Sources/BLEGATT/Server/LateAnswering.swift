import BLEATT
import BLECore

extension GATTServer {
  /// Takes an answer that comes by a ticket, and lets the request that waited for it go on. False when the client has no such
  /// ticket, because it has been answered or cancelled.
  ///
  /// A request that reads several values asks for each in turn: then another ticket may follow. The values that came before are
  /// not asked for again.
  public mutating func answer<Application: AttributeApplication>(
    _ ticket: AnswerTicket, with answer: LateAnswer, client: inout GATTClientState, application: inout Application,
    at now: Instant, reply: inout OctetBuffer, effects: inout ServerEffects
  ) -> Bool {
    guard let place = client.questions.firstIndex(where: { $0.ticket == ticket }) else { return false }
    let open = client.questions.remove(at: place)
    guard let opcode = open.pdu.first.map({ ATTOpcode(rawValue: $0) }) else { return false }
    var turn = ServerTurn(opcode: opcode, now: now, limit: client.bearer.mtu)
    turn.answers = open.answers + [GivenAnswer(question: open.question, answer: answer)]
    guard !opcode.isCommand else {
      writeCommand(&turn, open.pdu.span, client: &client, application: &application, effects: &effects)
      return true
    }
    let arrival = client.bearer.openRequest?.arrival ?? now
    client.bearer.closeRequest()
    serve(
      &turn, open.pdu.span, arrival: arrival, from: &client, application: &application, reply: &reply,
      effects: &effects)
    return true
  }

  /// Answers the next request that came before the one ahead of it was answered; false when there is none, or it still has to
  /// wait. To be called after `answer` until it returns false: one response at a time.
  public mutating func answerEarlyRequest<Application: AttributeApplication>(
    of client: inout GATTClientState, application: inout Application, at now: Instant, reply: inout OctetBuffer,
    effects: inout ServerEffects
  ) -> Bool {
    guard let pdu = client.bearer.nextEarlyRequest() else { return false }
    receive(
      pdu.span, from: &client, application: &application, at: now, reply: &reply, effects: &effects)
    return true
  }

  /// Keeps a request that came too early.
  func keepEarly(_ pdu: Span<UInt8>, from client: inout GATTClientState, _ effects: inout ServerEffects) {
    let isKept = client.bearer.queue(pdu.withUnsafeBytes { Array($0) })
    effects.events.append(.earlyRequest(ATTOpcode(rawValue: pdu[0]), isKept: isKept))
  }

  /// Looks after the request that waits for its answer: warns before the client gives up, and then cancels its ticket
  /// (Core 5.4 Vol 3 Part F 3.3.3).
  public func checkRequest<Application: AttributeApplication>(
    of client: inout GATTClientState, application: inout Application, at now: Instant, events: inout [ServerEvent]
  ) {
    switch client.bearer.checkRequest(at: now) {
    case .inTime: break
    case .warning:
      for question in client.questions where !question.isCommand {
        events.append(.running(outOfTime: question.ticket))
      }
    case .over:
      let ended = client.questions.filter { !$0.isCommand }.map(\.ticket)
      client.questions.removeAll { !$0.isCommand }
      for ticket in ended {
        application.cancelled(ticket, because: .timeout)
        events.append(.cancelled(ticket))
      }
    }
  }

  /// Cancels all tickets of a client that has gone.
  public func cancelQuestions<Application: AttributeApplication>(
    of client: inout GATTClientState, application: inout Application, events: inout [ServerEvent]
  ) {
    for ticket in client.tickets {
      application.cancelled(ticket, because: .clientLeft)
      events.append(.cancelled(ticket))
    }
    client.questions = []
  }
}

extension OpenQuestion {
  /// Whether nobody waits for a response.
  var isCommand: Bool { pdu.first.map { ATTOpcode(rawValue: $0).isCommand } ?? false }
}
