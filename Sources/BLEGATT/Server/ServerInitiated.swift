import BLEATT
import BLECore

extension GATTServer {
  /// The present value of a characteristic where no client has asked for it; nil when the application refuses to give it, or
  /// would give it only later.
  public func currentValue<Application: AttributeApplication>(
    of index: CharacteristicIndex, for client: UInt16, application: inout Application, at now: Instant
  ) -> [UInt8]? {
    if let stored = database.storedValue(of: index) { return stored }
    guard database.valuePosition(of: index) != nil else { return nil }
    return application.currentValue(of: index, for: client, at: now)
  }

  /// What the server sends a subscriber by itself: the present value; nil when the application gives none, or not to this client
  /// any longer.
  public func valueToSend<Application: AttributeApplication>(
    of index: CharacteristicIndex, to client: UInt16, application: inout Application, at now: Instant
  ) -> [UInt8]? {
    guard application.maySend(index, to: client) else { return nil }
    return currentValue(of: index, for: client, application: &application, at: now)
  }

  /// Replaces the value that the database keeps for a characteristic, cut at its maximum length; without effect when the
  /// application is asked for it.
  public mutating func store(_ value: [UInt8], of index: CharacteristicIndex) {
    guard let position = database.valuePosition(of: index), case .storedValue = database.attributes[position].role
    else { return }
    database.store(Array(value.prefix(database.attributes[position].maximumLength)), at: position)
  }

  /// Appends a Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.1), cut at the client's MTU.
  public func notification(
    of index: CharacteristicIndex, value: [UInt8], to client: GATTClientState, into buffer: inout OctetBuffer
  ) {
    guard let handle = valueHandle(of: index) else { return }
    buffer.append(ATTOpcode.handleValueNotification.rawValue)
    buffer.append(littleEndian: handle)
    buffer.append(value.prefix(client.bearer.mtu - 3))
  }

  /// Appends a Multiple Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.4) of as many values as fit whole, from the first
  /// on, and returns how many there are. Nothing is appended, and 0 returned, when the client does not take such notifications
  /// or fewer than two fit.
  public func multipleNotification(
    of values: ArraySlice<(index: CharacteristicIndex, value: [UInt8])>, to client: GATTClientState,
    into buffer: inout OctetBuffer
  ) -> Int {
    guard client.features.contains(.multipleNotifications) else { return 0 }
    var room = client.bearer.mtu - 1
    let fitting = values.prefix { entry in
      room -= 4 + entry.value.count
      return room >= 0 && valueHandle(of: entry.index) != nil
    }
    guard fitting.count >= 2 else { return 0 }
    buffer.append(ATTOpcode.multipleHandleValueNotification.rawValue)
    for entry in fitting {
      guard let handle = valueHandle(of: entry.index) else { continue }
      buffer.append(littleEndian: handle)
      buffer.append(littleEndian: UInt16(clamping: entry.value.count))
      buffer.append(entry.value)
    }
    return fitting.count
  }

  /// A Handle Value Indication (Core 5.4 Vol 3 Part F 3.4.7.2), cut at the client's MTU, if it may be sent now; otherwise it
  /// waits for the confirmation of the one before.
  public func indication(
    of index: CharacteristicIndex, value: [UInt8], to client: inout GATTClientState, at now: Instant
  ) -> HandleValueIndication? {
    guard let handle = valueHandle(of: index) else { return nil }
    return client.bearer.submit(
      HandleValueIndication(handle: handle, value: Array(value.prefix(client.bearer.mtu - 3))), at: now)
  }

  /// The handle of a characteristic's value; nil when it is gone.
  private func valueHandle(of index: CharacteristicIndex) -> UInt16? {
    database.valuePosition(of: index).map { database.attributes[$0].handle }
  }
}
