import BLEATT
import BLECore

extension GATTServer {
  /// Answers a Prepare Write Request (Core 5.4 Vol 3 Part F 3.4.6.1) with an echo. Permission to write is checked now, offset and length
  /// when the queue is executed.
  func prepareWrite<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: inout GATTSession,
    application: inout Application, reply: inout OctetBuffer
  ) throws(Interruption) {
    let request: PrepareWriteRequest = try decode(parameters)
    // A request longer than the MTU is the client's error, and its echo would be one of the server's.
    guard parameters.count < context.limit else { throw .refused(.invalidPDU, at: 0) }
    let position = try position(request.handle, in: context)
    try allow(.write, at: position, session, &application, &context)
    guard session.preparedWrites.append(request) else { throw .refused(.prepareQueueFull, at: request.handle) }
    PrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value)
      .encodePDU(into: &reply)
  }

  /// Executes an Execute Write Request (Core 5.4 Vol 3 Part F 3.4.6.3): all parts in order, or none. Consecutive parts of one attribute are
  /// a single write, whose value ends at the furthest end of any part. The queue is empty afterwards in any case.
  ///
  /// If the application decides on a value later, nothing is written before that. It has then seen the values before that one, and sees no
  /// value twice. The parts belong to the request from its arrival, so the response is correct whatever the client does on other bearers.
  mutating func executeWrite<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: inout GATTSession,
    application: inout Application, effects: inout ServerEffects
  ) throws(Interruption) {
    let request: ExecuteWriteRequest = try decode(parameters)
    guard request.flags <= 1 else { throw .refused(.invalidPDU, at: 0) }
    var queue = session.takeQueue(for: context.bearer)
    let queueBefore = queue
    let stale = queue.staleHandle
    let parts = queue.removeAll()
    guard request.flags == 1 else { return }
    if let stale { throw .refused(.databaseOutOfSync, at: stale) }
    let sessionBefore = session
    let applicationBefore = application
    let effectsBefore = effects
    // Values change one by one, and are restored if one is refused.
    var replaced: [(position: Int, value: [UInt8])] = []
    do throws(Interruption) {
      let writes = try preparedWrites(parts, session: session, application: &application, context: &context)
      for (step, write) in writes.enumerated() {
        context.step = step
        let value = try value(of: write, session: session, application: &application, context: &context)
        replaced.append((write.position, database.attributes[write.position].value))
        try self.write(
          value, at: write.position, session: &session, application: &application, context: &context,
          effects: &effects)
      }
    } catch {
      for (position, value) in replaced.reversed() { database.store(value, at: position) }
      effects = effectsBefore
      session = sessionBefore
      if case .awaiting = error {
        session.executing[context.bearer] = queueBefore
      } else {
        application = applicationBefore
      }
      throw error
    }
  }

  /// Consecutive parts of one attribute.
  private struct PreparedWrite {
    var position: Int
    var parts: [PrepareWriteRequest]
  }

  /// Returns the writes formed by the parts, in order, after all checks that are possible before any is performed.
  private func preparedWrites<Application: AttributeApplication>(
    _ parts: [PrepareWriteRequest], session: GATTSession, application: inout Application,
    context: inout RequestContext
  ) throws(Interruption) -> [PreparedWrite] {
    var writes: [PreparedWrite] = []
    for part in parts {
      let position = try position(part.handle, in: context)
      try allow(.write, at: position, session, &application, &context)
      if writes.last?.position == position {
        writes[writes.count - 1].parts.append(part)
      } else {
        writes.append(PreparedWrite(position: position, parts: [part]))
      }
    }
    return writes
  }

  /// Returns the value that results from applying the parts of a write to the current one.
  private func value<Application: AttributeApplication>(
    of write: PreparedWrite, session: GATTSession, application: inout Application, context: inout RequestContext
  ) throws(Interruption) -> [UInt8] {
    let attribute = database.attributes[write.position]
    var value = base(at: write.position, session: session, application: &application, context: &context)
    var furthest = 0
    for part in write.parts {
      let offset = Int(part.offset)
      guard offset <= value.count else { throw .refused(.invalidOffset, at: part.handle) }
      let end = offset + part.value.count
      guard end <= attribute.maximumLength else { throw .refused(.invalidAttributeValueLength, at: part.handle) }
      value.replaceSubrange(offset..<min(end, value.count), with: part.value)
      furthest = max(furthest, end)
    }
    return attribute.hasFixedLength ? value : Array(value.prefix(furthest))
  }

  /// Returns an attribute's value as the basis of a write, whether or not it may be read.
  private func base<Application: AttributeApplication>(
    at position: Int, session: GATTSession, application: inout Application, context: inout RequestContext
  ) -> [UInt8] {
    switch database.attributes[position].role {
    case .clientConfiguration(let index): return session.configuration(of: index).octets
    case .supportedFeatures: return [session.features.rawValue]
    case .askedValue(let index):
      let question = ApplicationQuestion.base(index, step: context.step)
      if let given = context.given(question), case .value(let value) = given.answer { return value }
      let value = application.currentValue(of: index, for: session.client, at: context.now) ?? []
      context.keep(question, .value(value))
      return value
    default: return database.attributes[position].value
    }
  }
}

extension GATTSession {
  /// Removes and returns the parts that an Execute Write Request on this bearer applies to: those it has already taken, or all that wait.
  fileprivate mutating func takeQueue(for bearer: BearerID) -> PreparedWriteQueue {
    if let queue = executing.removeValue(forKey: bearer) { return queue }
    defer { preparedWrites = PreparedWriteQueue() }
    return preparedWrites
  }
}
