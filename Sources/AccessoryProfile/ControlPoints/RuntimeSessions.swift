import BLEATT
import BLECore
import BLEGATT

extension ProfileRuntime {
  // MARK: Clients

  package mutating func configurationChanged(
    _ characteristic: CharacteristicIndex, of client: ClientID, to configuration: ClientConfiguration, at now: Instant
  ) {
    guard behaviors.indices.contains(characteristic.position) else { return }
    let index = sessionIndex(of: client)
    let before = sessions[index].configurations[characteristic] ?? []
    sessions[index].configurations[characteristic] = configuration.isEmpty ? nil : configuration
    if !configuration.isSuperset(of: before) { sessions[index].forget(characteristic) }
    if configuration.contains(.notification), !before.contains(.notification) {
      announceExisting(on: characteristic, to: index)
    }
    updateMessages()
    attend(at: now)
    guard before.isEmpty != configuration.isEmpty else { return }
    let context = RuleContext(client: client)
    guard !configuration.isEmpty else { return happened(.unsubscribed(characteristic), context, at: now) }
    remote.subscribed(characteristic, on: client, at: now)
    happened(.subscribed(characteristic), context, at: now)
    updateDeadline()
  }

  package mutating func mtuExchanged(_ mtu: Int, with client: ClientID, at now: Instant) {
    sessions[sessionIndex(of: client)].mtu = mtu
    attend(at: now)
    updateDeadline()
  }

  /// Returns the MTU of a client, or the smallest MTU of all clients.
  func mtu(of client: ClientID?) -> Int {
    let clients = client.map { [$0] } ?? book.clients
    return clients.map { client in sessions.first { $0.client == client }?.mtu ?? ATTBearer.defaultMTU }.min()
      ?? ATTBearer.defaultMTU
  }

  package mutating func confirmed(_ characteristic: CharacteristicIndex, by client: ClientID, at now: Instant) {
    let index = sessionIndex(of: client)
    if let controlPoint = sessions[index].unconfirmed.removeValue(forKey: characteristic) {
      sessions[index].busy.remove(controlPoint)
    }
  }

  package mutating func paged(at now: Instant) { happened(.paged, RuleContext(), at: now) }

  package mutating func clientLost(_ client: ClientID, at now: Instant) {
    happened(.lost, RuleContext(client: client), at: now)
  }

  package mutating func clientLeft(_ client: ClientID, at now: Instant) {
    sessions.removeAll { $0.client == client }
    forgetQuestions(of: client)
    assemblies.removeAll { $0.client == client }
    writtenNumbers.forget(client)
    book.forget(client)
    forgetOwnValues(of: client)
    if !sleep.isAsleep { awaitSleep(at: now) }
    happened(.disconnected, RuleContext(client: client), at: now)
    attend(at: now)
    remote.clientLeft(client)
    updateMessages()
    updateDeadline()
  }

  package mutating func nextMessage(for client: ClientID, limit: Int, at now: Instant) -> ClientMessage? {
    guard let index = sessions.firstIndex(where: { $0.client == client }) else { return nil }
    defer { updateMessages() }
    return sessions[index].next(limit: limit)
  }

  /// Returns the position of a client's session, which is created on first use.
  mutating func sessionIndex(of client: ClientID) -> Int {
    if let index = sessions.firstIndex(where: { $0.client == client }) { return index }
    sessions.append(ClientSession(client))
    return sessions.count - 1
  }

  mutating func session(of client: ClientID) -> ClientSession { sessions[sessionIndex(of: client)] }

  /// Checks whether any values wait to be sent, after outboxes have changed.
  mutating func updateMessages() { hasMessages = sessions.contains { !$0.outbox.isEmpty } }

  // MARK: Records

  /// Informs a client of the notifications that already exist.
  mutating func announceExisting(on characteristic: CharacteristicIndex, to index: Int) {
    guard let table = announcedTable(on: characteristic, to: sessions[index].client),
      sessions[index].takes(characteristic, isIndication: false)
    else { return }
    for row in table.rows {
      sessions[index].send(
        OutgoingValue(
          characteristic: characteristic,
          value: NotificationTable.announcement(.added, of: row, in: table, isPreExisting: true)))
    }
  }

