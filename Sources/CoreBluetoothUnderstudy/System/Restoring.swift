import BLEGATT
import Foundation

/// A device that a relaunched app gets back.
struct RestoredDevice: Sendable {
  let known: KnownDevice
  let isConnected: Bool
  let mtu: Int
  /// The services that the app had discovered, with their discovered contents.
  let services: [RemoteService]
  /// The value handles of its subscriptions.
  let subscribed: [UInt16]

  /// Returns the app's object for the device, in the state in which the app left it.
  func peripheral(of manager: CBCentralManager) -> CBPeripheral {
    let peripheral = manager.peripheral(known)
    peripheral.currentState = isConnected ? .connected : .connecting
    peripheral.mtu = mtu
    let objects = peripheral.$attributes.change { attributes in
      services.map { ($0, attributes.object(of: $0, peripheral)) }
    }
    for (remote, service) in objects {
      service.add(remote.characteristics)
      for characteristic in service.characteristics ?? [] {
        characteristic.isSubscribed = subscribed.contains(characteristic.remote.value)
      }
    }
    if !objects.isEmpty { peripheral.$attributes.change { $0.add(objects.map(\.1)) } }
    return peripheral
  }
}

extension ManagerRecord {
  /// Keeps the manager's scan, connections and discovered services for the next launch of its app.
  func preserve(_ devices: [Device]) {
    isPreserved = true
    for peripheral in manager?.existingPeripherals ?? [] {
      guard let device = devices.first(where: { $0.identifier == peripheral.identifier }) else { continue }
      discovered[device.identifier] = (peripheral.services ?? []).compactMap { service in
        var known = device.attributes.service(service.handles.lowerBound)
        if service.characteristics == nil { known?.characteristics = [] }
        return known
      }
    }
    manager = nil
  }

  /// Returns and forgets the held callbacks.
  func takeHeld() -> [HeldCallback] {
    defer { held = [] }
    return held
  }
}
