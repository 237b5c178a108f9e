import BLECore
import BLEHCI

/// The state of a controller at one moment, to compare with its host's view of it.
package struct ControllerSnapshot: Hashable, Sendable {
  /// One of its connections.
  package struct Connection: Hashable, Sendable {
    /// The connection handle at this controller's host.
    package var handle: ConnectionHandle
    /// The number of the host's data packets that it holds because they have not reached the peer.
    package var packetsHeld: Int
    /// The number of data packets that the host has not yet returned; zero without controller-to-host flow control.
    package var packetsAtHost: Int
    /// Whether it is encrypted.
    package var isEncrypted: Bool
  }

  /// The connections, by ascending handle.
  package var connections: [Connection]
  /// The connections of BR/EDR, by ascending handle.
  package var classicConnections: [Connection] = []
  /// The number of enabled advertising sets, including legacy advertising.
  package var enabledSets: Int
  /// Whether it scans.
  package var isScanning: Bool
  /// Whether it is creating a connection.
  package var isInitiating: Bool
}

extension Air {
  /// Returns whether a controller now advertises under this address, whether the host or the controller generated it.
  package func isAdvertising(_ id: ControllerID, as address: DeviceAddress) -> Bool {
    guard let controller = controller(id) else { return false }
    return controller.state.sets.contains { $0.isEnabled && controller.advertisement(of: $0)?.own.address == address }
  }

  /// Returns the addresses under which a controller advertises now.
  package func advertisingAddresses(of id: ControllerID) -> Set<DeviceAddress> {
    guard let controller = controller(id) else { return [] }
    return Set(
      controller.state.sets.filter(\.isEnabled).compactMap { controller.advertisement(of: $0)?.own.address })
  }

  /// Returns the state of a controller now; nil for an unknown one.
  package func snapshot(of id: ControllerID) -> ControllerSnapshot? {
    guard let controller = controller(id) else { return nil }
    return ControllerSnapshot(
      connections: controller.connections.map { link, side in
        let end = link[side]
        return ControllerSnapshot.Connection(
          handle: ConnectionHandle(rawValue: end.handle), packetsHeld: end.heldPackets,
          packetsAtHost: controller.hostBuffers.usedCount(of: end.handle), isEncrypted: link.isEncrypted)
      },
      classicConnections: (controller.classic?.openLinks ?? []).map { link, end in
        ControllerSnapshot.Connection(
          handle: end.connectionHandle, packetsHeld: end.heldPackets,
          packetsAtHost: controller.hostBuffers.usedCount(of: end.handle), isEncrypted: link.security.encryption != .off
        )
      },
      enabledSets: controller.state.sets.count { $0.isEnabled }, isScanning: controller.state.scanner != nil,
      isInitiating: controller.state.initiator != nil)
  }
}
