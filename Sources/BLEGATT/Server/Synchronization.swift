import BLEATT
import BLECore

extension GATTServer {
  /// Looks at a request of a client that does not know the database (Core 5.4 Vol 3 Part G 2.5.2.1). True when it was answered
  /// with Database Out Of Sync, once on each bearer. A request behind a read of the Database Hash shows that the client knows;
  /// that of a client with one bearer does so behind Database Out Of Sync too.
  func refuseOutOfSync(
    _ pdu: Span<UInt8>, on bearer: inout ServerBearer, from session: inout GATTSession, reply: inout OctetBuffer,
    effects: inout ServerEffects
  ) -> Bool {
    if session.awareness == .informed {
      session.awareness = .aware
      session.unreportedChange = nil
      return false
    }
    guard session.features.contains(.robustCaching), bearer.reportedChange != session.changeNumber,
      Self.needsSynchronization(pdu)
    else { return false }
    bearer.reportedChange = session.changeNumber
    if session.bearerCount == 1 { session.awareness = .informed }
    let opcode = ATTOpcode(rawValue: pdu[0])
    ErrorResponse(request: opcode, handle: 0, error: .databaseOutOfSync).encodePDU(into: &reply)
    if effects.reportsAccess { effects.events.append(.refused(opcode, handle: 0, .databaseOutOfSync)) }
    return true
  }

  /// Whether a request names handles that the client must know. Discovery does not, nor does a read by type over the whole
  /// database, which is how the Database Hash is read.
  private static func needsSynchronization(_ pdu: Span<UInt8>) -> Bool {
    switch ATTOpcode(rawValue: pdu[0]) {
    case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeRequest,
      .prepareWriteRequest:
      return true
    case .readByTypeRequest:
      guard let request = try? ReadByTypeRequest(decodingPDU: pdu) else { return false }
      let isDiscovery = request.type == .include || request.type == .characteristic
      return !isDiscovery && (request.start != 0x0001 || request.end != 0xFFFF)
    default: return false
    }
  }

  /// Takes a Handle Value Confirmation (Core 5.4 Vol 3 Part F 3.4.7.3). With that of Service Changed a client with one bearer knows
  /// the database, unless it has changed again meanwhile (Part G 2.5.2.1). So does one that cannot show it by the Database Hash,
  /// because there is none.
  func confirm(
    on bearer: inout ServerBearer, for session: inout GATTSession, at now: Instant, effects: inout ServerEffects
  ) {
    guard let confirmed = bearer.att.confirm() else { return }
    effects.events.append(.confirmed(confirmed))
    if confirmed == serviceChangedHandle, session.reportedChange != nil {
      session.reportedChange = nil
      if session.unreportedChange == nil, session.bearerCount == 1 || hashPosition == nil { session.awareness = .aware }
    }
    effects.nextIndication = nextIndication(on: &bearer, for: &session, at: now)
  }

  /// Adds, removes or replaces a service (Core 5.4 Vol 3 Part G 2.5.2). Every client must then be told by `databaseChanged`.
  /// `keeping` are the indices of characteristics that may be gone, but that somebody still speaks of.
  public mutating func apply(
    _ edit: ServiceEdit, keeping: Set<CharacteristicIndex> = []
  ) throws(AttributeDatabase.DefinitionError) -> DatabaseChange {
    let before = database.fingerprint
    var change = try database.apply(edit, keeping: keeping)
    if changes.count == Self.changeMemory { changes.removeFirst() }
    changes.append(PastChange(fingerprintBefore: before, affected: change.affected))
    change.hash = updateHash()
    return change
  }

  /// How many changes are remembered for clients that are away; one that has missed more hears of the whole database.
  static var changeMemory: Int { 256 }

  /// Makes a session follow a change: what was removed is not sent any longer, and the client does not know the database. The
  /// subscriptions that end are reported as events. `nextIndication` then gives the Service Changed indication, if one is due.
  public func databaseChanged(
    _ change: DatabaseChange, for session: inout GATTSession, events: inout [ServerEvent]
  ) {
    for index in change.removed where session.configure(index, []) {
      events.append(.subscriptionChanged(index, []))
    }
    for handle in change.removedHandles { session.withdrawIndication(of: handle) }
    session.preparedWrites.attributesRemoved(change.removedHandles)
    for bearer in session.executing.keys { session.executing[bearer]?.attributesRemoved(change.removedHandles) }
    session.awareness = .unaware
    report(change.affected, to: &session)
  }

  /// Indicates a change of that range although there may be none, as a server that misbehaves does.
  public func reportChange(of affected: ClosedRange<UInt16>, to session: inout GATTSession) {
    report(affected, to: &session)
  }

  /// Makes a range of handles known by Service Changed, to a client that has subscribed to it.
  func report(_ affected: ClosedRange<UInt16>, to session: inout GATTSession) {
    guard takesServiceChanged(session) else { return }
    session.unreportedChange = session.unreportedChange.map { $0.joined(with: affected) } ?? affected
  }

  /// A Service Changed indication (Core 5.4 Vol 3 Part G 7.1) of what the client has not heard of. One is on its way at a time.
  func serviceChanged(for session: inout GATTSession) -> HandleValueIndication? {
    guard session.reportedChange == nil, let affected = session.unreportedChange, takesServiceChanged(session),
      let handle = serviceChangedHandle
    else { return nil }
    session.unreportedChange = nil
    session.reportedChange = affected
    let value = affected.lowerBound.littleEndianOctets + affected.upperBound.littleEndianOctets
    return HandleValueIndication(handle: handle, value: value)
  }

  private func takesServiceChanged(_ session: GATTSession) -> Bool {
    guard let record = database.hostCharacteristic(.serviceChanged) else { return false }
    return session.configuration(of: record.index).contains(.indication)
  }

  /// The handle of Service Changed, where there is one.
  var serviceChangedHandle: UInt16? { database.hostCharacteristic(.serviceChanged)?.value }
}

extension GATTSession {
  /// The unconfirmed Service Changed indication has been lost with its bearer: what it named is to be told again.
  mutating func forgetReport() {
    guard let reported = reportedChange else { return }
    unreportedChange = unreportedChange.map { $0.joined(with: reported) } ?? reported
    reportedChange = nil
  }
}

/// A change of the database, as clients that were away are told of it.
struct PastChange: Sendable {
  /// What the database was before it.
  var fingerprintBefore: UInt64
  var affected: ClosedRange<UInt16>
}
