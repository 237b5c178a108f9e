import BLEATT
import BLECore

/// The GATT server: answers the PDUs of clients from a database (Core 5.4 Vol 3 Part F 3.4 and Part G 4).
///
/// It takes one PDU and appends at most one to `reply`. Every request is answered, so that no client runs into the
/// transaction timeout; commands never are.
public struct GATTServer: Sendable {
  /// The attributes.
  public var database: AttributeDatabase
  /// The longest PDU that this server receives, in octets, 23...517.
  public let receiveMTU: Int

  /// A server of that database.
  public init(database: AttributeDatabase, receiveMTU: Int) {
    self.database = database
    self.receiveMTU = max(ATTBearer.defaultMTU, receiveMTU)
  }

  /// Takes a PDU of a client.
  public mutating func receive<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, from client: inout GATTClientState, application: inout Application, at now: Instant,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) {
    guard pdu.count > 0 else { return }
    let opcode = ATTOpcode(rawValue: pdu[0])
    let start = reply.count
    let parameters = pdu.extracting(1...)
    switch opcode.kind {
    case .request:
      var turn = ServerTurn(opcode: opcode, now: now, limit: client.bearer.mtu)
      do throws(ATTRefusal) {
        try answer(
          &turn, parameters, client: &client, application: &application, reply: &reply, effects: &effects)
      } catch {
        reply.truncate(to: start)
        ErrorResponse(request: opcode, handle: error.handle, error: error.error).encodePDU(into: &reply)
        if effects.reportsAccess { effects.events.append(.refused(opcode, handle: error.handle, error.error)) }
      }
    case .command:
      writeCommand(
        opcode, parameters, client: &client, application: &application, at: now, effects: &effects)
    case .confirmation:
      let (confirmed, next) = client.bearer.confirm(at: now)
      if let confirmed { effects.events.append(.confirmed(confirmed)) }
      effects.nextIndication = next
    case .response, .notification, .indication:
      // Only a client gets these, and no request of ours is under way.
      break
    }
  }

  private mutating func answer<Application: AttributeApplication>(
    _ turn: inout ServerTurn, _ parameters: Span<UInt8>, client: inout GATTClientState,
    application: inout Application, reply: inout OctetBuffer, effects: inout ServerEffects
  ) throws(ATTRefusal) {
    switch turn.opcode {
    case .readRequest, .readBlobRequest:
      try readOne(turn, parameters, client: client, application: &application, reply: &reply, effects: &effects)
    case .writeRequest:
      try writeOne(turn, parameters, client: &client, application: &application, effects: &effects)
      WriteResponse().encodePDU(into: &reply)
    case .exchangeMTURequest:
      let request: ExchangeMTURequest = try decode(parameters)
      client.bearer.settleMTU(client: Int(request.clientMTU), server: receiveMTU)
      ExchangeMTUResponse(serverMTU: UInt16(clamping: receiveMTU)).encodePDU(into: &reply)
      effects.events.append(
        .mtuExchanged(client: Int(request.clientMTU), effective: client.bearer.mtu))
    case .findInformationRequest: try findInformation(turn, parameters, reply: &reply)
    case .findByTypeValueRequest:
      try findByTypeValue(turn, parameters, client: client, application: &application, reply: &reply)
    case .readByTypeRequest:
      try readByType(turn, parameters, client: client, application: &application, reply: &reply, effects: &effects)
    case .readByGroupTypeRequest: try readByGroupType(turn, parameters, client: client, reply: &reply)
    case .readMultipleRequest, .readMultipleVariableRequest:
      try readMultiple(turn, parameters, client: client, application: &application, reply: &reply, effects: &effects)
    case .prepareWriteRequest: try prepareWrite(parameters, client: &client, reply: &reply)
    case .executeWriteRequest:
      try executeWrite(turn, parameters, client: &client, application: &application, effects: &effects)
      ExecuteWriteResponse().encodePDU(into: &reply)
    default: throw ATTRefusal(.requestNotSupported, at: 0)
    }
  }

  /// Decodes a request's fields; octets missing or left over make it an Invalid PDU (Core 5.4 Vol 3 Part F 3.4.1.1).
  func decode<PDU: ATTPDU>(_ parameters: Span<UInt8>) throws(ATTRefusal) -> PDU {
    do throws(LayoutFault) { return try PDU(decoding: parameters) } catch { throw ATTRefusal(.invalidPDU, at: 0) }
  }

  /// The position of the attribute with that handle.
  func position(_ handle: UInt16) throws(ATTRefusal) -> Int {
    guard let position = database.position(of: handle) else { throw ATTRefusal(.invalidHandle, at: handle) }
    return position
  }

  /// Refuses a range of handles that begins at 0 or ends before it begins (Core 5.4 Vol 3 Part F 3.4.3.1).
  func check(_ start: UInt16, _ end: UInt16) throws(ATTRefusal) {
    guard start > 0, start <= end else { throw ATTRefusal(.invalidHandle, at: start) }
  }

  /// The whole value of an attribute for a client that may read it.
  func value<Application: AttributeApplication>(
    at position: Int, for client: GATTClientState, application: inout Application, now: Instant
  ) throws(ATTRefusal) -> [UInt8] {
    let attribute = database.attributes[position]
    if let refusal = attribute.permissions.refusal(of: .read, on: client.security) {
      throw ATTRefusal(refusal, at: attribute.handle)
    }
    switch attribute.role {
    case .clientConfiguration(let index): return client.configuration(of: index).octets
    case .askedValue(let index):
      switch application.read(index, for: client.connection, at: now) {
      case .value(let value): return value
      case .error(let error): throw ATTRefusal(error, at: attribute.handle)
      }
    default: return attribute.value
    }
  }
}

/// What the methods of one request share.
struct ServerTurn {
  /// The request.
  let opcode: ATTOpcode
  /// When it came.
  let now: Instant
  /// The longest answer, in octets.
  let limit: Int
}

/// A request that is answered with an Error Response.
struct ATTRefusal: Error {
  let error: ATTErrorCode
  let handle: UInt16

  init(_ error: ATTErrorCode, at handle: UInt16) {
    self.error = error
    self.handle = handle
  }
}
