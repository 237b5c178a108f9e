import BLEATT
import BLECore

extension GATTServer {
  /// The present value of a characteristic, as the server sends it by itself; nil when the application refuses to give it.
  public func currentValue<Application: AttributeApplication>(
    of index: CharacteristicIndex, for client: UInt16, application: inout Application, at now: Instant
  ) -> [UInt8]? {
    if let stored = database.storedValue(of: index) { return stored }
    guard case .value(let value) = application.read(index, for: client, at: now) else { return nil }
    return value
  }

  /// Replaces the value that the database keeps for a characteristic, cut at its maximum length; without effect when the
  /// application is asked for it.
  public mutating func store(_ value: [UInt8], of index: CharacteristicIndex) {
    guard let position = database.position(of: database[index].value),
      case .storedValue = database.attributes[position].role
    else { return }
    database.store(Array(value.prefix(database.attributes[position].maximumLength)), at: position)
  }

  /// Appends a Handle Value Notification (Core 5.4 Vol 3 Part F 3.4.7.1), cut at the client's MTU.
  public func notification(
    of index: CharacteristicIndex, value: [UInt8], to client: GATTClientState, into buffer: inout OctetBuffer
  ) {
    buffer.append(ATTOpcode.handleValueNotification.rawValue)
    buffer.append(littleEndian: database[index].value)
    buffer.append(value.prefix(client.bearer.mtu - 3))
  }

  /// A Handle Value Indication (Core 5.4 Vol 3 Part F 3.4.7.2), cut at the client's MTU, if it may be sent now; otherwise it
  /// waits for the confirmation of the one before.
  public func indication(
    of index: CharacteristicIndex, value: [UInt8], to client: inout GATTClientState, at now: Instant
  ) -> HandleValueIndication? {
    client.bearer.submit(
      HandleValueIndication(handle: database[index].value, value: Array(value.prefix(client.bearer.mtu - 3))),
      at: now)
  }
}
