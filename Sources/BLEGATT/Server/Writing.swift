import BLEATT
import BLECore

extension GATTServer {
  /// Write Request (Core 5.4 Vol 3 Part F 3.4.5.1).
  mutating func writeOne<Application: AttributeApplication>(
    _ turn: ServerTurn, _ parameters: Span<UInt8>, client: inout GATTClientState, application: inout Application,
    effects: inout ServerEffects
  ) throws(ATTRefusal) {
    let request: WriteRequest = try decode(parameters)
    let position = try writablePosition(request.handle, client)
    try write(
      request.value, at: position, client: &client, application: &application, now: turn.now, effects: &effects)
  }

  /// Write Command (Core 5.4 Vol 3 Part F 3.4.5.3): whatever is wrong with it, nothing is answered. A Signed Write Command is
  /// passed over, because no peer has given a signing key.
  mutating func writeCommand<Application: AttributeApplication>(
    _ opcode: ATTOpcode, _ parameters: Span<UInt8>, client: inout GATTClientState,
    application: inout Application, at now: Instant, effects: inout ServerEffects
  ) {
    guard opcode == .writeCommand else { return }
    do throws(ATTRefusal) {
      let command: WriteCommand = try decode(parameters)
      let position = try writablePosition(command.handle, client)
      try write(command.value, at: position, client: &client, application: &application, now: now, effects: &effects)
    } catch {
      if effects.reportsAccess { effects.events.append(.refused(opcode, handle: error.handle, error.error)) }
    }
  }

  /// The position of an attribute that the client may write.
  func writablePosition(_ handle: UInt16, _ client: GATTClientState) throws(ATTRefusal) -> Int {
    let position = try position(handle)
    if let refusal = database.attributes[position].permissions.refusal(of: .write, on: client.security) {
      throw ATTRefusal(refusal, at: handle)
    }
    return position
  }

  /// Refuses a value that the attribute cannot hold (Core 5.4 Vol 3 Part F 3.4.5.1).
  private func checkLength(_ length: Int, of attribute: Attribute) throws(ATTRefusal) {
    guard attribute.hasFixedLength ? length == attribute.maximumLength : length <= attribute.maximumLength else {
      throw ATTRefusal(.invalidAttributeValueLength, at: attribute.handle)
    }
  }

  /// Replaces an attribute's value once its application agrees.
  private mutating func write<Application: AttributeApplication>(
    _ value: [UInt8], at position: Int, client: inout GATTClientState, application: inout Application,
    now: Instant, effects: inout ServerEffects
  ) throws(ATTRefusal) {
    let attribute = database.attributes[position]
    try checkLength(value.count, of: attribute)
    switch attribute.role {
    case .clientConfiguration(let index):
      try configure(index, value, of: &client, at: attribute.handle, effects: &effects)
    case .storedValue(let index), .askedValue(let index):
      if database[index].belongsToApplication {
        let answer = application.write(value, to: index, for: client.connection, at: now)
        if let error = answer.error { throw ATTRefusal(error, at: attribute.handle) }
        effects.actions.append(contentsOf: answer.actions)
      }
      if case .storedValue = attribute.role { database.store(value, at: position) }
      if effects.reportsAccess { effects.events.append(.written(index, value)) }
    default: database.store(value, at: position)
    }
  }

