import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Foundation

/// The discovery of attributes. The system discovers each attribute once for all apps, and again after Service Changed.
extension PhoneSystem {
  // MARK: - The system's own discovery

  /// Discovers the primary services, subscribes to Service Changed and reads the device's name, unless the services are known.
  func discoverServices(on link: PhoneLink) {
    guard !link.isDiscovering else { return }
    let device = link.device
    guard !device.attributes.areServicesKnown else { return servicesKnown(link) }
    (link.isDiscovering, link.haveServicesChanged) = (true, false)
    perform(.discoverPrimaryServices, on: link) { [unowned self] outcome in
      link.isDiscovering = false
      guard case .success(.services(let found)) = outcome else {
        if case .failure(let failure) = outcome { finishWaiting(link, .failure(failure)) }
        return
      }
      guard !link.haveServicesChanged else { return discoverServices(on: link) }
      device.attributes.found(found)
      shareDevices()
      servicesKnown(link)
      watchServices(on: link)
    }
  }

  private func servicesKnown(_ link: PhoneLink) { finishWaiting(link, .success(link.device.attributes.services ?? [])) }

  private func finishWaiting(_ link: PhoneLink, _ result: Result<[RemoteService], GATTFailure>) {
    let waiting = link.waiting
    link.waiting = []
    for body in waiting { body(result) }
  }

  /// Subscribes to Service Changed, and reads the Device Name.
  private func watchServices(on link: PhoneLink) {
    let device = link.device
    if let attribute = device.attributes.services?.first(where: { $0.uuid == .genericAttribute }),
      !device.attributes.withCharacteristics.contains(attribute.handles.lowerBound)
    {
      withCharacteristics(of: attribute.handles.lowerBound, on: link) { [unowned self] _ in
        guard let changed = device.attributes.serviceChanged else { return }
        configure(changed, [0x02, 0x00], on: link) { _ in }
      }
    }
    guard device.deviceName == nil else { return }
    perform(.readByType(.deviceName, 0x0001...0xFFFF), on: link) { [unowned self] outcome in
      guard case .success(.values(let values)) = outcome, let octets = values.first?.value else { return }
      named(device, String(decoding: octets, as: UTF8.self))
    }
  }

  private func named(_ device: Device, _ name: String) {
    let isNew = device.name != name
    device.deviceName = name
    shareDevices()
    guard isNew else { return }
    for id in (device.link?.users ?? []).sorted() {
      deliver(AppPeer(manager: id, device: device.identifier), "didUpdateName", ["name": .string(name)]) { peripheral in
        peripheral.currentName = name
        peripheral.delegate?.peripheralDidUpdateName(peripheral)
      }
    }
  }

  /// Handles a change of a device's services: forgets the services in the range, tells the apps, and discovers the services again.
  func servicesChanged(_ range: ClosedRange<UInt16>, on handle: ConnectionHandle) {
    guard let link = link(handle) else { return }
    link.serviceChanged = link.device.attributes.serviceChanged ?? link.serviceChanged
    link.device.attributes.invalidate(range)
    link.haveServicesChanged = true
    link.subscribers = link.subscribers.filter { !range.contains($0.key) }
    for id in link.users.sorted() {
      deliver(AppPeer(manager: id, device: link.device.identifier), "didModifyServices") { peripheral in
        let gone = peripheral.$attributes.change { $0.invalidate(range) }
        peripheral.delegate?.peripheral(peripheral, didModifyServices: gone)
      }
    }
    discoverServices(on: link)
  }

  // MARK: - Calls of apps

  func discoverServices(_ uuids: [BluetoothUUID]?, of peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    link.waiting.append { [unowned self] result in
      switch result {
      case .failure(let failure):
        report(failure, to: peer, "didDiscoverServices") { $0.delegate?.peripheral($0, didDiscoverServices: $1) }
      case .success(let all):
        let found = all.filter { service in
          !persona.hiddenServices.contains(service.uuid) && uuids?.contains(service.uuid) ?? true
        }
        deliver(peer, "didDiscoverServices", ["services": .array(found.map { .string("\($0.uuid)") })]) { peripheral in
          peripheral.$attributes.change { attributes in
            attributes.add(found.map { attributes.object(of: $0, peripheral) })
          }
          peripheral.delegate?.peripheral(peripheral, didDiscoverServices: nil)
        }
      }
    }
    discoverServices(on: link)
  }

