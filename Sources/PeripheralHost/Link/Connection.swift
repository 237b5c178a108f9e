import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

/// One link to a central, and everything that is its own: session and bearer, channels, the fragments of a PDU on its way in.
struct Connection: Sendable {
  let handle: ConnectionHandle
  var details: ConnectionDetails
  /// What the server remembers of the central's client, and its bearer.
  var session: GATTSession
  var bearer = ServerBearer()
  /// The client of the central's server; nil until somebody needs it.
  var remote: GATTClient?
  var channels = LinkChannels()
  var recombiner = ACLRecombiner()
  /// Whether octets were lost on the line since the last PDU, which has been reported.
  var mayMissOctets = false
  /// Whether it is being disconnected because its answers pile up; nothing of it is taken any longer.
  var isFlooding = false
  /// When the wish for other connection parameters is sent; nil when there is none, or it has been sent.
  var parameterRequestDue: Instant?
  /// The parameters that the link layer is asking the central for.
  var askedParameters: ConnectionPolicy.ParameterRequest?

  init(handle: ConnectionHandle, details: ConnectionDetails) {
    self.handle = handle
    self.details = details
    session = GATTSession(client: handle.client)
  }

  /// The next moment at which something of this link is due.
  var nextDeadline: Instant? {
    let deadline = Instant.earliest(
      parameterRequestDue, Instant.earliest(channels.nextDeadline, bearer.att.deadline))
    return Instant.earliest(deadline, remote?.nextDeadline)
  }

  // MARK: The server on this side

  mutating func receiveRequest<Application: AttributeApplication>(
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

  mutating func close<Application: AttributeApplication>(
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
  /// The central on that connection, as the application knows it.
  public var client: ClientID { ClientID(rawValue: UInt32(rawValue)) }
}

extension ClientID {
  /// The connection of that central.
  public var connection: ConnectionHandle { ConnectionHandle(rawValue: UInt16(clamping: rawValue)) }
}
