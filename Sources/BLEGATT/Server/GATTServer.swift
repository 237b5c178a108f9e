import BLEATT
import BLECore

/// The GATT server: answers the PDUs of clients from a database (Core 5.4 Vol 3 Part F 3.4 and Part G 4).
///
/// It takes one PDU and appends at most one to `reply`. Every request is answered, at once or when the application has its
/// answer, so that no client runs into the transaction timeout; commands never are.
public struct GATTServer: Sendable {
  /// The attributes.
  public internal(set) var database: AttributeDatabase
  /// The longest PDU that this server receives, in octets, 23...517.
  public let receiveMTU: Int
  /// AES-CMAC under the key of 16 zero octets, for the Database Hash.
  let hashFunction: DatabaseHashFunction?
  /// The changes of the database since the start, so that a client that was away can be told what it missed.
  var changes: [PastChange] = []
  /// Where the Database Hash is kept.
  var hashPosition: Int?

  /// The MAC of some octets under the key of 16 zero octets, most significant octet first (RFC 4493).
  public typealias DatabaseHashFunction = @Sendable ([UInt8]) -> [UInt8]

  /// A server of that database. Without a hash function, a Database Hash characteristic has no value.
  public init(database: AttributeDatabase, receiveMTU: Int, hashFunction: DatabaseHashFunction? = nil) {
    self.database = database
    self.receiveMTU = max(ATTBearer.defaultMTU, receiveMTU)
    self.hashFunction = hashFunction
    updateHash()
  }

  /// Takes a PDU of a client.
  public mutating func receive<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, from client: inout GATTClientState, application: inout Application, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    guard pdu.count > 0 else { return }
    let opcode = ATTOpcode(rawValue: pdu[0])
    switch opcode.kind {
    case .request:
      guard client.bearer.openRequest == nil else { return keepEarly(pdu, from: &client, &effects) }
      if client.awareness != .aware, refuseOutOfSync(pdu, from: &client, reply: &reply, effects: &effects) { return }
      var turn = ServerTurn(opcode: opcode, now: now, limit: client.bearer.mtu)
      serve(&turn, pdu, arrival: now, from: &client, application: &application, reply: &reply, effects: &effects)
    case .command:
      // A client that does not know the database would write somewhere else (Core 5.4 Vol 3 Part G 2.5.2.1).
      guard !client.isOutOfSync else { return }
      var turn = ServerTurn(opcode: opcode, now: now, limit: client.bearer.mtu)
      writeCommand(&turn, pdu, client: &client, application: &application, effects: &effects)
    case .confirmation: confirm(&client, at: now, effects: &effects)
    case .response, .notification, .indication:
      // Only a client gets these, and no request of ours is under way.
      break
    }
  }

  /// Answers a request, or keeps it until the application has its answer.
  mutating func serve<Application: AttributeApplication>(
    _ turn: inout ServerTurn, _ pdu: Span<UInt8>, arrival: Instant, from client: inout GATTClientState,
    application: inout Application, reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    let start = reply.count
    let before = (events: effects.events.count, actions: effects.actions.count)
    do throws(TurnEnd) {
      try answer(
        &turn, pdu.extracting(1...), client: &client, application: &application, reply: &reply, effects: &effects)
      if turn.hasReadHash, client.awareness == .unaware { client.awareness = .told }
    } catch {
      reply.truncate(to: start)
      switch error {
      case .refusal(let refusal):
        ErrorResponse(request: turn.opcode, handle: refusal.handle, error: refusal.error).encodePDU(into: &reply)
        if effects.reportsAccess {
          effects.events.append(.refused(turn.opcode, handle: refusal.handle, refusal.error))
        }
      case .awaiting(let ticket, let question, let handle):
        effects.events.removeLast(effects.events.count - before.events)
        effects.actions.removeLast(effects.actions.count - before.actions)
        let octets = pdu.withUnsafeBytes { Array($0) }
        client.bearer.open(OpenRequest(pdu: octets, arrival: arrival))
        client.questions.append(
          OpenQuestion(ticket: ticket, question: question, pdu: octets, answers: turn.answers))
        effects.events.append(.awaiting(ticket, turn.opcode, handle: handle))
      }
    }
  }

  private mutating func answer<Application: AttributeApplication>(
    _ turn: inout ServerTurn, _ parameters: Span<UInt8>, client: inout GATTClientState,
    application: inout Application, reply: inout OctetBuffer, effects: inout ServerEffects
  ) throws(TurnEnd) {
    switch turn.opcode {
    case .readRequest, .readBlobRequest:
      try readOne(&turn, parameters, client: client, application: &application, reply: &reply, effects: &effects)
    case .writeRequest:
      try writeOne(&turn, parameters, client: &client, application: &application, effects: &effects)
      WriteResponse().encodePDU(into: &reply)
    case .exchangeMTURequest:
      let request: ExchangeMTURequest = try decode(parameters)
      client.bearer.settleMTU(client: Int(request.clientMTU), server: receiveMTU)
      ExchangeMTUResponse(serverMTU: UInt16(clamping: receiveMTU)).encodePDU(into: &reply)
      effects.events.append(
        .mtuExchanged(client: Int(request.clientMTU), effective: client.bearer.mtu))
    case .findInformationRequest: try findInformation(turn, parameters, reply: &reply)
    case .findByTypeValueRequest:
      try findByTypeValue(&turn, parameters, client: client, application: &application, reply: &reply)
    case .readByTypeRequest:
      try readByType(&turn, parameters, client: client, application: &application, reply: &reply, effects: &effects)
    case .readByGroupTypeRequest: try readByGroupType(turn, parameters, client: client, reply: &reply)
    case .readMultipleRequest, .readMultipleVariableRequest:
      try readMultiple(&turn, parameters, client: client, application: &application, reply: &reply, effects: &effects)
    case .prepareWriteRequest:
      try prepareWrite(&turn, parameters, client: &client, application: &application, reply: &reply)
    case .executeWriteRequest:
      try executeWrite(&turn, parameters, client: &client, application: &application, effects: &effects)
      ExecuteWriteResponse().encodePDU(into: &reply)
    default: throw .refused(.requestNotSupported, at: 0)
    }
  }

  /// Decodes a request's fields; octets missing or left over make it an Invalid PDU (Core 5.4 Vol 3 Part F 3.4.1.1).
  func decode<PDU: ATTPDU>(_ parameters: Span<UInt8>) throws(TurnEnd) -> PDU {
    do throws(LayoutFault) { return try PDU(decoding: parameters) } catch { throw .refused(.invalidPDU, at: 0) }
  }

  /// The position of the attribute with that handle.
  func position(_ handle: UInt16) throws(TurnEnd) -> Int {
    guard let position = database.position(of: handle) else { throw .refused(.invalidHandle, at: handle) }
    return position
  }

  /// Refuses a range of handles that begins at 0 or ends before it begins (Core 5.4 Vol 3 Part F 3.4.3.1).
  func check(_ start: UInt16, _ end: UInt16) throws(TurnEnd) {
    guard start > 0, start <= end else { throw .refused(.invalidHandle, at: start) }
  }
}