  func discoverIncludes(_ uuids: [BluetoothUUID]?, of service: CBService, _ peer: AppPeer) {
    let start = service.handles.lowerBound
    guard let link = device(peer.device)?.link else { return }
    let then = { [unowned self] (failure: GATTFailure?) in
      if let failure {
        return report(failure, to: peer, "didDiscoverIncludedServices") {
          $0.delegate?.peripheral($0, didDiscoverIncludedServicesFor: service, error: $1)
        }
      }
      let includes = link.device.attributes.service(start)?.includes ?? []
      let found = includes.compactMap { includedService($0, of: link.device) }
        .filter { uuids?.contains($0.uuid) ?? true }
      deliver(peer, "didDiscoverIncludedServices") { peripheral in
        peripheral.$attributes.change { attributes in
          service.foundIncludes = found.map { attributes.object(of: $0, peripheral) }
        }
        peripheral.delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: nil)
      }
    }
    withService(containing: start, on: link) { [unowned self] result in
      guard case .success(let known) = result else {
        if case .failure(let failure) = result { then(failure) }
        return
      }
      guard !link.device.attributes.withIncludes.contains(start) else { return then(nil) }
      perform(.findIncludedServices(known.handles), on: link) { outcome in
        guard case .success(.includes(let includes)) = outcome else { return then(outcome.failure) }
        link.device.attributes.change(start) { $0.includes = includes }
        link.device.attributes.withIncludes.insert(start)
        then(nil)
      }
    }
  }

  /// Returns the service that an include declaration refers to.
  private func includedService(_ include: RemoteInclude, of device: Device) -> RemoteService? {
    if let known = device.attributes.service(include.handles.lowerBound) { return known }
    guard let uuid = include.uuid else { return nil }
    let service = RemoteService(handles: include.handles, uuid: uuid, isPrimary: false)
    device.attributes.included.append(service)
    return service
  }

  func discoverCharacteristics(_ uuids: [BluetoothUUID]?, of service: CBService, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    let start = service.handles.lowerBound
    withCharacteristics(of: start, on: link) { [unowned self] failure in
      if let failure {
        return report(failure, to: peer, "didDiscoverCharacteristics") {
          $0.delegate?.peripheral($0, didDiscoverCharacteristicsFor: service, error: $1)
        }
      }
      let found = (link.device.attributes.service(start)?.characteristics ?? [])
        .filter { uuids?.contains($0.uuid) ?? true }
      let fields: [String: ProfileValue] = ["service": .string(service.uuid.description)]
      deliver(peer, "didDiscoverCharacteristics", fields) { peripheral in
        service.add(found)
        peripheral.delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: nil)
      }
    }
  }

  func discoverDescriptors(of characteristic: CBCharacteristic, _ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    withDescriptors(of: characteristic.remote.value, on: link) { [unowned self] failure in
      if let failure {
        return report(failure, to: peer, "didDiscoverDescriptors") {
          $0.delegate?.peripheral($0, didDiscoverDescriptorsFor: characteristic, error: $1)
        }
      }
      let found = link.device.attributes.characteristic(characteristic.remote.value)?.descriptors ?? []
      deliver(peer, "didDiscoverDescriptors", ["characteristic": .string(characteristic.uuid.description)]) {
        peripheral in
        characteristic.add(found)
        peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: nil)
      }
    }
  }

  // MARK: - Parts of the database

  /// Calls `then` with the service that contains a handle as soon as the services of this link are known, or with an error if there is
  /// none. An app may use an object from an earlier link before the services are known, or an object of a service that no longer exists.
  private func withService(
    containing handle: UInt16, on link: PhoneLink, then: @escaping (Result<RemoteService, GATTFailure>) -> Void
  ) {
    let device = link.device
    let find = { (failure: GATTFailure?) in
      if let service = device.attributes.service(containing: handle) { return then(.success(service)) }
      then(.failure(failure ?? .refused(.attributeNotFound, request: .readByGroupTypeRequest, handle: handle)))
    }
    guard !device.attributes.areServicesKnown, device.attributes.service(containing: handle) == nil else {
      return find(nil)
    }
    link.waiting.append { result in if case .failure(let failure) = result { find(failure) } else { find(nil) } }
    discoverServices(on: link)
  }

  /// Calls `then` when the characteristics of the service that contains a handle are known, or with the reason why they are not.
  func withCharacteristics(of handle: UInt16, on link: PhoneLink, then: @escaping (GATTFailure?) -> Void) {
    let device = link.device
    withService(containing: handle, on: link) { [unowned self] result in
      guard case .success(let service) = result else {
        if case .failure(let failure) = result { then(failure) }
        return
      }
      let start = service.handles.lowerBound
      guard !device.attributes.withCharacteristics.contains(start) else { return then(nil) }
      perform(.discoverCharacteristics(service.handles), on: link) { outcome in
        guard case .success(.characteristics(let found)) = outcome else { return then(outcome.failure) }
        // The service may have changed meanwhile.
        guard device.attributes.service(start) != nil else { return then(nil) }
        device.attributes.change(start) { $0.characteristics = found }
        device.attributes.withCharacteristics.insert(start)
        then(nil)
      }
    }
  }

  /// Calls `then` when the descriptors of a characteristic are known, or with the reason why they are not.
  func withDescriptors(of value: UInt16, on link: PhoneLink, then: @escaping (GATTFailure?) -> Void) {
    let device = link.device
    guard let characteristic = device.attributes.characteristic(value) else {
      return withCharacteristics(of: value, on: link) { [unowned self] failure in
        if let failure { return then(failure) }
        guard device.attributes.characteristic(value) != nil else {
          return then(.refused(.attributeNotFound, request: .readByTypeRequest, handle: value))
        }
        withDescriptors(of: value, on: link, then: then)
      }
    }
    guard !device.attributes.withDescriptors.contains(value), let handles = characteristic.descriptorHandles else {
      return then(nil)
    }
    perform(.discoverDescriptors(handles), on: link) { outcome in
      guard case .success(.descriptors(let found)) = outcome else { return then(outcome.failure) }
      device.attributes.learn(found, of: value)
      then(nil)
    }
  }

  // MARK: - Failures

  /// Tells an app that an operation has failed. Does not report an operation that ended with its link.
  func report(
    _ failure: GATTFailure, to peer: AppPeer, _ event: String, _ fields: [String: ProfileValue] = [:],
    _ body: @escaping @Sendable (CBPeripheral, any Error) -> Void
  ) {
    guard let error = failure.appError else { return }
    let fields = fields.merging(["error": .string(error.localizedDescription)]) { $1 }
    deliver(peer, event, fields) { body($0, error) }
  }
}

