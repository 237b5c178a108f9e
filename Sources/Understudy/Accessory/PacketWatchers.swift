import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Capture

/// The watchers of the packets between an accessory and its controller. Without watchers, this costs nothing.
struct PacketWatchers {
  private struct Watcher {
    var happened: @Sendable (CapturedPacket) -> Void
    var ended: @Sendable () -> Void
  }

  private var watchers: [Int: Watcher] = [:]
  private var nextID = 0
  private var sent = H4Deframer(side: .controller)
  private var received = H4Deframer(side: .host)

  var isEmpty: Bool { watchers.isEmpty }

  /// Calls `happened` for every packet from now on, and `ended` when no more packets will follow. Returns the number for `remove`.
  mutating func add(
    _ happened: @escaping @Sendable (CapturedPacket) -> Void, ended: @escaping @Sendable () -> Void
  ) -> Int {
    if watchers.isEmpty { (sent, received) = (H4Deframer(side: .controller), H4Deframer(side: .host)) }
    defer { nextID += 1 }
    watchers[nextID] = Watcher(happened: happened, ended: ended)
    return nextID
  }

  mutating func remove(_ id: Int) { watchers[id] = nil }

  /// Passes octets sent in `direction` to the watchers. `sinceEpoch` is the time since 1970.
  mutating func take(_ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, sinceEpoch: Duration) {
    guard !watchers.isEmpty else { return }
    let (watchers, microseconds) = (watchers, sinceEpoch.inNanoseconds / 1000)
    func tell(_ type: H4PacketType, _ packet: Span<UInt8>) {
      var octets = [type.rawValue]
      packet.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
      let packet = CapturedPacket(direction, microseconds: microseconds, octets: octets)
      for watcher in watchers.values { watcher.happened(packet) }
    }
    switch direction {
    case .hostToController: sent.push(octets, tell)
    case .controllerToHost: received.push(octets, tell)
    }
  }

  /// Tells the watchers that no more packets will follow.
  mutating func finish() {
    for watcher in watchers.values { watcher.ended() }
    watchers = [:]
  }
}

/// Watching the packets of a running accessory.
extension Accessory {
  /// What a packet decoder needs to know about an attribute.
  package struct NamedAttribute: Sendable {
    /// Its handle.
    package var handle: UInt16
    /// Its type.
    package var uuid: BluetoothUUID
    /// The id of the characteristic, if the attribute is a characteristic value.
    package var name: String?
    /// Whether it is a descriptor.
    package var isDescriptor: Bool
    /// The format of its value.
    package var format: ValueFormat?
  }

  /// Calls `happened` on the loop for every packet between host and controller, and `ended` when no more
  /// packets will follow. Returns the number for `forget(packetWatcher:)`.
  package func watchPackets(
    ended: @escaping @Sendable () -> Void, _ happened: @escaping @Sendable (CapturedPacket) -> Void
  ) -> Int {
    guard !hasEnded else {
      ended()
      return -1
    }
    return packetWatchers.add(happened, ended: ended)
  }

  /// Removes a packet watcher.
  package func forget(packetWatcher id: Int) { packetWatchers.remove(id) }

  /// Returns the characteristic values and descriptors of the database.
  package func namedAttributes() -> [NamedAttribute] {
    let database = stack.server.database
    return database.characteristics.flatMap { record -> [NamedAttribute] in
      let value = NamedAttribute(
        handle: record.value, uuid: record.definition.uuid, name: record.definition.id, isDescriptor: false,
        format: stack.application.behavior(of: record.index)?.format)
      return [value]
        + database.descriptors(of: record).map {
          NamedAttribute(handle: $0.handle, uuid: $0.type, isDescriptor: true)
        }
    }
  }
}
