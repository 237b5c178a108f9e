import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Foundation

/// Reads, writes and subscriptions.
extension PhoneSystem {
  // MARK: - Reading

  func read(_ characteristic: CBCharacteristic, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    let fields: [String: ProfileValue] = ["characteristic": .string(characteristic.uuid.description)]
    perform(.read(characteristic.remote.value), on: link) { [unowned self] outcome in
      guard case .success(.value(let value)) = outcome else {
        return report(outcome.failure, to: peer, "didUpdateValue", fields) {
          $0.delegate?.peripheral($0, didUpdateValueFor: characteristic, error: $1)
        }
      }
      deliver(value, of: characteristic, to: peer)
    }
  }

  private func deliver(_ value: [UInt8], of characteristic: CBCharacteristic, to peer: AppPeer) {
    let fields: [String: ProfileValue] = [
      "characteristic": .string(characteristic.uuid.description), "hex": .string(value.hexadecimal),
    ]
    deliver(peer, "didUpdateValue", fields) { peripheral in
      characteristic.currentValue = Data(value)
      peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
    }
  }

  func read(_ descriptor: CBDescriptor, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    let fields: [String: ProfileValue] = ["descriptor": .string(descriptor.uuid.description)]
    perform(.read(descriptor.handle), on: link) { [unowned self] outcome in
      guard case .success(.value(let value)) = outcome else {
        return report(outcome.failure, to: peer, "didUpdateValue", fields) {
          $0.delegate?.peripheral($0, didUpdateValueFor: descriptor, error: $1)
        }
      }
      deliver(peer, "didUpdateValue", fields) { peripheral in
        descriptor.octets = value
        peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: nil)
      }
    }
  }

  // MARK: - Writing

  func write(_ value: [UInt8], to characteristic: CBCharacteristic, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    let fields: [String: ProfileValue] = ["characteristic": .string(characteristic.uuid.description)]
    perform(.write(characteristic.remote.value, value), on: link) { [unowned self] outcome in
      guard case .success = outcome else {
        return report(outcome.failure, to: peer, "didWriteValue", fields) {
          $0.delegate?.peripheral($0, didWriteValueFor: characteristic, error: $1)
        }
      }
      deliver(peer, "didWriteValue", fields) {
        $0.delegate?.peripheral($0, didWriteValueFor: characteristic, error: nil)
      }
    }
  }

  func write(_ value: [UInt8], to descriptor: CBDescriptor, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    let fields: [String: ProfileValue] = ["descriptor": .string(descriptor.uuid.description)]
    perform(.write(descriptor.handle, value), on: link) { [unowned self] outcome in
      guard case .success = outcome else {
        return report(outcome.failure, to: peer, "didWriteValue", fields) {
          $0.delegate?.peripheral($0, didWriteValueFor: descriptor, error: $1)
        }
      }
      deliver(peer, "didWriteValue", fields) { $0.delegate?.peripheral($0, didWriteValueFor: descriptor, error: nil) }
    }
  }

  /// Queues a write without response, because the link takes only a few at a time.
  func writeCommand(_ value: [UInt8], to characteristic: CBCharacteristic, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    link.unsent.append(.command(peer, handle: characteristic.remote.value, value: value))
    sendCommands(on: link.handle)
  }

  func sendCommands(on handle: ConnectionHandle) {
    guard let link = link(handle) else { return }
    while let next = link.unsent.first {
      switch next {
      case .command(let peer, let attribute, let value):
        let isSent = stack.writeCommand(value.span, to: attribute, on: handle, into: &out)
        // Without room, wait for `readyForMore`. With room, the value is too long for the MTU: drop it, as Core Bluetooth does.
        guard isSent || stack.hasRoom(handle) else { return collect() }
        link.unsent.removeFirst()
        commandSent(by: peer)
      case .operation(let operation, let then):
        link.unsent.removeFirst()
        begin(operation, on: link, then: then)
      }
    }
    collect()
  }

  private func commandSent(by peer: AppPeer) {
    guard let peripheral = record(peer.manager)?.manager?.existing(peer.device),
      peripheral.$commands.change({ $0.sent() })
    else { return }
    deliver(peer, "isReadyToSendWriteWithoutResponse") {
      $0.delegate?.peripheralIsReady(toSendWriteWithoutResponse: $0)
    }
  }

  // MARK: - Subscribing

  /// Starts or ends an app's subscription to a characteristic. The device has one subscription for all apps.
  func subscribe(_ isOn: Bool, to characteristic: CBCharacteristic, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    let handle = characteristic.remote.value
    let fields: [String: ProfileValue] = [
      "characteristic": .string(characteristic.uuid.description), "notifying": .bool(isOn),
    ]
    let then = { [unowned self] (failure: GATTFailure?) in
      if let failure {
        return report(failure, to: peer, "didUpdateNotificationState", fields) {
          $0.delegate?.peripheral($0, didUpdateNotificationStateFor: characteristic, error: $1)
        }
      }
      deliver(peer, "didUpdateNotificationState", fields) { peripheral in
        characteristic.isSubscribed = isOn
        peripheral.delegate?.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: nil)
      }
    }
    guard isOn else { return unsubscribe(peer.manager, from: handle, on: link, then) }
    let properties = characteristic.remote.properties
    guard properties.contains(.notify) || properties.contains(.indicate) else {
      return then(.noConfiguration(handle: handle))
    }
    guard link.subscribers[handle, default: []].isEmpty else {
      link.subscribers[handle, default: []].insert(peer.manager)
      return then(nil)
    }
    let octets: [UInt8] = properties.contains(.notify) ? [0x01, 0x00] : [0x02, 0x00]
    link.subscribing[handle, default: []].insert(peer.manager)
    configure(handle, octets, on: link) { outcome in
      link.subscribing[handle]?.remove(peer.manager)
      guard case .success = outcome else { return then(outcome.failure) }
      link.subscribers[handle, default: []].insert(peer.manager)
      then(nil)
    }
  }

  /// Ends a manager's subscription, and the device's if it was the last one.
  func unsubscribe(
    _ id: ManagerID, from handle: UInt16, on link: PhoneLink, _ then: @escaping (GATTFailure?) -> Void
  ) {
    link.subscribers[handle]?.remove(id)
    guard link.subscribers[handle, default: []].isEmpty else { return then(nil) }
    link.subscribers[handle] = nil
    configure(handle, [0x00, 0x00], on: link) { outcome in
      if case .failure(let failure) = outcome { then(failure) } else { then(nil) }
    }
  }

  /// Writes the Client Characteristic Configuration of a characteristic. Discovers the descriptor first if needed.
  func configure(_ value: UInt16, _ octets: [UInt8], on link: PhoneLink, then: @escaping (GATTOutcome) -> Void) {
    withDescriptors(of: value, on: link) { [unowned self] failure in
      if let failure { return then(.failure(failure)) }
      guard let descriptor = link.device.attributes.characteristic(value)?.configuration else {
        return then(.failure(.noConfiguration(handle: value)))
      }
      perform(.write(descriptor, octets), on: link, then: then)
    }
  }

  /// Handles a notified or indicated value.
  func received(_ value: [UInt8], of handle: UInt16, on connection: ConnectionHandle) {
    guard let link = link(connection) else { return }
    if handle == link.device.attributes.serviceChanged ?? link.serviceChanged {
      return servicesChanged(GATTClient.changedRange(value), on: connection)
    }
    let subscribers = link.subscribers[handle, default: []].union(link.subscribing[handle, default: []])
    for id in subscribers.sorted() {
      let peer = AppPeer(manager: id, device: link.device.identifier)
      alertToNotification(link.device, id)
      let fields: [String: ProfileValue] = [
        "characteristic": .string("\(link.device.attributes.characteristic(handle)?.uuid ?? BluetoothUUID(0))"),
        "hex": .string(value.hexadecimal),
      ]
      deliver(peer, "didUpdateValue", fields) { peripheral in
        guard let characteristic = peripheral.attributes.characteristic(handle) else { return }
        characteristic.currentValue = Data(value)
        peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
      }
    }
  }

  private func alertToNotification(_ device: Device, _ id: ManagerID) {
    guard let record = record(id), record.app.phase == .suspended, device.wanted[id]?.alertsToNotifications ?? false
    else { return }
    record.app.alert("\(device.name ?? "An accessory") has sent a value")
  }
}
