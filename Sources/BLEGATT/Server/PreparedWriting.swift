import BLEATT
import BLECore

extension GATTServer {
  /// Prepare Write Request (Core 5.4 Vol 3 Part F 3.4.6.1): the right to write is checked now, offset and length when the
  /// queue is executed. The answer is the request again.
  func prepareWrite<Application: AttributeApplication>(
    _ turn: inout ServerTurn, _ parameters: Span<UInt8>, client: inout GATTClientState,
    application: inout Application, reply: inout OctetBuffer
  ) throws(TurnEnd) {
    let request: PrepareWriteRequest = try decode(parameters)
    // A request above the MTU is the client's mistake, and its answer would be one of ours.
    guard parameters.count < client.bearer.mtu else { throw .refused(.invalidPDU, at: 0) }
    let position = try position(request.handle)
    try allow(.write, at: position, client, &application, &turn)
    guard client.preparedWrites.append(request) else { throw .refused(.prepareQueueFull, at: request.handle) }
    PrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value)
      .encodePDU(into: &reply)
  }

  /// Execute Write Request (Core 5.4 Vol 3 Part F 3.4.6.3): all parts in order, or none. A value ends where the part that
  /// reaches furthest ends. The queue is empty afterwards in any case.
  ///
  /// When the application judges one of the values later, nothing is written before it has; it has then seen the values before
  /// that one, and sees no value twice.
  mutating func executeWrite<Application: AttributeApplication>(
    _ turn: inout ServerTurn, _ parameters: Span<UInt8>, client: inout GATTClientState,
    application: inout Application, effects: inout ServerEffects
  ) throws(TurnEnd) {
    let request: ExecuteWriteRequest = try decode(parameters)
    guard request.flags <= 1 else { throw .refused(.invalidPDU, at: 0) }
    let clientWithQueue = client
    let stale = client.preparedWrites.staleHandle
    let parts = client.preparedWrites.removeAll()
    guard request.flags == 1 else { return }
    if let stale { throw .refused(.databaseOutOfSync, at: stale) }
    let clientBefore = client
    let applicationBefore = application
    let effectsBefore = effects
    // Values change one by one, and are put back if one is refused.
    var replaced: [(position: Int, value: [UInt8])] = []
    do throws(TurnEnd) {
      let values = try assemble(parts, client: client, application: &application, turn: &turn)
      for (position, value) in values {
        replaced.append((position, database.attributes[position].value))
        try write(
          value, at: position, client: &client, application: &application, turn: &turn, effects: &effects)
      }
    } catch {
      for (position, value) in replaced.reversed() { database.store(value, at: position) }
      effects = effectsBefore
      if case .awaiting = error {
        client = clientWithQueue
      } else {
        client = clientBefore
        application = applicationBefore
      }
      throw error
    }
  }

  /// The values that prepared parts add up to, one per attribute, in the order of each attribute's first part.
  private func assemble<Application: AttributeApplication>(
    _ parts: [PrepareWriteRequest], client: GATTClientState, application: inout Application, turn: inout ServerTurn
  ) throws(TurnEnd) -> [(position: Int, value: [UInt8])] {
    var values: [(position: Int, value: [UInt8], end: Int)] = []
    for part in parts {
      let position = try position(part.handle)
      try allow(.write, at: position, client, &application, &turn)
      let entry: Int
      if let known = values.firstIndex(where: { $0.position == position }) {
        entry = known
      } else {
        entry = values.count
        values.append(
          (position, currentValue(at: position, client: client, application: &application, turn: &turn), 0))
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
    at position: Int, client: GATTClientState, application: inout Application, turn: inout ServerTurn
  ) -> [UInt8] {
    switch database.attributes[position].role {
    case .clientConfiguration(let index): return client.configuration(of: index).octets
    case .supportedFeatures: return [client.features.rawValue]
    case .askedValue(let index):
      if let given = turn.given(.read(index)), case .value(let value) = given.answer { return value }
      let value = application.currentValue(of: index, for: client.connection, at: turn.now) ?? []
      turn.keep(.read(index), .value(value))
      return value
    default: return database.attributes[position].value
    }
  }
}
