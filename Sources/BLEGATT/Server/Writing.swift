import BLEATT
import BLECore

extension GATTServer {
  /// Processes a Write Request (Core 5.4 Vol 3 Part F 3.4.5.1).
  mutating func writeOne<Application: AttributeApplication>(
    _ context: inout RequestContext, _ parameters: Span<UInt8>, session: inout GATTSession,
    application: inout Application, effects: inout ServerEffects
  ) throws(Interruption) {
    let request: WriteRequest = try decode(parameters)
    let position = try position(request.handle, in: context)
    try allow(.write, at: position, session, &application, &context)
    try write(
      request.value, at: position, session: &session, application: &application, context: &context, effects: &effects)
  }

  /// The maximum number of commands that wait for answers of the application.
  static var openCommandLimit: Int { 64 }

  /// Processes a Write Command (Core 5.4 Vol 3 Part F 3.4.5.3) or Signed Write Command (3.4.5.4), which get no response even if they are
  /// invalid. Ignores a Signed Write Command unless its signature is known to be valid (`receiveSigned`).
  mutating func writeCommand<Application: AttributeApplication>(
    _ context: inout RequestContext, _ pdu: Span<UInt8>, on bearer: inout ServerBearer,
    session: inout GATTSession, application: inout Application, effects: inout ServerEffects
  ) {
    guard context.opcode == .writeCommand || context.isSigned else { return passOver(context.opcode, pdu, &effects) }
    let unsigned = context.isSigned ? pdu.extracting(..<(pdu.count - SignedWriteCommand.signatureLength)) : pdu
    do throws(Interruption) {
      let command: WriteCommand = try decode(unsigned.extracting(1...))
      let position = try position(command.handle, in: context)
      try allowCommand(at: position, session, &application, &context)
      try write(
        command.value, at: position, session: &session, application: &application, context: &context, effects: &effects)
    } catch {
      switch error {
      case .refusal(let refusal):
        if effects.reportsAccess {
          effects.events.append(.refused(context.opcode, handle: refusal.handle, refusal.error))
        }
      case .awaiting(let ticket, let question, let handle):
        guard bearer.questions.count < Self.openCommandLimit else {
          return application.cancelled(ticket, because: .notAwaited)
        }
        bearer.questions.append(
          OpenQuestion(
            ticket: ticket, question: question, pdu: pdu.withUnsafeBytes { Array($0) }, answers: context.answers,
            isSigned: context.isSigned))
        effects.events.append(.awaiting(ticket, context.opcode, handle: handle))
      }
    }
  }

  /// Processes a Signed Write Command with a valid signature on the bearer of the fixed channel (Core 5.4 Vol 3 Part F 3.4.5.4).
  public mutating func receiveSigned<Application: AttributeApplication>(
    _ pdu: Span<UInt8>, on bearer: inout ServerBearer, from session: inout GATTSession,
    application: inout Application, at now: Instant, effects: inout ServerEffects
  ) {
    guard !bearer.att.hasTimedOut, !bearer.att.isOnDynamicChannel, !session.isOutOfSync,
      pdu.count >= 3 + SignedWriteCommand.signatureLength, pdu[0] == ATTOpcode.signedWriteCommand.rawValue
    else { return }
    var context = RequestContext(
      opcode: .signedWriteCommand, now: now, limit: bearer.att.mtu, transport: session.transport)
    context.isSigned = true
    writeCommand(&context, pdu, on: &bearer, session: &session, application: &application, effects: &effects)
  }

  /// Reports a Signed Write Command whose signature is invalid or cannot be checked.
  private func passOver(_ opcode: ATTOpcode, _ pdu: Span<UInt8>, _ effects: inout ServerEffects) {
    guard opcode == .signedWriteCommand, effects.reportsAccess,
      let command = try? SignedWriteCommand(decodingPDU: pdu), command.value != nil
    else { return }
    effects.events.append(.refused(opcode, handle: command.handle, .insufficientAuthentication))
  }

  /// Refuses a value whose length the attribute does not allow (Core 5.4 Vol 3 Part F 3.4.5.1).
  private func checkLength(_ length: Int, at position: Int) throws(Interruption) {
    let maximum = database.attributes[position].maximumLength
    guard database.attributes[position].hasFixedLength ? length == maximum : length <= maximum else {
      throw .refused(.invalidAttributeValueLength, at: database.attributes[position].handle)
    }
  }

