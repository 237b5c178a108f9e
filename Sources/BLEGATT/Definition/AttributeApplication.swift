import BLEATT
import BLECore

/// The index of a characteristic, counted from 0 over the application's services in the order of declaration, regardless of handles. The
/// characteristics of the host's own services (GAP, GATT) come after them.
public struct CharacteristicIndex: Hashable, Sendable, Comparable {
  /// The position, counted from 0.
  public var position: Int
  /// Creates the index of the characteristic at this position.
  public init(_ position: Int) { self.position = position }

  /// Orders by position.
  public static func < (left: CharacteristicIndex, right: CharacteristicIndex) -> Bool {
    left.position < right.position
  }
}

/// The application behind the attributes. It supplies values that are not stored, decides on writes, and changes values autonomously. It
/// may also use the attributes of its peers.
///
/// The host stack owns it and calls it while it processes the packet concerned. It does no input or output; time is an argument. `client`
/// identifies the client.
public protocol AttributeApplication: ClientApplication, LateAnswering {
  /// Returns the whole value of a characteristic whose source is `.asked`, at most 512 octets.
  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer

  /// Returns the value of such a characteristic without a read by the client, so it is needed at once: for a notification, or as the basis
  /// of a long write. Nil if there is none. By default it is what `read` returns at once.
  mutating func currentValue(of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> [UInt8]?

  /// Returns the current value of such a characteristic for inspection on this side, without side effects. By default there is none.
  func presentValue(of characteristic: CharacteristicIndex, at now: Instant) -> [UInt8]?

  /// Decides on a value of valid length that a client wants to write. If it is accepted, a stored characteristic takes the value.
  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer

  /// Decides whether a client may perform an operation that needs authorization. Called at every access that is otherwise permitted. By
  /// default no client may.
  mutating func authorize(
    _ operation: AttributeOperation, of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> AuthorizationAnswer

  /// Returns whether a subscribed client may still receive the value. Called before the server sends one. By default every subscriber may.
  func maySend(_ characteristic: CharacteristicIndex, to client: ClientID) -> Bool

  /// Called when the number of clients subscribed to notifications or to indications has changed.
  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction])

  /// Called when a client has changed its configuration of a characteristic.
  mutating func configurationChanged(
    _ characteristic: CharacteristicIndex, of client: ClientID, to configuration: ClientConfiguration, at now: Instant)

  /// Called when a client has exchanged the MTU of its fixed bearer, which was 23 before.
  mutating func mtuExchanged(_ mtu: Int, with client: ClientID, at now: Instant)

  /// Called when a client has confirmed an indication of a characteristic.
  mutating func confirmed(_ characteristic: CharacteristicIndex, by client: ClientID, at now: Instant)

  /// Returns the values that the application stores for a client with its bond, by names of its choice.
  func keptValues(of client: ClientID) -> [String: [UInt8]]

  /// Whether `takeClientsWithNewValues` would return any client.
  var hasNewKeptValues: Bool { get }

  /// Returns the clients whose stored values have changed.
  mutating func takeClientsWithNewValues() -> [ClientID]

  /// Called when a client has proved its identity, with its stored values.
  mutating func restore(keptValues: [String: [UInt8]], of client: ClientID, at now: Instant)

  /// Called when the bond of a client has been removed, and its stored values with it.
  mutating func forgetKeptValues(of client: ClientID)

  /// Called when a device requests a connection over BR/EDR, before the host answers.
  mutating func paged(at now: Instant)

  /// Called when a client has stopped responding and counts as disconnected; `clientLeft` follows.
  mutating func clientLost(_ client: ClientID, at now: Instant)

  /// Called when a client has disconnected. Another client may get its number later.
  mutating func clientLeft(_ client: ClientID, at now: Instant)

  /// Called when an advertising set is on the air, with an event at each interval, or off the air if there is no interval.
  mutating func advertisingChanged(_ set: String, interval: Duration?, at now: Instant)

  /// The characteristics that the application refers to, including removed ones. Their indices are not reused.
  var keptCharacteristics: Set<CharacteristicIndex> { get }

  /// Whether any client may have a message to be sent.
  var hasMessages: Bool { get }

  /// Returns the next message for a client. Called when its link has room; at most `limit` octets can be sent in one.
  mutating func nextMessage(for client: ClientID, limit: Int, at now: Instant) -> ClientMessage?

  /// Restarts at this time, like its device after a power cycle. Returns the changes that survive it and therefore must be stored.
  mutating func restart(at now: Instant) -> [ApplicationAction]

  /// Moves its clock forward, or back if the shift is negative.
  mutating func shiftClock(by shift: Duration)

  /// The time of its next autonomous action.
  var nextDeadline: Instant? { get }

  /// Performs the actions that are due at `now`.
  mutating func advance(to now: Instant, actions: inout [ApplicationAction])
}

// The default implementations are documented at the requirements of the protocol.
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

  public mutating func paged(at now: Instant) {}

  public mutating func clientLost(_ client: ClientID, at now: Instant) {}

  public mutating func clientLeft(_ client: ClientID, at now: Instant) {}

  public mutating func advertisingChanged(_ set: String, interval: Duration?, at now: Instant) {}

  public var keptCharacteristics: Set<CharacteristicIndex> { [] }

  public mutating func restart(at now: Instant) -> [ApplicationAction] { [] }

  public mutating func shiftClock(by shift: Duration) {}

  public var hasMessages: Bool { false }

  public mutating func nextMessage(for client: ClientID, limit: Int, at now: Instant) -> ClientMessage? { nil }
}

/// An action that an application requests of the host.
public enum ApplicationAction: Hashable, Sendable {
  /// Notify all subscribers of the characteristic's current value.
  case notify(CharacteristicIndex)
  /// Indicate the characteristic's value to all subscribers.
  case indicate(CharacteristicIndex)
  /// Replace a stored value.
  case store(CharacteristicIndex, [UInt8])
  /// Answer a waiting ticket; no effect if nobody waits any longer.
  case answer(AnswerTicket, LateAnswer)
  /// Change the encoded data of an advertising set; no effect if there is no such set.
  case advertise(set: String, data: [UInt8], scanResponse: [UInt8])
  /// Stop advertising and end all connections until `wake`.
  case sleep
  /// Advertise again, each set from the start of its schedule.
  case wake
}