extension GATTOutcome {
  /// Why an operation has failed. A result of the wrong kind, which cannot happen, counts as a violation.
  var failure: GATTFailure {
    if case .failure(let failure) = self { failure } else { .violation(.unexpectedResponse(.errorResponse)) }
  }
}

extension GATTFailure {
  /// The error that an app gets; nil for the end of the link, which has a callback of its own.
  var appError: (any Error)? {
    switch self {
    case .refused(let code, _, _): CBATTError(code)
    case .tooLong: CBATTError(.invalidAttributeValueLength)
    case .noConfiguration: CBATTError(.requestNotSupported)
    case .violation, .mismatch, .noSigningKey, .tooFewAttributes: CBError(.unknown)
    case .timedOut, .closed: nil
    }
  }
}

extension CBService {
  /// Adds discovered characteristics to the list, and keeps existing objects.
  func add(_ found: [RemoteCharacteristic]) {
    $found.change { list in
      var all = list ?? []
      for remote in found where !all.contains(where: { $0.remote.declaration == remote.declaration }) {
        all.append(CBCharacteristic(remote, of: self))
      }
      list = all.sorted { $0.remote.declaration < $1.remote.declaration }
    }
  }
}

extension CBCharacteristic {
  /// Sets the descriptors, and keeps existing objects.
  func add(_ found: [RemoteDescriptor]) {
    $found.change { list in
      let known = list ?? []
      list = found.map { remote in known.first { $0.handle == remote.handle } ?? CBDescriptor(remote, of: self) }
    }
  }
}

extension CBPeripheral {
  /// Notes that the link has ended, and its subscriptions with it.
  func forgetLink() {
    mtu = 23
    commands.reset()
    for characteristic in attributes.characteristics { characteristic.isSubscribed = false }
  }
}

extension CBCentralManager {
  /// Notes that Bluetooth is off: the scan and all connections have ended.
  func forgetConnections() {
    scanEnded()
    for peripheral in existingPeripherals {
      peripheral.currentState = .disconnected
      peripheral.forgetLink()
    }
  }
}
