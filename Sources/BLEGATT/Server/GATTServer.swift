import BLEATT
import BLECore

/// The GATT server: answers the PDUs of clients from a database (Core 5.4 Vol 3 Part F 3.4 and Part G 4).
///
/// It holds no state of clients: a session (`GATTSession`) has that of one client, a bearer (`ServerBearer`) that of one of its bearers. It
/// processes one PDU and appends at most one to `reply`. Every request is answered, at once or when the application has answered, so that
/// no client reaches the transaction timeout. Commands are never answered.
public struct GATTServer: Sendable {
  /// The attributes.
  public internal(set) var database: AttributeDatabase
  /// The longest PDU that this server receives, in octets, 23...517.
  public let receiveMTU: Int
  /// AES-CMAC with a key of 16 zero octets, for the Database Hash.
  let hashFunction: DatabaseHashFunction?
  /// The changes of the database since the start, to notify clients that were disconnected.
  var changes: [PastChange] = []
  /// The position of the Database Hash.
  var hashPosition: Int?
  /// The Database Hashes if they differ between the transports; else empty.
  var transportHashes: [LinkTransport: [UInt8]] = [:]

  /// Returns the MAC of octets with a key of 16 zero octets, most significant octet first (RFC 4493).
  public typealias DatabaseHashFunction = @Sendable ([UInt8]) -> [UInt8]

  /// Creates a server for a database. Without a hash function, a Database Hash characteristic has no value.
  public init(database: AttributeDatabase, receiveMTU: Int, hashFunction: DatabaseHashFunction? = nil) {
    self.database = database
    self.receiveMTU = max(ATTBearer.defaultMTU, receiveMTU)
    self.hashFunction = hashFunction
    updateHash()
  }

