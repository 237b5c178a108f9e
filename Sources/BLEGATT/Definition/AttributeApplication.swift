import BLEATT
import BLECore

/// Which characteristic: counted from 0 over the application's services in the order of their declaration, whatever handles
/// they get; the characteristics of the services that the host adds (GAP, GATT) are counted after them.
public struct CharacteristicIndex: Hashable, Sendable, Comparable {
  /// The position, from 0.
  public var position: Int
  /// The characteristic at that position.
  public init(_ position: Int) { self.position = position }

  /// By position.
  public static func < (left: CharacteristicIndex, right: CharacteristicIndex) -> Bool {
    left.position < right.position
  }
}

/// What stands behind the attributes: supplies values that are not stored, judges writes, and lets values change by
/// themselves. It may use the attributes of its peers besides.
///
/// It is owned by the host stack and called while the packet is taken that asks. It does no input or output; time is an
/// argument. `client` says which client it is.
public protocol AttributeApplication: ClientApplication, LateAnswering {
  /// The value of a characteristic whose source is `.asked`: the whole of it, at most 512 octets.
  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer

  /// The value of such a characteristic for a client that has not asked for it, so that it is needed at once: for a notification,
  /// or as what a long write changes. Nil when there is none. Without an own method it is what `read` gives at once.
  mutating func currentValue(of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> [UInt8]?

  /// The value of such a characteristic as it is now, for whoever looks at this side: nothing changes by it. Without an own method
  /// there is none.
  func presentValue(of characteristic: CharacteristicIndex, at now: Instant) -> [UInt8]?

  /// Judges a value that a client wants to write and whose length is allowed; a stored characteristic takes it when this
  /// accepts.
  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer

  /// Whether a client may do something that needs authorization; asked at every access, when nothing else forbids it. Without
  /// an own method nobody may.
  mutating func authorize(
    _ operation: AttributeOperation, of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> AuthorizationAnswer

  /// Whether a client that is subscribed to a characteristic may still have its value; asked before the server sends one by
  /// itself. Without an own method every subscriber may.
  func maySend(_ characteristic: CharacteristicIndex, to client: ClientID) -> Bool

  /// The number of clients that take notifications, and of those that take indications, has changed.
  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction])

  /// A client has changed what it takes of a characteristic.
  mutating func configurationChanged(
    _ characteristic: CharacteristicIndex, of client: ClientID, to configuration: ClientConfiguration, at now: Instant)

  /// A client has exchanged the MTU of its fixed bearer; it was 23 before.
  mutating func mtuExchanged(_ mtu: Int, with client: ClientID, at now: Instant)

  /// A client has confirmed an indication of a characteristic.
  mutating func confirmed(_ characteristic: CharacteristicIndex, by client: ClientID, at now: Instant)

  /// What the application keeps of a client with its bond, by names that it chooses.
  func keptValues(of client: ClientID) -> [String: [UInt8]]

  /// Whether `takeClientsWithNewValues` has anybody to name.
  var hasNewKeptValues: Bool { get }

  /// The clients of whom something else is to be kept than before.
  mutating func takeClientsWithNewValues() -> [ClientID]

  /// A client has proved to be the one of whom this was kept.
  mutating func restore(keptValues: [String: [UInt8]], of client: ClientID, at now: Instant)

  /// The bond of a client is gone, and with it what was kept.
  mutating func forgetKeptValues(of client: ClientID)

  /// Nothing was heard of a client any longer, and so it is taken to have disconnected; `clientLeft` follows.
  mutating func clientLost(_ client: ClientID, at now: Instant)

  /// A client has disconnected; its number may be another client's from now on.
  mutating func clientLeft(_ client: ClientID, at now: Instant)

  /// An advertising set is on the air, with an event at each interval, or with none is off it.
  mutating func advertisingChanged(_ set: String, interval: Duration?, at now: Instant)

  /// The characteristics that the application speaks of, also when they have been removed: their indices are not given to others.
  var keptCharacteristics: Set<CharacteristicIndex> { get }

  /// Whether any client may have to get a message.
  var hasMessages: Bool { get }

  /// The next message for a client, asked for when its link has room; at most `limit` octets can be sent in one.
  mutating func nextMessage(for client: ClientID, limit: Int, at now: Instant) -> ClientMessage?

  /// Begins anew at that time, as when its device is switched off and on; what outlives that, and so must be stored, is returned.
  mutating func restart(at now: Instant) -> [ApplicationAction]

  /// Sets its clock forward, or back where that is negative.
  mutating func shiftClock(by shift: Duration)

  /// When something will happen by itself next.
  var nextDeadline: Instant? { get }

  /// Does what is due at `now`.
  mutating func advance(to now: Instant, actions: inout [ApplicationAction])
}

// These are documented where they are required.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension AttributeApplication {
  public mutating func authorize(
    _ operation: AttributeOperation, of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> AuthorizationAnswer { .refused }

  public func maySend(_ characteristic: CharacteristicIndex, to client: ClientID) -> Bool { true }

  public mutating func currentValue(
    of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> [UInt8]? {
    switch read(characteristic, for: client, at: now) {
    case .value(let value): return value
    case .error: return nil
    case .later(let ticket):
      cancelled(ticket, because: .notAwaited)
      return nil
    }
  }

  public func presentValue(of characteristic: CharacteristicIndex, at now: Instant) -> [UInt8]? { nil }

  public mutating func configurationChanged(
    _ characteristic: CharacteristicIndex, of client: ClientID, to configuration: ClientConfiguration, at now: Instant
  ) {}

  public mutating func mtuExchanged(_ mtu: Int, with client: ClientID, at now: Instant) {}

  public mutating func confirmed(_ characteristic: CharacteristicIndex, by client: ClientID, at now: Instant) {}

  public func keptValues(of client: ClientID) -> [String: [UInt8]] { [:] }

  public var hasNewKeptValues: Bool { false }

  public mutating func takeClientsWithNewValues() -> [ClientID] { [] }

  public mutating func restore(keptValues: [String: [UInt8]], of client: ClientID, at now: Instant) {}

  public mutating func forgetKeptValues(of client: ClientID) {}

  public mutating func clientLost(_ client: ClientID, at now: Instant) {}

  public mutating func clientLeft(_ client: ClientID, at now: Instant) {}

  public mutating func advertisingChanged(_ set: String, interval: Duration?, at now: Instant) {}

  public var keptCharacteristics: Set<CharacteristicIndex> { [] }

  public mutating func restart(at now: Instant) -> [ApplicationAction] { [] }

  public mutating func shiftClock(by shift: Duration) {}

  public var hasMessages: Bool { false }

  public mutating func nextMessage(for client: ClientID, limit: Int, at now: Instant) -> ClientMessage? { nil }
}

/// What an application wants the host to do.
public enum ApplicationAction: Hashable, Sendable {
  /// Notify all subscribers of the characteristic's value as it is now.
  case notify(CharacteristicIndex)
  /// Indicate the characteristic's value to all subscribers.
  case indicate(CharacteristicIndex)
  /// Replace a stored value.
  case store(CharacteristicIndex, [UInt8])
  /// Give the answer that waits by a ticket; without effect when nobody waits any longer.
  case answer(AnswerTicket, LateAnswer)
  /// Give an advertising set other data, encoded; without effect when there is no such set.
  case advertise(set: String, data: [UInt8], scanResponse: [UInt8])
  /// Go off the air and end all connections, until `wake`.
  case sleep
  /// Be on the air again, each set from the beginning of its schedule.
  case wake
}