  /// Replaces an attribute's value if the application accepts it.
  mutating func write<Application: AttributeApplication>(
    _ value: [UInt8], at position: Int, session: inout GATTSession, application: inout Application,
    context: inout RequestContext, effects: inout ServerEffects
  ) throws(Interruption) {
    try checkLength(value.count, at: position)
    let handle = database.attributes[position].handle
    switch database.attributes[position].role {
    case .clientConfiguration(let index):
      try configure(index, value, of: &session, at: handle, effects: &effects)
    case .serverConfiguration(let index): try configureServer(index, value, at: position, effects: &effects)
    case .supportedFeatures: try setFeatures(value, of: &session, at: handle, effects: &effects)
    case .storedValue(let index):
      try judge(value, index, handle, session, &application, &context, &effects)
      database.store(value, at: position)
      if effects.reportsAccess { effects.events.append(.written(index, value)) }
    case .askedValue(let index):
      try judge(value, index, handle, session, &application, &context, &effects)
      if effects.reportsAccess { effects.events.append(.written(index, value)) }
    default: database.store(value, at: position)
    }
  }

  /// Lets the application decide on a value of one of its characteristics.
  private func judge<Application: AttributeApplication>(
    _ value: [UInt8], _ index: CharacteristicIndex, _ handle: UInt16, _ session: GATTSession,
    _ application: inout Application, _ context: inout RequestContext, _ effects: inout ServerEffects
  ) throws(Interruption) {
    guard database.records[index.position].belongsToApplication else { return }
    if let given = context.given(.write(index, step: context.step)) {
      if case .error(let error) = given.answer { throw .refused(error, at: handle) }
      effects.actions.append(contentsOf: given.actions)
      return
    }
    let answer = application.write(value, to: index, for: session.client, at: context.now)
    if let ticket = answer.ticket { throw .awaiting(ticket, .write(index, step: context.step), handle: handle) }
    if let error = answer.error { throw .refused(error, at: handle) }
    context.keep(.write(index, step: context.step), .accepted, answer.actions)
    if !answer.actions.isEmpty { effects.actions.append(contentsOf: answer.actions) }
  }

  /// Writes a Client Characteristic Configuration (Core 5.4 Vol 3 Part G 3.3.3.3). Only bits that the characteristic supports are accepted.
  private func configure(
    _ index: CharacteristicIndex, _ value: [UInt8], of session: inout GATTSession, at handle: UInt16,
    effects: inout ServerEffects
  ) throws(Interruption) {
    let configuration = ClientConfiguration(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
    let properties = database[index].definition.properties
    var possible: ClientConfiguration = []
    if properties.contains(.notify) { possible.insert(.notification) }
    if properties.contains(.indicate) { possible.insert(.indication) }
    guard configuration.isSubset(of: possible) else { throw .refused(.valueNotAllowed, at: handle) }
    if !configuration.contains(.indication) {
      session.withdrawIndication(of: database[index].value)
      if database[index].value == serviceChangedHandle { session.unreportedChange = nil }
    }
    session.noteWritten(index)
    if session.configure(index, configuration) {
      effects.events.append(.subscriptionChanged(index, configuration))
    }
  }

  /// Writes a Server Characteristic Configuration (Core 5.4 Vol 3 Part G 3.3.3.4). Bit 0 is the broadcast; the others are reserved.
  private mutating func configureServer(
    _ index: CharacteristicIndex, _ value: [UInt8], at position: Int, effects: inout ServerEffects
  ) throws(Interruption) {
    guard value[0] <= 1, value[1] == 0 else {
      throw .refused(.valueNotAllowed, at: database.attributes[position].handle)
    }
    guard database.attributes[position].value != value else { return }
    database.store(value, at: position)
    effects.events.append(.broadcastChanged(index, isOn: value[0] == 1))
  }

  /// Writes Client Supported Features (Core 5.4 Vol 3 Part G 7.2). Bits that were set must stay set.
  private func setFeatures(
    _ value: [UInt8], of session: inout GATTSession, at handle: UInt16, effects: inout ServerEffects
  ) throws(Interruption) {
    guard let first = value.first else { throw .refused(.invalidAttributeValueLength, at: handle) }
    let features = ClientFeatures(rawValue: first).intersection(.assigned)
    guard session.features.isSubset(of: features) else { throw .refused(.valueNotAllowed, at: handle) }
    guard session.features != features else { return }
    session.features = features
    effects.events.append(.featuresChanged(features))
  }
}
