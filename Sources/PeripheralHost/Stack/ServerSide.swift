import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostStack {
  /// How many PDUs may wait on a link before notifications are left out: as on a real accessory, whose memory is small.
  static var notificationBacklog: Int { 16 }

  /// Does what the application wants done.
  mutating func perform(_ actions: [ApplicationAction], at now: Instant, into out: inout HostOutput) {
    for action in actions {
      switch action {
      case .notify(let characteristic): notify(characteristic, at: now, into: &out)
      case .indicate(let characteristic): indicate(characteristic, at: now, into: &out)
      case .store(let characteristic, let value): server.store(value, of: characteristic)
      }
    }
  }

  /// Notifies every subscriber; returns how many there are.
  @discardableResult
  mutating func notify(
    _ characteristic: CharacteristicIndex, at now: Instant, into out: inout HostOutput
  ) -> Int {
    var subscribers = 0
    for index in connections.indices
    where connections[index].client.configuration(of: characteristic).contains(.notification) {
      subscribers += 1
      let handle = connections[index].handle
      guard scheduler.queuedPDUs(handle) < Self.notificationBacklog else {
        out.events.append(.notificationDropped(handle, characteristic))
        continue
      }
      sendNotification(of: characteristic, to: index, at: now, into: &out)
    }
    return subscribers
  }

  /// Sends a notification; false when the application does not give the value.
  @discardableResult
  private mutating func sendNotification(
    of characteristic: CharacteristicIndex, to index: Int, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    let handle = connections[index].handle
    guard
      let value = server.currentValue(
        of: characteristic, for: handle.rawValue, application: &application, at: now)
    else { return false }
    scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
      server.notification(of: characteristic, value: value, to: connections[index].client, into: &buffer)
    }
    if reportsAccess { out.events.append(.notified(handle, characteristic, octets: value.count)) }
    return true
  }

  /// Indicates to every subscriber, one unconfirmed indication per client at a time; returns how many there are.
  @discardableResult
  mutating func indicate(
    _ characteristic: CharacteristicIndex, at now: Instant, into out: inout HostOutput
  ) -> Int {
    var subscribers = 0
    for index in connections.indices
    where connections[index].client.configuration(of: characteristic).contains(.indication) {
      subscribers += 1
      let handle = connections[index].handle
      guard
        let value = server.currentValue(
          of: characteristic, for: handle.rawValue, application: &application, at: now),
        let indication = server.indication(of: characteristic, value: value, to: &connections[index].client, at: now)
      else { continue }
      send(indication, to: handle, into: &out)
    }
    return subscribers
  }

  mutating func send(_ indication: HandleValueIndication, to handle: ConnectionHandle, into out: inout HostOutput) {
    scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
      indication.encodePDU(into: &buffer)
    }
    guard reportsAccess, let position = server.database.position(of: indication.handle),
      let characteristic = server.database.attributes[position].characteristic
    else { return }
    out.events.append(.indicated(handle, characteristic))
  }

  /// Tells the application how many clients take a characteristic now, and keeps the list of continuous notifications.
  mutating func subscribersChanged(
    _ characteristic: CharacteristicIndex, at now: Instant, into out: inout HostOutput
  ) {
    let configurations = connections.map { $0.client.configuration(of: characteristic) }
    let record = server.database[characteristic]
    guard record.belongsToApplication else { return }
    var actions: [ApplicationAction] = []
    application.subscriptionsChanged(
      characteristic, notified: configurations.count { $0.contains(.notification) },
      indicated: configurations.count { $0.contains(.indication) }, at: now, actions: &actions)
    if record.definition.notifiesContinuously {
      streams.removeAll { $0.characteristic == characteristic }
      for connection in connections
      where connection.client.configuration(of: characteristic).contains(.notification) {
        streams.append(Stream(handle: connection.handle, characteristic: characteristic))
      }
    }
    perform(actions, at: now, into: &out)
  }

  /// Fills every free buffer with continuous notifications, taking turns between subscribers.
  mutating func pumpStreams(at now: Instant, into out: inout HostOutput) {
    var passed = 0
    while passed < streams.count {
      streamTurn = (streamTurn + 1) % streams.count
      let stream = streams[streamTurn]
      if scheduler.isReady(stream.handle), let index = index(of: stream.handle),
        sendNotification(of: stream.characteristic, to: index, at: now, into: &out)
      {
        passed = 0
      } else {
        passed += 1
      }
    }
  }
}
