import BLEATT
import BLECore
import BLEGATT
import BLEHCI

/// The server on this side and what is a link's own: the session of the peer's client, and its bearer.
extension Link {
  mutating func receiveForServer<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, _ server: inout GATTServer, _ application: inout Application, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    server.receive(
      pdu, on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
  }

  mutating func answer<Application: AttributeApplication>(
    _ ticket: AnswerTicket, with answer: LateAnswer, _ server: inout GATTServer, _ application: inout Application,
    at now: Instant, reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    _ = server.answer(
      ticket, with: answer, on: &bearer, from: &session, application: &application, at: now, reply: &reply,
      effects: &effects)
  }

  mutating func answerEarlyRequest<Application: AttributeApplication>(
    _ server: inout GATTServer, _ application: inout Application, at now: Instant, reply: inout OctetBuffer,
    effects: inout ServerEffects
  ) -> Bool {
    server.answerEarlyRequest(
      on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
  }

  mutating func closeBearer<Application: AttributeApplication>(
    _ server: GATTServer, _ application: inout Application, events: inout [ServerEvent]
  ) {
    server.close(&bearer, of: &session, application: &application, events: &events)
  }

  mutating func indication(
    of index: CharacteristicIndex, value: [UInt8], _ server: GATTServer, at now: Instant
  ) -> HandleValueIndication? {
    server.indication(of: index, value: value, on: &bearer, to: &session, at: now)
  }

  mutating func nextIndication(_ server: GATTServer, at now: Instant) -> HandleValueIndication? {
    server.nextIndication(on: &bearer, for: &session, at: now)
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