  /// Processes a PDU on a client's bearer. A bearer that has timed out ignores everything.
  public mutating func receive<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, on bearer: inout ServerBearer, from session: inout GATTSession,
    application: inout Application, at now: Instant, reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    guard pdu.count > 0, !bearer.att.hasTimedOut else { return }
    let opcode = ATTOpcode(rawValue: pdu[0])
    switch opcode.kind {
    case .request:
      guard bearer.att.openRequest == nil else { return keepEarly(pdu, on: &bearer, &effects) }
      if session.awareness != .aware {
        guard !refuseOutOfSync(pdu, on: &bearer, from: &session, reply: &reply, effects: &effects) else { return }
        effects.nextIndication = nextIndication(on: &bearer, for: &session, at: now)
      }
      var context = RequestContext(opcode: opcode, now: now, limit: bearer.att.mtu, transport: session.transport)
      serve(
        &context, pdu, arrival: now, on: &bearer, from: &session, application: &application, reply: &reply,
        effects: &effects)
    case .command:
      // A client with an outdated database would write to the wrong attribute (Core 5.4 Vol 3 Part G 2.5.2.1).
      guard !session.isOutOfSync else { return }
      var context = RequestContext(opcode: opcode, now: now, limit: bearer.att.mtu, transport: session.transport)
      writeCommand(&context, pdu, on: &bearer, session: &session, application: &application, effects: &effects)
    case .confirmation: confirm(on: &bearer, for: &session, at: now, effects: &effects)
    case .response, .notification, .indication:
      // These are only for clients, and no request of this server is outstanding.
      break
    }
  }

  /// Answers a request, or keeps it until the application has answered.
  mutating func serve<Application: AttributeApplication>(
    _ context: inout RequestContext, _ pdu: Span<UInt8>, arrival: Instant, on bearer: inout ServerBearer,
    from session: inout GATTSession, application: inout Application, reply: inout OctetBuffer,
    effects: inout ServerEffects
  ) {
    context.bearer = bearer.id
    let start = reply.count
    let before = (events: effects.events.count, actions: effects.actions.count)
    do throws(Interruption) {
      try answer(
        &context, pdu.extracting(1...), on: &bearer.att, session: &session, application: &application, reply: &reply,
        effects: &effects)
      if context.hasReadHash, session.awareness == .unaware { session.awareness = .informed }
    } catch {
      reply.truncate(to: start)
      switch error {
      case .refusal(let refusal):
        ErrorResponse(request: context.opcode, handle: refusal.handle, error: refusal.error).encodePDU(into: &reply)
        if refusal.error.isLackOfSecurity { effects.lacksSecurity = true }
        if effects.reportsAccess {
          effects.events.append(.refused(context.opcode, handle: refusal.handle, refusal.error))
        }
      case .awaiting(let ticket, let question, let handle):
        effects.events.removeLast(effects.events.count - before.events)
        effects.actions.removeLast(effects.actions.count - before.actions)
        let octets = pdu.withUnsafeBytes { Array($0) }
        bearer.att.openRequest(arrivedAt: arrival)
        bearer.questions.append(
          OpenQuestion(ticket: ticket, question: question, pdu: octets, answers: context.answers))
        effects.events.append(.awaiting(ticket, context.opcode, handle: handle))
      }
    }
  }

  private mutating func answer<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, on bearer: inout ATTBearer,
    session: inout GATTSession, application: inout Application, reply: inout OctetBuffer,
    effects: inout ServerEffects
  ) throws(Interruption) {
    switch context.opcode {
    case .readRequest, .readBlobRequest:
      try readOne(&context, parameters, session: session, application: &application, reply: &reply, effects: &effects)
    case .writeRequest:
      try writeOne(&context, parameters, session: &session, application: &application, effects: &effects)
      WriteResponse().encodePDU(into: &reply)
    case .exchangeMTURequest:
      // Only the bearer of the fixed channel can exchange the MTU (Core 5.4 Vol 3 Part G 4.2).
      guard !bearer.isOnDynamicChannel else { throw .refused(.requestNotSupported, at: 0) }
      let request: ExchangeMTURequest = try decode(parameters)
      bearer.setMTU(client: Int(request.clientMTU), server: receiveMTU)
      ExchangeMTUResponse(serverMTU: UInt16(clamping: receiveMTU)).encodePDU(into: &reply)
      effects.events.append(
        .mtuExchanged(client: Int(request.clientMTU), effective: bearer.mtu))
    case .findInformationRequest: try findInformation(context, parameters, reply: &reply)
    case .findByTypeValueRequest:
      try findByTypeValue(&context, parameters, session: session, application: &application, reply: &reply)
    case .readByTypeRequest:
      try readByType(
        &context, parameters, session: session, application: &application, reply: &reply, effects: &effects)
    case .readByGroupTypeRequest: try readByGroupType(context, parameters, session: session, reply: &reply)
    case .readMultipleRequest, .readMultipleVariableRequest:
      try readMultiple(
        &context, parameters, session: session, application: &application, reply: &reply, effects: &effects)
    case .prepareWriteRequest:
      try prepareWrite(&context, parameters, session: &session, application: &application, reply: &reply)
    case .executeWriteRequest:
      try executeWrite(&context, parameters, session: &session, application: &application, effects: &effects)
      ExecuteWriteResponse().encodePDU(into: &reply)
    default: throw .refused(.requestNotSupported, at: 0)
    }
  }

  /// Decodes a request's fields. Missing or excess octets make it an Invalid PDU (Core 5.4 Vol 3 Part F 3.4.1.1).
  func decode<PDU: ATTPDU>(_ parameters: Span<UInt8>) throws(Interruption) -> PDU {
    do throws(LayoutFault) { return try PDU(decoding: parameters) } catch { throw .refused(.invalidPDU, at: 0) }
  }

  /// Returns the position of the attribute with this handle.
  func position(_ handle: UInt16, in context: RequestContext) throws(Interruption) -> Int {
    guard let position = database.position(of: handle), !database.isHidden(position, over: context.transport) else {
      throw .refused(.invalidHandle, at: handle)
    }
    return position
  }

  /// Refuses a range of handles that starts at 0 or ends before its start (Core 5.4 Vol 3 Part F 3.4.3.1).
  func check(_ start: UInt16, _ end: UInt16) throws(Interruption) {
    guard start > 0, start <= end else { throw .refused(.invalidHandle, at: start) }
  }
}
