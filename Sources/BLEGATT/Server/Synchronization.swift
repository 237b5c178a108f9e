import BLEATT
import BLECore

extension GATTServer {
  /// Looks at a request of a client that does not know the database (Core 5.4 Vol 3 Part G 2.5.2.1). True when it was answered
  /// with Database Out Of Sync, once; any request behind that, or behind a read of the Database Hash, shows that the client knows.
  func refuseOutOfSync(
    _ pdu: Span<UInt8>, from client: inout GATTClientState, reply: inout OctetBuffer, effects: inout ServerEffects
  ) -> Bool {
    if client.awareness == .told {
      client.awareness = .aware
      client.unreportedChange = nil
      return false
    }
    guard client.features.contains(.robustCaching), Self.needsSynchronization(pdu) else { return false }
    client.awareness = .told
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

  /// Takes a Handle Value Confirmation (Core 5.4 Vol 3 Part F 3.4.7.3). With that of Service Changed the client knows the
  /// database, unless it has changed again meanwhile.
  func confirm(_ client: inout GATTClientState, at now: Instant, effects: inout ServerEffects) {
    let (confirmed, next) = client.bearer.confirm(at: now)
    effects.nextIndication = next
    guard let confirmed else { return }
    effects.events.append(.confirmed(confirmed))
    guard confirmed == database.hostCharacteristic(.serviceChanged)?.value, client.reportedChange != nil else { return }
    client.reportedChange = nil
    if client.unreportedChange == nil { client.awareness = .aware }
    if let indication = serviceChanged(for: &client, at: now) { effects.nextIndication = indication }
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

  /// Makes a client's state follow a change: what was removed is not sent any longer, and the client does not know the database.
  /// Returns the Service Changed indication, if one may be sent now. The subscriptions that end are reported as events.
  public func databaseChanged(
    _ change: DatabaseChange, client: inout GATTClientState, at now: Instant, events: inout [ServerEvent]
  ) -> HandleValueIndication? {
    for index in change.removed where client.configure(index, []) {
      events.append(.subscriptionChanged(index, []))
    }
    for handle in change.removedHandles { client.bearer.withdrawIndications(of: handle) }
    client.preparedWrites.attributesRemoved(change.removedHandles)
    client.awareness = .unaware
    return report(change.affected, to: &client, at: now)
  }

  /// Makes a range of handles known by Service Changed, to a client that has subscribed to it.
  func report(
    _ affected: ClosedRange<UInt16>, to client: inout GATTClientState, at now: Instant
  ) -> HandleValueIndication? {
    guard let record = database.hostCharacteristic(.serviceChanged),
      client.configuration(of: record.index).contains(.indication)
    else { return nil }
    client.unreportedChange = client.unreportedChange.map { $0.joined(with: affected) } ?? affected
    return serviceChanged(for: &client, at: now)
  }

  /// A Service Changed indication (Core 5.4 Vol 3 Part G 7.1) of what the client has not heard of, if it may be sent now. One
  /// is on its way at a time.
  public func serviceChanged(for client: inout GATTClientState, at now: Instant) -> HandleValueIndication? {
    guard client.reportedChange == nil, let affected = client.unreportedChange,
      let record = database.hostCharacteristic(.serviceChanged)
    else { return nil }
    client.unreportedChange = nil
    client.reportedChange = affected
    let value = affected.lowerBound.littleEndianOctets + affected.upperBound.littleEndianOctets
    return client.bearer.submit(HandleValueIndication(handle: record.value, value: value), at: now)
  }
}

/// A change of the database, as clients that were away are told of it.
struct PastChange: Sendable {
  /// What the database was before it.
  var fingerprintBefore: UInt64
  var affected: ClosedRange<UInt16>
}
