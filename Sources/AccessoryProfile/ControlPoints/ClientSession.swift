import BLEATT
import BLECore
import BLEGATT

/// What the runtime remembers of a client: what it takes, what it has not got yet, and which of its commands go on.
struct ClientSession: Hashable, Sendable {
  /// The client.
  var client: ClientID
  /// The MTU of its fixed bearer, in octets.
  var mtu = ATTBearer.defaultMTU
  /// What it takes of characteristics, where that is not nothing.
  var configurations: [CharacteristicIndex: ClientConfiguration] = [:]
  /// What it gets next, the first first.
  var outbox: [OutgoingValue] = []
  /// The characteristics with control points whose last command is not answered to the end.
  var busy: Set<CharacteristicIndex> = []
  /// The control points whose response was indicated, by the characteristic that is to be confirmed.
  var unconfirmed: [CharacteristicIndex: CharacteristicIndex] = [:]

  /// How many values may wait. A client that takes no more gets no more.
  static let limit = 1024

  /// A client that has just been heard of.
  init(_ client: ClientID) { self.client = client }

  /// Whether it takes notifications, or indications, of a characteristic.
  func takes(_ characteristic: CharacteristicIndex, isIndication: Bool) -> Bool {
    configurations[characteristic]?.contains(isIndication ? .indication : .notification) ?? false
  }

  /// Puts a value at the end, where there is room; false where there is none.
  @discardableResult
  mutating func send(_ value: OutgoingValue) -> Bool {
    guard outbox.count < Self.limit else { return false }
    outbox.append(value)
    return true
  }

  /// Forgets what waits on a characteristic, and the commands that would be answered by it.
  mutating func forget(_ characteristic: CharacteristicIndex) {
    for value in outbox where value.characteristic == characteristic {
      if let controlPoint = value.controlPoint { busy.remove(controlPoint) }
    }
    outbox.removeAll { $0.characteristic == characteristic }
    if let controlPoint = unconfirmed.removeValue(forKey: characteristic) { busy.remove(controlPoint) }
  }

  /// Gives up what the commands of a control point have yet to send, their response included.
  mutating func stop(_ controlPoint: CharacteristicIndex) {
    outbox.removeAll { $0.controlPoint == controlPoint || $0.origin == controlPoint }
    busy.remove(controlPoint)
  }

  /// A characteristic is gone, and with it what its commands have yet to send.
  mutating func lose(_ characteristic: CharacteristicIndex) {
    configurations[characteristic] = nil
    forget(characteristic)
    stop(characteristic)
    unconfirmed = unconfirmed.filter { $0.value != characteristic }
  }

  /// The next value, or as much of it as fits.
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

/// A value that waits for its client.
struct OutgoingValue: Hashable, Sendable {
  /// The characteristic whose notification or indication it is.
  var characteristic: CharacteristicIndex
  /// What is left of it.
  var value: [UInt8]
  var isIndication = false
  /// Whether it goes out in several parts where one is not enough; otherwise it is cut.
  var isSplit = false
  /// The control point whose command it is the response to.
  var controlPoint: CharacteristicIndex?
  /// The control point whose command sends it before its response.
  var origin: CharacteristicIndex?
}
