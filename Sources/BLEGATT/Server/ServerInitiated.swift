import BLEATT
import BLECore

/// What the server sends by itself (Core 5.4 Vol 3 Part G 4.10, 4.11), and the values that this side has and sets. Nothing goes over
/// a bearer that has timed out.
///
/// The server, bearers and sessions are handed on `inout` also where they are only read: a large value that is only read is copied,
/// with a retain for each of its arrays, and these are asked for every notification.
extension GATTServer {
  /// What the server sends a subscriber by itself: the value as it is now; nil when the application gives none, or not to this
  /// client any longer.
  public mutating func valueToSend<Application: AttributeApplication>(
    of index: CharacteristicIndex, to session: inout GATTSession, application: inout Application, at now: Instant
  ) -> [UInt8]? {
    guard maySend(index, on: session.security), application.maySend(index, to: session.client),
      let position = database.valuePosition(of: index)
    else { return nil }
    if case .storedValue = database.attributes[position].role { return database.attributes[position].value }
    return application.currentValue(of: index, for: session.client, at: now)
  }

  /// The value of a characteristic for whoever looks at this side, without any of the consequences of a read; nil when it has none.
  public func presentValue<Application: AttributeApplication>(
    of index: CharacteristicIndex, application: Application, at now: Instant
  ) -> [UInt8]? {
    if let stored = database.storedValue(of: index) { return stored }
    return database.valuePosition(of: index) == nil ? nil : application.presentValue(of: index, at: now)
  }

  /// Replaces the value that the database keeps for a characteristic, cut at its maximum length; without effect when the
  /// application is asked for it.
  public mutating func store(_ value: [UInt8], of index: CharacteristicIndex) {
    guard let position = database.valuePosition(of: index), case .storedValue = database.attributes[position].role
    else { return }
    database.store(Array(value.prefix(database.attributes[position].maximumLength)), at: position)
  }

  /// Appends a Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.1), cut at the bearer's MTU. False, with nothing appended,
  /// when it must not be sent.
  @discardableResult
  public mutating func notification(
    of index: CharacteristicIndex, value: [UInt8], on bearer: inout ServerBearer, to session: inout GATTSession,
    into buffer: inout OctetBuffer
  ) -> Bool {
    guard let handle = valueHandle(of: index), maySend(index, on: session.security), !session.isOutOfSync,
      !bearer.att.hasTimedOut
    else { return false }
    HandleValueNotification.write(value, of: handle, limit: bearer.att.mtu, into: &buffer)
    return true
  }

  /// Appends a Multiple Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.4) of as many values as fit whole, from the first
  /// on, and returns how many there are. Nothing is appended, and 0 returned, when the client does not take such notifications,
  /// fewer than two fit, or one of them must not be sent.
  public mutating func multipleNotification(
    of values: ArraySlice<(index: CharacteristicIndex, value: [UInt8])>, on bearer: inout ServerBearer,
    to session: inout GATTSession, into buffer: inout OctetBuffer
  ) -> Int {
    guard session.features.contains(.multipleNotifications), !session.isOutOfSync, !bearer.att.hasTimedOut else {
      return 0
    }
    let security = session.security
    var room = bearer.att.mtu - 1
    let fitting = values.prefix { entry in
      room -= MultipleHandleValueNotification.tupleHeadLength + entry.value.count
      return room >= 0 && valueHandle(of: entry.index) != nil && maySend(entry.index, on: security)
    }
    guard fitting.count >= 2 else { return 0 }
    MultipleHandleValueNotification.begin(into: &buffer)
    for entry in fitting {
      guard let handle = valueHandle(of: entry.index) else { continue }
      MultipleHandleValueNotification.appendTuple(handle, entry.value, into: &buffer)
    }
    return fitting.count
  }

  /// Puts a Handle Value Indication (Core 5.4 Vol 3 Part F 3.4.7.2) in line, and returns what may be sent over the bearer now: this
  /// one when nothing is ahead of it.
  public func indication(
    of index: CharacteristicIndex, value: [UInt8], on bearer: inout ServerBearer, to session: inout GATTSession,
    at now: Instant
  ) -> HandleValueIndication? {
    guard let handle = valueHandle(of: index), maySend(index, on: session.security) else { return nil }
    session.wait(HandleValueIndication(handle: handle, value: value))
    return nextIndication(on: &bearer, for: &session, at: now)
  }

  /// The next indication that may be sent over a bearer, cut at its MTU; nil while one is unconfirmed there, or none waits. Service
  /// Changed comes first, and alone while the client does not know the database (Core 5.4 Vol 3 Part G 2.5.2.1).
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

  /// Whether the access policy lets the value of a characteristic go to a client that has not asked for it now.
  private func maySend(_ index: CharacteristicIndex, on security: LinkSecurity) -> Bool {
    database.records.indices.contains(index.position) && database.records[index.position].sending.allows(security)
  }

  /// The handle of a characteristic's value; nil when it is gone.
  private func valueHandle(of index: CharacteristicIndex) -> UInt16? {
    database.valuePosition(of: index).map { database.attributes[$0].handle }
  }
}
