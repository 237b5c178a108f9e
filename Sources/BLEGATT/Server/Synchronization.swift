import BLEATT
import BLECore

extension GATTServer {
  /// Checks a request of a client that is not change-aware (Core 5.4 Vol 3 Part G 2.5.2.1). Returns true if it answered with Database Out
  /// Of Sync, which happens once on each bearer. A request after a read of the Database Hash makes the client aware. With a single bearer,
  /// so does a request after Database Out Of Sync.
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

  /// Returns whether a request uses handles that the client must know. Discovery does not, nor does a read by type over the whole database,
  /// which is how the Database Hash is read.
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

  /// Processes a Handle Value Confirmation (Core 5.4 Vol 3 Part F 3.4.7.3). That of Service Changed makes a client with a single bearer
  /// change-aware, unless the database has changed again (Part G 2.5.2.1). The same applies to a client that cannot use the Database Hash
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

  /// Adds, removes or replaces a service (Core 5.4 Vol 3 Part G 2.5.2). Call `databaseChanged` for every client afterwards. `keeping` are
  /// the indices of characteristics that may have been removed but are still referred to.
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

  /// The number of changes stored for disconnected clients. A client that has missed more gets a Service Changed for the whole database.
  static var changeMemory: Int { 256 }

  /// Applies a change to a session: removed values are no longer sent, and the client becomes change-unaware. Reports subscriptions that
  /// end as events. Afterwards `nextIndication` returns the Service Changed indication if one is due.
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

  /// Indicates a change of this range even without a real one, like a server that misbehaves.
  public func reportChange(of affected: ClosedRange<UInt16>, to session: inout GATTSession) {
    report(affected, to: &session)
  }

  /// Schedules a Service Changed indication of a range of handles, if the client has subscribed to it.
  func report(_ affected: ClosedRange<UInt16>, to session: inout GATTSession) {
    guard takesServiceChanged(session) else { return }
    session.unreportedChange = session.unreportedChange.map { $0.joined(with: affected) } ?? affected
  }

  /// Returns a Service Changed indication (Core 5.4 Vol 3 Part G 7.1) of the handles not yet indicated. Only one is outstanding at a time.
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

  /// The handle of Service Changed, if any.
  var serviceChangedHandle: UInt16? { database.hostCharacteristic(.serviceChanged)?.value }
}

extension GATTSession {
  /// Restores the handles of an unconfirmed Service Changed indication that was lost with its bearer, so that they are indicated again.
  mutating func forgetReport() {
    guard let reported = reportedChange else { return }
    unreportedChange = unreportedChange.map { $0.joined(with: reported) } ?? reported
    reportedChange = nil
  }
}

/// A change of the database, stored for clients that were disconnected.
struct PastChange: Sendable {
  /// The fingerprint of the database before it.
  var fingerprintBefore: UInt64
  var affected: ClosedRange<UInt16>
}