  /// Writes a Client Characteristic Configuration (Core 5.4 Vol 3 Part G 3.3.3.3): only what the characteristic can do.
  private func configure(
    _ index: CharacteristicIndex, _ value: [UInt8], of client: inout GATTClientState, at handle: UInt16,
    effects: inout ServerEffects
  ) throws(ATTRefusal) {
    let configuration = ClientConfiguration(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
    let properties = database[index].definition.properties
    var possible: ClientConfiguration = []
    if properties.contains(.notify) { possible.insert(.notification) }
    if properties.contains(.indicate) { possible.insert(.indication) }
    guard configuration.isSubset(of: possible) else { throw ATTRefusal(.valueNotAllowed, at: handle) }
    if !configuration.contains(.indication) { client.bearer.withdrawIndications(of: database[index].value) }
    if client.configure(index, configuration) {
      effects.events.append(.subscriptionChanged(index, configuration))
    }
  }

  /// Prepare Write Request (Core 5.4 Vol 3 Part F 3.4.6.1): the right to write is checked now, offset and length when the
  /// queue is executed. The answer is the request again.
  func prepareWrite(
    _ parameters: Span<UInt8>, client: inout GATTClientState, reply: inout OctetBuffer
  ) throws(ATTRefusal) {
    let request: PrepareWriteRequest = try decode(parameters)
    // A request above the MTU is the client's mistake, and its answer would be one of ours.
    guard parameters.count < client.bearer.mtu else { throw ATTRefusal(.invalidPDU, at: 0) }
    _ = try writablePosition(request.handle, client)
    guard client.bearer.preparedWrites.append(request) else {
      throw ATTRefusal(.prepareQueueFull, at: request.handle)
    }
    PrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value)
      .encodePDU(into: &reply)
  }

  /// Execute Write Request (Core 5.4 Vol 3 Part F 3.4.6.3): all parts in order, or none. A value ends where the part that
  /// reaches furthest ends. The queue is empty afterwards in any case.
  mutating func executeWrite<Application: AttributeApplication>(
    _ turn: ServerTurn, _ parameters: Span<UInt8>, client: inout GATTClientState, application: inout Application,
    effects: inout ServerEffects
  ) throws(ATTRefusal) {
    let request: ExecuteWriteRequest = try decode(parameters)
    guard request.flags <= 1 else { throw ATTRefusal(.invalidPDU, at: 0) }
    let parts = client.bearer.preparedWrites.removeAll()
    guard request.flags == 1 else { return }
    let values = try assemble(parts, client: client, application: &application, now: turn.now)
    // Everything happens on copies first, so that a refusal in the middle leaves no trace.
    let server = self
    let applicationBefore = application
    let clientBefore = client
    let effectsBefore = effects
    do throws(ATTRefusal) {
      for (position, value) in values {
        try write(value, at: position, client: &client, application: &application, now: turn.now, effects: &effects)
      }
    } catch {
      self = server
      application = applicationBefore
      client = clientBefore
      effects = effectsBefore
      throw error
    }
  }

  /// The values that prepared parts add up to, one per attribute, in the order of each attribute's first part.
  private func assemble<Application: AttributeApplication>(
    _ parts: [PrepareWriteRequest], client: GATTClientState, application: inout Application, now: Instant
  ) throws(ATTRefusal) -> [(position: Int, value: [UInt8])] {
    var values: [(position: Int, value: [UInt8], end: Int)] = []
    for part in parts {
      let position = try writablePosition(part.handle, client)
      let attribute = database.attributes[position]
      let entry: Int
      if let known = values.firstIndex(where: { $0.position == position }) {
        entry = known
      } else {
        entry = values.count
        values.append((position, currentValue(at: position, client: client, application: &application, now: now), 0))
      }
      let offset = Int(part.offset)
      guard offset <= values[entry].value.count else { throw ATTRefusal(.invalidOffset, at: part.handle) }
      let end = offset + part.value.count
      guard end <= attribute.maximumLength else { throw ATTRefusal(.invalidAttributeValueLength, at: part.handle) }
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
    at position: Int, client: GATTClientState, application: inout Application, now: Instant
  ) -> [UInt8] {
    let attribute = database.attributes[position]
    switch attribute.role {
    case .clientConfiguration(let index): return client.configuration(of: index).octets
    case .askedValue(let index):
      guard case .value(let value) = application.read(index, for: client.connection, at: now) else { return [] }
      return value
    default: return attribute.value
    }
  }
}
