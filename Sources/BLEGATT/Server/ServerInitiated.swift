import BLEATT
import BLECore

/// Values that the server sends unrequested (Core 5.4 Vol 3 Part G 4.10, 4.11), and values read and set on this side. Nothing is sent on a
/// bearer that has timed out.
///
/// The server, bearers and sessions are `inout` even where they are only read. Swift copies a large value that is only read, with a retain
/// for each of its arrays, and these functions run for every notification.
extension GATTServer {
  /// Returns the current value to send to a subscriber; nil if the application provides none, or no longer allows this client to receive
  /// it.
  public mutating func valueToSend<Application: AttributeApplication>(
    of index: CharacteristicIndex, to session: inout GATTSession, application: inout Application, at now: Instant
  ) -> [UInt8]? {
    guard maySend(index, to: &session), application.maySend(index, to: session.client),
      let position = database.valuePosition(of: index)
    else { return nil }
    if case .storedValue = database.attributes[position].role { return database.attributes[position].value }
    return application.currentValue(of: index, for: session.client, at: now)
  }

  /// Returns the value of a characteristic for inspection on this side, without the side effects of a read; nil if it has none.
  public func presentValue<Application: AttributeApplication>(
    of index: CharacteristicIndex, application: Application, at now: Instant
  ) -> [UInt8]? {
    if let stored = database.storedValue(of: index) { return stored }
    return database.valuePosition(of: index) == nil ? nil : application.presentValue(of: index, at: now)
  }

  /// Replaces the value that the database stores for a characteristic, truncated to its maximum length. Has no effect if the application
  /// provides the value.
  public mutating func store(_ value: [UInt8], of index: CharacteristicIndex) {
    guard let position = database.valuePosition(of: index), case .storedValue = database.attributes[position].role
    else { return }
    database.store(Array(value.prefix(database.attributes[position].maximumLength)), at: position)
  }

  /// Appends a Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.1), truncated to the bearer's MTU. Returns false, and appends
  /// nothing, if it must not be sent.
  @discardableResult
  public mutating func notification(
    of index: CharacteristicIndex, value: [UInt8], on bearer: inout ServerBearer, to session: inout GATTSession,
    into buffer: inout OctetBuffer
  ) -> Bool {
    guard let handle = valueHandle(of: index), maySend(index, to: &session), !session.isOutOfSync,
      !bearer.att.hasTimedOut
    else { return false }
    HandleValueNotification.write(value, of: handle, limit: bearer.att.mtu, into: &buffer)
    return true
  }

  /// Appends a Multiple Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.4) with as many values as fit completely, starting with the
  /// first. Returns their number. Appends nothing and returns 0 if the client does not support it, fewer than two values fit, or one of
  /// them must not be sent.
  public mutating func multipleNotification(
    of values: ArraySlice<(index: CharacteristicIndex, value: [UInt8])>, on bearer: inout ServerBearer,
    to session: inout GATTSession, into buffer: inout OctetBuffer
  ) -> Int {
    guard session.features.contains(.multipleNotifications), !session.isOutOfSync, !bearer.att.hasTimedOut else {
      return 0
    }
    var room = bearer.att.mtu - 1
    let fitting = values.prefix { entry in
      room -= MultipleHandleValueNotification.tupleHeadLength + entry.value.count
      return room >= 0 && valueHandle(of: entry.index) != nil && maySend(entry.index, to: &session)
    }
    guard fitting.count >= 2 else { return 0 }
    MultipleHandleValueNotification.begin(into: &buffer)
    for entry in fitting {
      guard let handle = valueHandle(of: entry.index) else { continue }
      MultipleHandleValueNotification.appendTuple(handle, entry.value, into: &buffer)
    }
    return fitting.count
  }

  /// Queues a Handle Value Indication (Core 5.4 Vol 3 Part F 3.4.7.2). Returns the indication that may be sent on the bearer now, which is
  /// this one if nothing is ahead of it.
  public func indication(
    of index: CharacteristicIndex, value: [UInt8], on bearer: inout ServerBearer, to session: inout GATTSession,
    at now: Instant
  ) -> HandleValueIndication? {
    guard let handle = valueHandle(of: index), maySend(index, to: &session) else { return nil }
    session.wait(HandleValueIndication(handle: handle, value: value))
    return nextIndication(on: &bearer, for: &session, at: now)
  }

  /// Returns the next indication that may be sent on a bearer, truncated to its MTU; nil if one is unconfirmed there or none waits. Service
  /// Changed comes first, and nothing else is sent while the client is not change-aware (Core 5.4 Vol 3 Part G 2.5.2.1).
  public func nextIndication(
    on bearer: inout ServerBearer, for session: inout GATTSession, at now: Instant
  ) -> HandleValueIndication? {
    guard bearer.att.canIndicate else { return nil }
    var next = serviceChanged(for: &session)
    if next == nil, !session.isOutOfSync { next = session.nextIndication() }
    guard var indication = next else { return nil }
    indication.value = Array(indication.value.prefix(bearer.att.mtu - 3))
    bearer.att.beginIndication(of: indication.handle, at: now)
    return indication
  }

  /// Returns whether the server may send the value of a characteristic unrequested: the client's transport has it, and the access policy
  /// allows it.
  private func maySend(_ index: CharacteristicIndex, to session: inout GATTSession) -> Bool {
    guard database.records.indices.contains(index.position),
      database.records[index.position].sending.allows(session.security)
    else { return false }
    return !database.isHidden(index, over: session.transport)
  }

  /// Returns the handle of a characteristic's value; nil if it has been removed.
  private func valueHandle(of index: CharacteristicIndex) -> UInt16? {
    database.valuePosition(of: index).map { database.attributes[$0].handle }
  }
}
