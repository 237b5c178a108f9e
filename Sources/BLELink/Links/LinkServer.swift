import BLEATT
import BLECore
import BLEGATT
import BLEHCI

/// The server on this side and what is a link's own: the session of the peer's client, and its bearers, named by their places.
extension Link {
  mutating func receiveForServer<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, over place: Int, _ server: inout GATTServer, _ application: inout Application, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    server.receive(
      pdu, on: &bearers[place], from: &session, application: &application, at: now, reply: &reply, effects: &effects)
  }

  mutating func receiveSigned<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, _ server: inout GATTServer, _ application: inout Application, at now: Instant,
    effects: inout ServerEffects
  ) {
    server.receiveSigned(
      pdu, on: &bearers[0], from: &session, application: &application, at: now, effects: &effects)
  }

  mutating func answer<Application: AttributeApplication>(
    _ ticket: AnswerTicket, with answer: LateAnswer, over place: Int, _ server: inout GATTServer,
    _ application: inout Application, at now: Instant, reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    _ = server.answer(
      ticket, with: answer, on: &bearers[place], from: &session, application: &application, at: now, reply: &reply,
      effects: &effects)
  }

  mutating func answerEarlyRequest<Application: AttributeApplication>(
    over place: Int, _ server: inout GATTServer, _ application: inout Application, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) -> Bool {
    server.answerEarlyRequest(
      on: &bearers[place], from: &session, application: &application, at: now, reply: &reply, effects: &effects)
  }

  /// Ends an enhanced bearer.
  mutating func closeBearer<Application: AttributeApplication>(
    _ place: Int, _ server: GATTServer, _ application: inout Application, events: inout [ServerEvent]
  ) {
    server.close(&bearers[place], of: &session, application: &application, events: &events)
    bearers.remove(at: place)
    session.bearerCount = bearers.count
  }

  /// Ends all bearers; that of the fixed channel is left, as new.
  mutating func closeBearers<Application: AttributeApplication>(
    _ server: GATTServer, _ application: inout Application, events: inout [ServerEvent]
  ) {
    for place in bearers.indices {
      server.close(&bearers[place], of: &session, application: &application, events: &events)
    }
    bearers.removeLast(bearers.count - 1)
  }

  mutating func indication(
    of index: CharacteristicIndex, value: [UInt8], _ server: GATTServer, over place: Int, at now: Instant
  ) -> HandleValueIndication? {
    server.indication(of: index, value: value, on: &bearers[place], to: &session, at: now)
  }

  mutating func nextIndication(_ server: GATTServer, over place: Int, at now: Instant) -> HandleValueIndication? {
    server.nextIndication(on: &bearers[place], for: &session, at: now)
  }
}

extension ConnectionHandle {
  /// The peer on that connection, as the application knows it.
  public var client: ClientID { ClientID(rawValue: UInt32(rawValue)) }
}

extension ClientID {
  /// The connection of that peer.
  public var connection: ConnectionHandle { ConnectionHandle(rawValue: UInt16(clamping: rawValue)) }
}