  /// Returns the table that a characteristic announces to a client, or nil if there is none or the client is not authorized.
  private func announcedTable(on characteristic: CharacteristicIndex, to client: ClientID) -> RecordTable? {
    guard let name = behaviors[characteristic.position].announcedTable else { return nil }
    if let (scope, policy) = authorization(of: characteristic), !isAuthorized(client, scope, policy) { return nil }
    return tables.first { $0.id == name }
  }

  /// Changes a table, and informs subscribers. Returns the key of the record.
  @discardableResult
  mutating func change(_ name: String, _ change: RecordChange, at now: Instant) throws(ProfileValueError)
    -> ProfileValue
  {
    guard let place = tables.firstIndex(where: { $0.id == name }) else {
      throw ProfileValueError("this accessory has no table '\(name)'")
    }
    var change = change
    let event: NotificationTable.Event
    switch change {
    case .add(var fields):
      event = .added
      if name == NotificationTable.id, fields["date"] == nil {
        fields["date"] = .string(clock.text(at: now))
        change = .add(fields)
      }
    case .modify: event = .modified
    case .remove: event = .removed
    }
    let (key, row) = try tables[place].apply(change)
    for position in behaviors.indices where behaviors[position].announcedTable == name {
      let characteristic = CharacteristicIndex(position)
      for index in sessions.indices where sessions[index].takes(characteristic, isIndication: false) {
        guard let table = announcedTable(on: characteristic, to: sessions[index].client) else { continue }
        let value = NotificationTable.announcement(event, of: row, in: table)
        sessions[index].send(OutgoingValue(characteristic: characteristic, value: value))
      }
    }
    updateMessages()
    return key
  }

  /// Dates the initial notifications without a date with the time of the start.
  mutating func dateNotifications() {
    guard let place = tables.firstIndex(where: { $0.id == NotificationTable.id }) else { return }
    for row in tables[place].rows.indices where tables[place].rows[row]["date"] == nil {
      tables[place].rows[row]["date"] = .string(clock.text(at: start))
    }
  }

  /// Performs the due steps of the timelines.
  mutating func advanceTimelines(_ now: Instant) {
    for place in tables.indices {
      while let step = nextStep(of: place), start + step.delay <= now {
        timelineSteps[place] += 1
        // A change at run time may have removed the record of a step. Then there is nothing to do.
        _ = try? change(tables[place].id, step.change, at: start + step.delay)
      }
    }
  }

  /// The time at which the next step of a timeline is due.
  var nextStepDeadline: Instant? {
    tables.indices.reduce(nil) { .earliest($0, nextStep(of: $1).map { start + $0.delay }) }
  }

  private func nextStep(of place: Int) -> RecordTable.TimelineStep? {
    let steps = tables[place].timeline
    return timelineSteps[place] < steps.count ? steps[timelineSteps[place]] : nil
  }
}

// MARK: The control side

extension ProfileRuntime {
  /// The present notifications, each with all columns.
  package var notifications: [[String: ProfileValue]] {
    guard let table = tables.first(where: { $0.id == NotificationTable.id }) else { return [] }
    return table.rows.map { row in
      Dictionary(uniqueKeysWithValues: table.columns.map { ($0.name, table.value($0.name, in: row) ?? .null) })
    }
  }

  /// Adds a notification with columns as in a profile, and returns its UID, which is the next number unless the columns contain one.
  /// Subscribers are informed in the host's next turn.
  package mutating func addNotification(
    _ columns: [String: ProfileValue], at now: Instant
  ) throws(ProfileValueError) -> UInt32 {
    let key = try change(NotificationTable.id, .add(columns), at: now)
    return UInt32(clamping: key.number.map { Int64($0) } ?? 0)
  }

  /// Changes some columns of a notification.
  package mutating func modifyNotification(
    _ uid: UInt32, _ columns: [String: ProfileValue], at now: Instant
  ) throws(ProfileValueError) {
    try change(NotificationTable.id, .modify(.int(Int64(uid)), columns), at: now)
  }

  /// Removes a notification.
  package mutating func removeNotification(_ uid: UInt32, at now: Instant) throws(ProfileValueError) {
    try change(NotificationTable.id, .remove(.int(Int64(uid))), at: now)
  }
}

extension WallClock {
  /// Returns the local time in the format of profiles.
  func text(at now: Instant) -> String {
    let seconds = nanoseconds(at: now, .local) / 1_000_000_000
    return CalendarTime(secondsSince1970: seconds).description
  }
}
