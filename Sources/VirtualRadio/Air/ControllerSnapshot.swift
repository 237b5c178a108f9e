import BLECore
import BLEHCI

/// What a controller is doing at one moment, to hold against what its host takes it to be doing.
package struct ControllerSnapshot: Hashable, Sendable {
  /// One of its connections.
  package struct Connection: Hashable, Sendable {
    /// The handle at this controller's host.
    package var handle: ConnectionHandle
    /// How many of the host's data packets it holds: they are not yet with the peer.
    package var packetsHeld: Int
    /// How many data packets the host has and has not given back; zero without flow control towards the host.
    package var packetsAtHost: Int
    /// Whether it is encrypted.
    package var isEncrypted: Bool
  }

  /// Its connections, by ascending handle.
  package var connections: [Connection]
  /// How many advertising sets are on the air, legacy advertising among them.
  package var enabledSets: Int
  /// Whether it scans.
  package var isScanning: Bool
  /// Whether it is creating a connection.
  package var isInitiating: Bool
}

extension Air {
  /// Whether a controller advertises under that address now, by whomever the address was made.
  package func isAdvertising(_ id: ControllerID, as address: DeviceAddress) -> Bool {
    guard let controller = controller(id) else { return false }
    return controller.state.sets.contains { $0.isEnabled && controller.advertisement(of: $0)?.own.address == address }
  }

  /// The addresses under which a controller advertises now.
  package func advertisingAddresses(of id: ControllerID) -> Set<DeviceAddress> {
    guard let controller = controller(id) else { return [] }
    return Set(
      controller.state.sets.filter(\.isEnabled).compactMap { controller.advertisement(of: $0)?.own.address })
  }

  /// What a controller is doing now; nil for one that is not there.
  package func snapshot(of id: ControllerID) -> ControllerSnapshot? {
    guard let controller = controller(id) else { return nil }
    return ControllerSnapshot(
      connections: controller.connections.map { link, side in
        let end = link[side]
        return ControllerSnapshot.Connection(
          handle: ConnectionHandle(rawValue: end.handle), packetsHeld: end.heldPackets,
          packetsAtHost: controller.hostBuffers.usedCount(of: end.handle), isEncrypted: link.isEncrypted)
      },
      enabledSets: controller.state.sets.count { $0.isEnabled }, isScanning: controller.state.scanner != nil,
      isInitiating: controller.state.initiator != nil)
  }
}
