import BLEATT
import BLECore

extension GATTServer {
  /// Answers a Read Request or Read Blob Request (Core 5.4 Vol 3 Part F 3.4.4.3 and 3.4.4.5).
  func readOne<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: GATTSession, application: inout Application,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) throws(Interruption) {
    let handle: UInt16
    let offset: Int
    let response: ATTOpcode
    if context.opcode == .readRequest {
      let request: ReadRequest = try decode(parameters)
      (handle, offset, response) = (request.handle, 0, .readResponse)
    } else {
      let request: ReadBlobRequest = try decode(parameters)
      (handle, offset, response) = (request.handle, Int(request.offset), .readBlobResponse)
    }
    let position = try position(handle, in: context)
    let value = try value(at: position, for: session, application: &application, context: &context)
    guard offset <= value.count else { throw .refused(.invalidOffset, at: handle) }
    ReadResponse.write(value[offset...], opcode: response, limit: context.limit, into: &reply)
    report(value, readAt: position, &effects)
  }

  /// Answers a Read Multiple Request or Read Multiple Variable Request (Core 5.4 Vol 3 Part F 3.4.4.7 and 3.4.4.11). Every handle is
  /// checked before any value is sent, and the response is truncated to the MTU.
  func readMultiple<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: GATTSession, application: inout Application,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) throws(Interruption) {
    let isVariable = context.opcode == .readMultipleVariableRequest
    let handles: [HandleEntry]
    if isVariable {
      let request: ReadMultipleVariableRequest = try decode(parameters)
      handles = request.handles
    } else {
      let request: ReadMultipleRequest = try decode(parameters)
      handles = request.handles
    }
    guard handles.count >= 2 else { throw .refused(.invalidPDU, at: 0) }
    var writer = ReadMultipleWriter(isVariable: isVariable, limit: context.limit, into: &reply)
    for entry in handles {
      let position = try position(entry.handle, in: context)
      let value = try value(at: position, for: session, application: &application, context: &context)
      writer.append(value, into: &reply)
      report(value, readAt: position, &effects)
    }
    writer.finish(in: &reply)
  }

  /// Answers a Read By Type Request (Core 5.4 Vol 3 Part F 3.4.4.1) with as many values of the same length as fit. An attribute that cannot
  /// be read ends the list, and is an error only if it is the first.
  func readByType<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: GATTSession, application: inout Application,
    reply: inout OctetBuffer, effects: inout ServerEffects
  ) throws(Interruption) {
    let request: ReadByTypeRequest = try decode(parameters)
    try check(request.start, request.end)
    var list = AttributeDataWriter(.readByTypeResponse, limit: context.limit, into: &reply)
    for position in database.positions(from: request.start, to: request.end)
    where database.attributes[position].type == request.type && !database.isHidden(position, over: context.transport) {
      let value: [UInt8]
      do throws(Interruption) {
        value = try self.value(at: position, for: session, application: &application, context: &context)
      } catch {
        if case .awaiting = error { throw error }
        if list.isEmpty { throw error }
        break
      }
      let handle = database.attributes[position].handle
      guard list.append(handle, value, into: &reply) else { break }
      report(value, readAt: position, &effects)
    }
    guard !list.isEmpty else { throw .refused(.attributeNotFound, at: request.start) }
  }

  /// Reports the read of a characteristic's value if accesses are reported.
  private func report(_ value: [UInt8], readAt position: Int, _ effects: inout ServerEffects) {
    guard effects.reportsAccess else { return }
    switch database.attributes[position].role {
    case .storedValue(let index), .askedValue(let index): effects.events.append(.read(index, value))
    default: break
    }
  }
}
