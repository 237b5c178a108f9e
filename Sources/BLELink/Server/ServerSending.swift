import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostEngine {
  /// The backlog of PDUs on a link at which notifications are dropped: as on a real accessory, whose memory is small.
  static var notificationBacklog: Int { 16 }

  /// Executes the actions of the application.
  package mutating func perform(_ actions: [ApplicationAction], into out: inout HostOutput) {
    var rest = actions[...]
    while let action = rest.first {
      let together = notifications(at: rest)
      rest = rest.dropFirst(max(1, together.count))
      switch action {
      case .notify where together.count > 1: notify(together, into: &out)
      case .notify(let characteristic): notify(characteristic, at: out.now, into: &out)
      case .indicate(let characteristic): indicate(characteristic, at: out.now, into: &out)
      case .store(let characteristic, let value): server.store(value, of: characteristic)
      case .answer(let ticket, let late): answer(ticket, with: late, into: &out)
      case .advertise(let set, let data, let response): role.advertise(data, scanResponse: response, set: set)
      case .sleep:
        role.setAsleep(true, at: out.now)
        disconnectAll(reason: .remoteDeviceTerminatedPowerOff)
      case .wake: role.setAsleep(false, at: out.now)
      }
    }
  }

  /// Returns the characteristics of the leading notify actions, without repetitions.
  private func notifications(at actions: ArraySlice<ApplicationAction>) -> [CharacteristicIndex] {
    guard actions.count > 1 else { return [] }
    var characteristics: [CharacteristicIndex] = []
    for action in actions {
      guard case .notify(let characteristic) = action, !characteristics.contains(characteristic) else { break }
      characteristics.append(characteristic)
    }
    return characteristics
  }

  /// Notifies several characteristics at once: in as few PDUs as possible to clients that support Multiple Handle Value
  /// Notifications (Core 5.4 Vol 3 Part F 3.4.7.4), with one PDU for each to other clients.
  private mutating func notify(_ characteristics: [CharacteristicIndex], into out: inout HostOutput) {
    for link in links.ids {
      let session = links[link].session
      let wanted = characteristics.filter { session.configuration(of: $0).contains(.notification) }
      guard wanted.count > 1, session.features.contains(.multipleNotifications), !session.isOutOfSync else {
        for characteristic in wanted { notify(characteristic, to: link, into: &out) }
        continue
      }
      notifyTogether(wanted, to: link, into: &out)
    }
  }

  private mutating func notifyTogether(
    _ characteristics: [CharacteristicIndex], to link: LinkID, into out: inout HostOutput
  ) {
    let now = out.now
    let handle = links[link].handle
    let bearer = bearer(for: characteristics[0], to: link)
    guard bearer != .fixed || hasRoomForNotifications(link) else {
      out.events += characteristics.map { .notificationDropped(handle, $0) }
      return
    }
    let values: [(index: CharacteristicIndex, value: [UInt8])] = characteristics.compactMap { characteristic in
      server.valueToSend(of: characteristic, to: &links[link].session, application: &application, at: now)
        .map { (characteristic, $0) }
    }
    var rest = values[...]
    while let first = rest.first {
      var count = 0
      scheduler.sendATT(.push(nil), over: bearer, of: handle, through: &faults, into: &out) { buffer in
        count = links[link].notify(rest, &server, over: bearer, into: &buffer)
        if count > 0 { return }
        count = 1
        _ = links[link].notify(first.index, first.value, &server, over: bearer, into: &buffer)
      }
      submit(to: bearer, of: link, into: &out)
      if reportsAccess {
        for sent in rest.prefix(count) { out.events.append(.notified(handle, sent.index, sent.value)) }
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Notifies all subscribers, or the one on a connection; returns how many there are.
  @discardableResult
  package mutating func notify(
    _ characteristic: CharacteristicIndex, on connection: ConnectionHandle? = nil, at now: Instant,
    into out: inout HostOutput
  ) -> Int {
    out.now = now
    var subscribers = 0
    for link in links.ids
    where connection ?? links[link].handle == links[link].handle
      && links[link].session.configuration(of: characteristic).contains(.notification)
    {
      subscribers += 1
      notify(characteristic, to: link, into: &out)
    }
    return subscribers
  }

  /// Returns whether the bearer that is not an enhanced one takes a notification.
  private func hasRoomForNotifications(_ link: LinkID) -> Bool {
    scheduler.queuedPDUs(links[link].handle) < Self.notificationBacklog && links[link].classic?.hasRoom ?? true
  }

  /// Notifies one subscriber, unless its link is full or it is not aware of the current database.
  private mutating func notify(_ characteristic: CharacteristicIndex, to link: LinkID, into out: inout HostOutput) {
    let handle = links[link].handle
    let hasRoom =
      hasRoomForNotifications(link) || bearer(for: characteristic, to: link) != .fixed
    guard !links[link].session.isOutOfSync, hasRoom else {
      out.events.append(.notificationDropped(handle, characteristic))
      return
    }
    sendNotification(of: characteristic, to: link, into: &out)
  }

  /// Sends a notification; returns false if the application provides no value.
  @discardableResult
  mutating func sendNotification(
    of characteristic: CharacteristicIndex, to link: LinkID, into out: inout HostOutput
  ) -> Bool {
    let now = out.now
    let handle = links[link].handle
    guard
      let value = server.valueToSend(
        of: characteristic, to: &links[link].session, application: &application, at: now)
    else { return false }
    var isSent = false
    let bearer = bearer(for: characteristic, to: link)
    scheduler.sendATT(push(of: characteristic), over: bearer, of: handle, through: &faults, into: &out) {
      buffer in
      isSent = links[link].notify(characteristic, value, &server, over: bearer, into: &buffer)
    }
    submit(to: bearer, of: link, into: &out)
    if isSent, reportsAccess { out.events.append(.notified(handle, characteristic, value)) }
    return isSent
  }

  /// Indicates to all subscribers, or to the one on a connection, with one unconfirmed indication per bearer at a time; returns how many
  /// subscribers there are.
  @discardableResult
  package mutating func indicate(
    _ characteristic: CharacteristicIndex, on connection: ConnectionHandle? = nil, at now: Instant,
    into out: inout HostOutput
  ) -> Int {
    out.now = now
    var subscribers = 0
    for link in links.ids
    where connection ?? links[link].handle == links[link].handle
      && links[link].session.configuration(of: characteristic).contains(.indication)
    {
      subscribers += 1
      guard !links[link].session.isOutOfSync else {
        out.events.append(.notificationDropped(links[link].handle, characteristic))
        continue
      }
      guard
        let value = server.valueToSend(
          of: characteristic, to: &links[link].session, application: &application, at: now)
      else { continue }
      let indication = links[link].indication(of: characteristic, value: value, server, over: .fixed, at: out.now)
      if let indication { send(indication, to: link, over: .fixed, into: &out) }
      if links[link].bearers.hasEnhanced { sendIndications(to: link, into: &out) }
    }
    return subscribers
  }

  mutating func send(
    _ indication: HandleValueIndication, to link: LinkID, over bearer: BearerID, into out: inout HostOutput
  ) {
    let handle = links[link].handle
    scheduler.sendATT(.push(indication.handle), over: bearer, of: handle, through: &faults, into: &out) {
      indication.encodePDU(into: &$0)
    }
    if bearer == .fixed { links[link].delivery.awaited = scheduler.lastPacket(handle) }
    submit(to: bearer, of: link, into: &out)
    guard reportsAccess, let position = server.database.position(of: indication.handle),
      let characteristic = server.database.attributes[position].characteristic
    else { return }
    out.events.append(.indicated(handle, characteristic, indication.value))
  }

  /// Informs the application how many clients are subscribed to a characteristic, and updates the lists of continuous notifications.
  mutating func subscribersChanged(_ characteristic: CharacteristicIndex, into out: inout HostOutput) {
    let now = out.now
    var (notified, indicated) = (0, 0)
    for link in links.ids {
      let configuration = links[link].session.configuration(of: characteristic)
      if configuration.contains(.notification) { notified += 1 }
      if configuration.contains(.indication) { indicated += 1 }
    }
    let record = server.database[characteristic]
    guard record.belongsToApplication else { return }
    var actions: [ApplicationAction] = []
    application.subscriptionsChanged(
      characteristic, notified: notified, indicated: indicated, at: now, actions: &actions)
    if record.definition.notifiesContinuously {
      for link in links.ids {
        let isOn = links[link].session.configuration(of: characteristic).contains(.notification)
        links[link].streams.set(characteristic, isOn: isOn)
      }
    }
    perform(actions, into: &out)
  }

  // MARK: - Messages to individual clients

  /// The backlog of PDUs at which a link gets no further messages: the application keeps them until there is room, so none is
  /// dropped, however long an answer is.
  static var messageBacklog: Int { 4 }

  /// Sends the application's messages to individual clients, as far as their links have room and the clients are aware of the current
  /// database. All messages use one bearer, to keep their order. While an indication is unconfirmed, no further message is sent:
  /// of several waiting indications of a characteristic, only the last would be sent.
  mutating func sendMessages(into out: inout HostOutput) {
    for link in links.ids where !links[link].session.isOutOfSync {
      let handle = links[link].handle
      let bearer = links[link].messageBearer
      while hasRoomForMessages(over: bearer, of: link), let limit = links[link].messageLimit(over: bearer),
        let message = application.nextMessage(for: handle.client, limit: limit, at: out.now)
      {
        send(message, to: link, over: bearer, into: &out)
      }
    }
  }

  private func hasRoomForMessages(over bearer: BearerID, of link: LinkID) -> Bool {
    guard scheduler.queuedPDUs(links[link].handle) < Self.messageBacklog else { return false }
    return bearer == .fixed ? links[link].classic?.hasRoom ?? true : links[link].channels.hasRoom(bearer.channel)
  }

  private mutating func send(
    _ message: ClientMessage, to link: LinkID, over bearer: BearerID, into out: inout HostOutput
  ) {
    let now = out.now
    let handle = links[link].handle
    guard server.database.valuePosition(of: message.characteristic) != nil else { return }
    guard !message.isIndication else {
      let indication = links[link].indication(
        of: message.characteristic, value: message.value, server, over: bearer, at: now)
      if let indication { send(indication, to: link, over: bearer, into: &out) }
      return
    }
    var isSent = false
    scheduler.sendATT(push(of: message.characteristic), over: bearer, of: handle, through: &faults, into: &out) {
      buffer in
      isSent = links[link].notify(message.characteristic, message.value, &server, over: bearer, into: &buffer)
    }
    submit(to: bearer, of: link, into: &out)
    if isSent, reportsAccess { out.events.append(.notified(handle, message.characteristic, message.value)) }
  }

  /// Informs the application that a client has confirmed an indication of one of its characteristics.
  mutating func confirmed(_ attribute: UInt16, by handle: ConnectionHandle, at now: Instant) {
    guard let position = server.database.position(of: attribute),
      let characteristic = server.database.attributes[position].characteristic,
      server.database[characteristic].belongsToApplication
    else { return }
    application.confirmed(characteristic, by: handle.client, at: now)
  }
}

extension Link {
  /// Appends a notification on a bearer; returns false if it must not be sent.
  mutating func notify(
    _ characteristic: CharacteristicIndex, _ value: [UInt8], _ server: inout GATTServer, over bearer: BearerID,
    into buffer: inout OctetBuffer
  ) -> Bool {
    bearers.with(bearer) {
      server.notification(of: characteristic, value: value, on: &$0, to: &session, into: &buffer)
    } ?? false
  }

  /// Appends one notification with as many of the values as fit, and returns their number.
  fileprivate mutating func notify(
    _ values: ArraySlice<(index: CharacteristicIndex, value: [UInt8])>, _ server: inout GATTServer,
    over bearer: BearerID,
    into buffer: inout OctetBuffer
  ) -> Int {
    bearers.with(bearer) { server.multipleNotification(of: values, on: &$0, to: &session, into: &buffer) } ?? 0
  }
}
