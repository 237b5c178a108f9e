import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost

/// An application with values from the test, which records its calls.
struct TestApplication: AttributeApplication, ChannelApplication {
  var values: [CharacteristicIndex: [UInt8]] = [:]
  /// The characteristics whose value it does not supply.
  var refused: Set<CharacteristicIndex> = []
  /// The characteristics whose value comes later.
  var tickets: [CharacteristicIndex: AnswerTicket] = [:]
  /// The tickets whose answers are no longer needed.
  private(set) var cancelled: [AnswerTicket] = []
  /// The number of clients subscribed to each characteristic.
  var subscribers: [CharacteristicIndex: (notified: Int, indicated: Int)] = [:]
  var reads = 0
  /// The characteristic that is notified by itself, and its interval.
  var rhythm: (characteristic: CharacteristicIndex, period: Duration)?
  private(set) var nextDeadline: Instant?
  /// The messages for single clients; each has as many octets as fit.
  var outbox: [ClientID: [ClientMessage]] = [:]
  /// The calls about single clients.
  var notes: [String] = []

  var hasMessages: Bool { outbox.values.contains { !$0.isEmpty } }

  mutating func nextMessage(for client: ClientID, limit: Int, at now: Instant) -> ClientMessage? {
    guard var message = outbox[client]?.first else { return nil }
    outbox[client]?[0].value.removeFirst(min(limit, message.value.count))
    if outbox[client]?[0].value.isEmpty == true { outbox[client]?.removeFirst() }
    message.value = Array(message.value.prefix(limit))
    return message
  }

  mutating func configurationChanged(
    _ characteristic: CharacteristicIndex, of client: ClientID, to configuration: ClientConfiguration, at now: Instant
  ) {
    notes.append("\(client) takes \(configuration.rawValue) of \(characteristic.position)")
  }

  mutating func confirmed(_ characteristic: CharacteristicIndex, by client: ClientID, at now: Instant) {
    notes.append("\(client) confirms \(characteristic.position)")
  }

  mutating func clientLeft(_ client: ClientID, at now: Instant) { notes.append("\(client) left") }

  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    reads += 1
    if let ticket = tickets[characteristic] { return .later(ticket) }
    if refused.contains(characteristic) { return .error(.unlikelyError) }
    return .value(values[characteristic] ?? [UInt8(truncatingIfNeeded: reads)])
  }

  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer { .accepted }

  mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation) {
    cancelled.append(ticket)
  }

  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {
    subscribers[characteristic] = (notified, indicated)
    guard let rhythm, rhythm.characteristic == characteristic else { return }
    if notified == 0 { nextDeadline = nil } else if nextDeadline == nil { nextDeadline = now + rhythm.period }
  }

  mutating func advance(to now: Instant, actions: inout [ApplicationAction]) {
    guard let rhythm, let due = nextDeadline, due <= now else { return }
    nextDeadline = due + rhythm.period
    actions.append(.notify(rhythm.characteristic))
  }
}

/// The accessory of these tests.
enum TestAccessory {
  static let address = DeviceAddress.randomStatic(from: 0xACCE_5501)
  /// Readable and writable, stored, up to 512 octets.
  static let text = CharacteristicIndex(0)
  /// Notified by the test.
  static let measurement = CharacteristicIndex(1)
  /// Indicated by the test.
  static let alarm = CharacteristicIndex(2)
  /// Notified whenever a buffer is free.
  static let stream = CharacteristicIndex(3)

  static let service = ServiceDefinition(
    id: "test", uuid: BluetoothUUID(0xFFF0),
    characteristics: [
      CharacteristicDefinition(
        id: "text", uuid: BluetoothUUID(0xFFF1), properties: [.read, .write, .writeWithoutResponse],
        value: .stored(Array("text".utf8))),
      CharacteristicDefinition(
        id: "measurement", uuid: BluetoothUUID(0xFFF2), properties: [.read, .notify], value: .asked),
      CharacteristicDefinition(id: "alarm", uuid: BluetoothUUID(0xFFF3), properties: [.indicate], value: .asked),
      CharacteristicDefinition(
        id: "stream", uuid: BluetoothUUID(0xFFF4), properties: [.notify], value: .asked, notifiesContinuously: true),
    ])

  static let legacySet = AdvertisingSetDefinition(id: "main", data: [2, 1, 6])

  static func configuration(
    identity: IdentityPolicy = .fixedStatic(address), advertising: [AdvertisingSetDefinition] = [legacySet],
    connection: ConnectionPolicy = ConnectionPolicy()
  ) -> HostConfiguration {
    HostConfiguration(
      name: "Test", identity: identity, advertising: advertising, connection: connection, services: [service])
  }
}

extension HostEvent {
  /// A short text for sequences in tests; nil for irrelevant events.
  var tag: String? {
    switch self {
    case .controllerReady: "controller"
    case .advertisingReady(let sets): "ready \(sets.joined(separator: ","))"
    case .advertising(.started(let set, _)): "started \(set)"
    case .advertising(.stopped(let set)): "stopped \(set)"
    case .advertising(.refused(let set, _, _)): "refused \(set)"
    case .advertising(.unavailable(let set, _)): "unavailable \(set)"
    case .connected(let handle, _): "connected \(handle.rawValue)"
    case .connectionFailed(let status): "connection failed \(status.rawValue)"
    case .disconnected(let handle, let reason): "disconnected \(handle.rawValue) \(reason.rawValue)"
    case .parametersAnswered(_, let accepted): "parameters \(accepted ? "accepted" : "rejected")"
    case .notificationDropped(let handle, _): "dropped \(handle.rawValue)"
    case .controllerFailed: "failed"
    case .fault(.controllerRestarted): "restarted"
    case .stopped: "stopped"
    default: nil
    }
  }
}

extension Sequence<HostEvent> {
  var tags: [String] { compactMap(\.tag) }

  var faults: [ProtocolFault] {
    compactMap {
      if case .fault(let fault) = $0 { fault } else { nil }
    }
  }

  var failure: ControllerFailure? {
    for case .controllerFailed(let failure) in self { return failure }
    return nil
  }
}

extension SplitMix64 {
  /// That many random octets.
  mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

extension HostEngine {
  /// `nextDeadline` for expectations, which cannot call mutating accessors.
  var deadline: Instant? {
    var copy = self
    return copy.nextDeadline
  }
}
