import BLEATT
import BLECore

extension GATTServer {
  /// Answers a Find Information Request (Core 5.4 Vol 3 Part F 3.4.3.1): handles and types, all types of the same length.
  func findInformation(
    _ context: RequestContext, _ parameters: Span<UInt8>, reply: inout OctetBuffer
  ) throws(Interruption) {
    let request: FindInformationRequest = try decode(parameters)
    try check(request.start, request.end)
    let positions = database.positions(from: request.start, to: request.end).lazy.filter {
      !database.isHidden($0, over: context.transport)
    }
    guard let first = positions.first else { throw .refused(.attributeNotFound, at: request.start) }
    let typeLength = database.attributes[first].type.octetCount
    let writer = FindInformationResponse.Writer(typeLength: typeLength, limit: context.limit, into: &reply)
    for position in positions {
      let attribute = database.attributes[position]
      guard writer.append(attribute.handle, attribute.type, into: &reply) else { break }
    }
  }

  /// Answers a Find By Type Value Request (Core 5.4 Vol 3 Part F 3.4.3.3). Skips attributes that may not be read.
  func findByTypeValue<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: GATTSession, application: inout Application,
    reply: inout OctetBuffer
  ) throws(Interruption) {
    let request: FindByTypeValueRequest = try decode(parameters)
    try check(request.start, request.end)
    let type = BluetoothUUID(request.type)
    let writer = FindByTypeValueResponse.Writer(limit: context.limit, into: &reply)
    for position in database.positions(from: request.start, to: request.end)
    where database.attributes[position].type == type && !database.isHidden(position, over: context.transport) {
      guard writer.hasRoom(in: reply) else { break }
      do throws(Interruption) {
        let value = try value(at: position, for: session, application: &application, context: &context)
        guard value == request.value else { continue }
      } catch {
        if case .awaiting = error { throw error }
        continue
      }
      let attribute = database.attributes[position]
      writer.append(found: attribute.handle, groupEnd: groupEnd(of: attribute), into: &reply)
    }
    guard !writer.isEmpty(in: reply) else { throw .refused(.attributeNotFound, at: request.start) }
  }

  /// Returns the last handle of the group that an attribute starts, or its own handle if it starts none (Core 5.4 Vol 3 Part F 3.4.3.4).
  /// Services and characteristics are groups (Part G 2.5.3).
  private func groupEnd(of attribute: Attribute) -> UInt16 {
    switch attribute.role {
    case .service:
      let number = database.firstService(from: attribute.handle)
      return number < database.services.count ? database.services[number].handles.upperBound : attribute.handle
    case .characteristicDeclaration(let index):
      // A characteristic ends with its own last attribute (Part G 3.3).
      let behind = database.positions(from: attribute.handle, to: .max)
      let last = behind.prefix { database.attributes[$0].characteristic == index }.last
      return last.map { database.attributes[$0].handle } ?? attribute.handle
    default: return attribute.handle
    }
  }

  /// Answers a Read By Group Type Request (Core 5.4 Vol 3 Part F 3.4.4.9). GATT has two group types: primary and secondary services (Part G
  /// 2.5.3).
  func readByGroupType(
    _ context: RequestContext, _ parameters: Span<UInt8>, session: GATTSession, reply: inout OctetBuffer
  ) throws(Interruption) {
    let request: ReadByGroupTypeRequest = try decode(parameters)
    try check(request.start, request.end)
    guard request.type == .primaryService || request.type == .secondaryService else {
      throw .refused(.unsupportedGroupType, at: request.start)
    }
    let wantsPrimary = request.type == .primaryService
    var list = AttributeDataWriter(.readByGroupTypeResponse, limit: context.limit, into: &reply)
    for service in database.services[database.firstService(from: request.start)...] {
      guard service.handles.lowerBound <= request.end else { break }
      guard service.isPrimary == wantsPrimary, service.transports.contains(context.transport) else { continue }
      guard
        list.append(
          service.handles.lowerBound, groupEnd: service.handles.upperBound, service.uuid.littleEndianOctets,
          into: &reply)
      else { break }
    }
    guard !list.isEmpty else { throw .refused(.attributeNotFound, at: request.start) }
  }
}
