import BLEATT
import BLECore
import BLEGATT
import BLEHCI

/// Calls of the server on this side with the parts of a link: the session of the peer's client, and its bearers. For a bearer that has
/// closed they do nothing.
extension Link {
  mutating func receiveForServer<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, over bearer: BearerID, _ server: inout GATTServer, _ application: inout Application,
    at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    bearers.with(bearer) {
      server.receive(
        pdu, on: &$0, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
    }
  }

  mutating func receiveSigned<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, _ server: inout GATTServer, _ application: inout Application, at now: Instant,
    effects: inout ServerEffects
  ) {
    server.receiveSigned(
      pdu, on: &bearers.fixed, from: &session, application: &application, at: now, effects: &effects)
  }

  mutating func answer<Application: AttributeApplication>(
    _ ticket: AnswerTicket, with answer: LateAnswer, over bearer: BearerID, _ server: inout GATTServer,
    _ application: inout Application, at now: Instant, reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    _ = bearers.with(bearer) {
      server.answer(
        ticket, with: answer, on: &$0, from: &session, application: &application, at: now, reply: &reply,
        effects: &effects)
    }
  }

  mutating func answerEarlyRequest<Application: AttributeApplication>(
    over bearer: BearerID, _ server: inout GATTServer, _ application: inout Application, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) -> Bool {
    bearers.with(bearer) {
      server.answerEarlyRequest(
        on: &$0, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
    } ?? false
  }

  /// Closes an enhanced bearer.
  mutating func closeBearer<Application: AttributeApplication>(
    _ bearer: BearerID, _ server: GATTServer, _ application: inout Application, events: inout [ServerEvent]
  ) {
    guard var closed = bearers.take(bearer) else { return }
    server.close(&closed, of: &session, application: &application, events: &events)
    session.bearerCount = bearers.count
  }

  /// Closes all bearers. The bearer of the fixed channel remains, in its initial state.
  mutating func closeBearers<Application: AttributeApplication>(
    _ server: GATTServer, _ application: inout Application, events: inout [ServerEvent]
  ) {
    bearers.forEach { server.close(&$0, of: &session, application: &application, events: &events) }
    bearers.removeEnhanced()
  }

  mutating func indication(
    of index: CharacteristicIndex, value: [UInt8], _ server: GATTServer, over bearer: BearerID, at now: Instant
  ) -> HandleValueIndication? {
    bearers.with(bearer) { server.indication(of: index, value: value, on: &$0, to: &session, at: now) } ?? nil
  }

  mutating func nextIndication(_ server: GATTServer, over bearer: BearerID, at now: Instant) -> HandleValueIndication? {
    bearers.with(bearer) { server.nextIndication(on: &$0, for: &session, at: now) } ?? nil
  }
}

extension ConnectionHandle {
  /// The peer of that connection, as the application identifies it.
  public var client: ClientID { ClientID(rawValue: UInt32(rawValue)) }
}

extension ClientID {
  /// The connection of that peer.
  public var connection: ConnectionHandle { ConnectionHandle(rawValue: UInt16(clamping: rawValue)) }
}
