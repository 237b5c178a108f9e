import BLEATT
import BLECore
import BLEGATT

/// The runtime's state for a client: its subscriptions, the values that wait to be sent, and the commands in progress.
struct ClientSession: Hashable, Sendable {
  /// The client.
  var client: ClientID
  /// The MTU of its fixed bearer, in octets.
  var mtu = ATTBearer.defaultMTU
  /// The client's subscriptions, without empty ones.
  var configurations: [CharacteristicIndex: ClientConfiguration] = [:]
  /// The values that wait to be sent, in order.
  var outbox: [OutgoingValue] = []
  /// The characteristics with control points whose last command is not fully answered.
  var busy: Set<CharacteristicIndex> = []
  /// The control points that wait for the confirmation of an indicated response, by the indicated characteristic.
  var unconfirmed: [CharacteristicIndex: CharacteristicIndex] = [:]

  /// The maximum number of waiting values. If a client is that far behind, further values are dropped.
  static let limit = 1024

  /// Creates the session of a new client.
  init(_ client: ClientID) { self.client = client }

  /// Returns whether the client is subscribed to notifications, or indications, of a characteristic.
  func takes(_ characteristic: CharacteristicIndex, isIndication: Bool) -> Bool {
    configurations[characteristic]?.contains(isIndication ? .indication : .notification) ?? false
  }

  /// Appends a value. Returns false if there is no room.
  @discardableResult
  mutating func send(_ value: OutgoingValue) -> Bool {
    guard outbox.count < Self.limit else { return false }
    outbox.append(value)
    return true
  }

  /// Drops the waiting values of a characteristic, and ends the commands that they would answer.
  mutating func forget(_ characteristic: CharacteristicIndex) {
    for value in outbox where value.characteristic == characteristic {
      if let controlPoint = value.controlPoint { busy.remove(controlPoint) }
    }
    outbox.removeAll { $0.characteristic == characteristic }
    if let controlPoint = unconfirmed.removeValue(forKey: characteristic) { busy.remove(controlPoint) }
  }

  /// Drops everything that the commands of a control point have yet to send, including their responses.
  mutating func stop(_ controlPoint: CharacteristicIndex) {
    outbox.removeAll { $0.controlPoint == controlPoint || $0.origin == controlPoint }
    busy.remove(controlPoint)
  }

  /// Handles the removal of a characteristic: drops everything that its commands have yet to send.
  mutating func lose(_ characteristic: CharacteristicIndex) {
    configurations[characteristic] = nil
    forget(characteristic)
    stop(characteristic)
    unconfirmed = unconfirmed.filter { $0.value != characteristic }
  }

  /// Takes the next value, or as much of it as fits.
  mutating func next(limit: Int) -> ClientMessage? {
    guard let first = outbox.first else { return nil }
    let isWhole = !first.isSplit || first.value.count <= limit
    guard isWhole || limit > 0 else { return nil }
    if isWhole {
      outbox.removeFirst()
      if let controlPoint = first.controlPoint {
        if first.isIndication {
          unconfirmed[first.characteristic] = controlPoint
        } else {
          busy.remove(controlPoint)
        }
      }
    } else {
      outbox[0].value.removeFirst(limit)
    }
    return ClientMessage(
      characteristic: first.characteristic, value: isWhole ? first.value : Array(first.value.prefix(limit)),
      isIndication: first.isIndication)
  }
}

/// A value that waits to be sent to its client.
struct OutgoingValue: Hashable, Sendable {
  /// The characteristic to notify or indicate.
  var characteristic: CharacteristicIndex
  /// The rest of the value.
  var value: [UInt8]
  var isIndication = false
  /// Whether a value that does not fit is split into several parts; otherwise it is truncated.
  var isSplit = false
  /// The control point whose command this value answers, if it is a response.
  var controlPoint: CharacteristicIndex?
  /// The control point whose command sends this value before its response.
  var origin: CharacteristicIndex?
}
