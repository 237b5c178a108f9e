import BLEATT
import BLECore

extension GATTServer {
  /// Prepare Write Request (Core 5.4 Vol 3 Part F 3.4.6.1): the right to write is checked now, offset and length when the
  /// queue is executed. The answer is the request again.
  func prepareWrite<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: inout GATTSession,
    application: inout Application, reply: inout OctetBuffer
  ) throws(Interruption) {
    let request: PrepareWriteRequest = try decode(parameters)
    // A request above the MTU is the client's mistake, and its answer would be one of ours.
    guard parameters.count < context.limit else { throw .refused(.invalidPDU, at: 0) }
    let position = try position(request.handle)
    try allow(.write, at: position, session, &application, &context)
    guard session.preparedWrites.append(request) else { throw .refused(.prepareQueueFull, at: request.handle) }
    PrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value)
      .encodePDU(into: &reply)
  }

  /// Execute Write Request (Core 5.4 Vol 3 Part F 3.4.6.3): all parts in order, or none. A value ends where the part that
  /// reaches furthest ends. The queue is empty afterwards in any case.
  ///
  /// When the application judges one of the values later, nothing is written before it has; it has then seen the values before
  /// that one, and sees no value twice.
  mutating func executeWrite<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: inout GATTSession,
    application: inout Application, effects: inout ServerEffects
  ) throws(Interruption) {
    let request: ExecuteWriteRequest = try decode(parameters)
    guard request.flags <= 1 else { throw .refused(.invalidPDU, at: 0) }
    let sessionWithQueue = session
    let stale = session.preparedWrites.staleHandle
    let parts = session.preparedWrites.removeAll()
    guard request.flags == 1 else { return }
    if let stale { throw .refused(.databaseOutOfSync, at: stale) }
    let sessionBefore = session
    let applicationBefore = application
    let effectsBefore = effects
    // Values change one by one, and are put back if one is refused.
    var replaced: [(position: Int, value: [UInt8])] = []
    do throws(Interruption) {
      let values = try assemble(parts, session: session, application: &application, context: &context)
      for (position, value) in values {
        replaced.append((position, database.attributes[position].value))
        try write(
          value, at: position, session: &session, application: &application, context: &context, effects: &effects)
      }
    } catch {
      for (position, value) in replaced.reversed() { database.store(value, at: position) }
      effects = effectsBefore
      if case .awaiting = error {
        session = sessionWithQueue
      } else {
        session = sessionBefore
        application = applicationBefore
      }
      throw error
    }
  }

  /// The values that prepared parts add up to, one per attribute, in the order of each attribute's first part.
  private func assemble<Application: AttributeApplication>(
    _ parts: [PrepareWriteRequest], session: GATTSession, application: inout Application, context: inout RequestContext
  ) throws(Interruption) -> [(position: Int, value: [UInt8])] {
    var values: [(position: Int, value: [UInt8], end: Int)] = []
    for part in parts {
      let position = try position(part.handle)
      try allow(.write, at: position, session, &application, &context)
      let entry: Int
      if let known = values.firstIndex(where: { $0.position == position }) {
        entry = known
      } else {
        entry = values.count
        values.append(
          (position, currentValue(at: position, session: session, application: &application, context: &context), 0))
      }
      let offset = Int(part.offset)
      guard offset <= values[entry].value.count else { throw .refused(.invalidOffset, at: part.handle) }
      let end = offset + part.value.count
      guard end <= database.attributes[position].maximumLength else {
        throw .refused(.invalidAttributeValueLength, at: part.handle)
      }
      values[entry].value.replaceSubrange(offset..<min(end, values[entry].value.count), with: part.value)
      values[entry].end = max(values[entry].end, end)
    }
    return values.map { entry in
      let isFixed = database.attributes[entry.position].hasFixedLength
      return (entry.position, isFixed ? entry.value : Array(entry.value.prefix(entry.end)))
    }
  }

  /// An attribute's value as a writer builds on it, whether or not it may be read.
  private func currentValue<Application: AttributeApplication>(
    at position: Int, session: GATTSession, application: inout Application, context: inout RequestContext
  ) -> [UInt8] {
    switch database.attributes[position].role {
    case .clientConfiguration(let index): return session.configuration(of: index).octets
    case .supportedFeatures: return [session.features.rawValue]
    case .askedValue(let index):
      if let given = context.given(.read(index)), case .value(let value) = given.answer { return value }
      let value = application.currentValue(of: index, for: session.client, at: context.now) ?? []
      context.keep(.read(index), .value(value))
      return value
    default: return database.attributes[position].value
    }
  }
}
