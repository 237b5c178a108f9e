import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import CentralHost
import Foundation

/// Connecting to any number of devices at the same time, without a time limit.
///
/// A controller connects to one device at a time. If apps want a single device and its address does not change, the controller waits for
/// it. Otherwise the phone scans, and connects to each wanted device when it hears it.
extension PhoneSystem {
  /// How long the controller may take to connect to a device that was just heard, before other devices get their turn.
  private static let turn = Duration.seconds(2)

  // MARK: - Calls of apps

  func connect(_ identifier: UUID, _ request: AppConnection, for id: ManagerID) {
    guard let device = device(identifier), let record = record(id) else { return }
    if let link = device.link, link.end == nil {
      device.wanted[id] = request
      if link.isAnnounced { announce(device, to: record) }
      return
    }
    guard device.link == nil else {
      device.next[id] = request
      return
    }
    let links = devices.count { $0.link != nil }
    guard links < persona.maximumLinks else {
      return failToConnect(device, record, CBError(.connectionLimitReached))
    }
    var request = request
    if request.startDelay > .zero {
      request.isDue = false
      after(request.startDelay) { device.wanted[id]?.isDue = true }
    }
    device.wanted[id] = request
  }

  func cancelConnection(_ identifier: UUID, for id: ManagerID) {
    guard let device = device(identifier) else { return }
    device.next[id] = nil
    guard device.wanted[id] != nil else { return }
    let isLast = device.wanted.count == 1
    guard let link = device.link, isLast, !link.isClassic else {
      drop(id, from: device)
      return reportEnd(of: device, to: id, error: nil, isReconnecting: false)
    }
    // `linkEnded` reports the end.
    end(link, .unused)
  }

  func registerForConnectionEvents(_ events: AppConnectionEvents, for id: ManagerID) { record(id)?.events = events }

  /// Removes a manager from the users of a device. The link ends with its last user.
  func drop(_ id: ManagerID, from device: Device) {
    device.wanted[id] = nil
    device.next[id] = nil
    guard let link = device.link else { return }
    link.users.remove(id)
    for handle in link.subscribers.keys where link.subscribers[handle]?.contains(id) ?? false {
      unsubscribe(id, from: handle, on: link) { _ in }
    }
    for pipe in link.channels.values where pipe.peer.manager == id { closeChannel(pipe, on: link) }
    if device.wanted.isEmpty, !link.isClassic { end(link, .unused) }
  }

  func end(_ link: PhoneLink, _ reason: LinkEnd) {
    guard link.end == nil else { return }
    link.end = reason
    perform(.disconnect(link.handle, reason: .remoteUserTerminatedConnection))
  }

  // MARK: - The controller

  /// The devices that apps want connected but that are not.
  private var missing: [Device] {
    devices.filter { device in device.link == nil && device.wanted.values.contains(where: \.isDue) }
  }

  /// Whether the phone must hear devices before it can connect to them.
  var hasToHearDevices: Bool {
    let missing = missing
    return missing.count > 1 || missing.contains { !$0.hasLastingAddress }
  }

  func planConnections() {
    let missing = missing
    guard let device = connecting else {
      if missing.count == 1, missing[0].hasLastingAddress { begin(missing[0]) }
      return
    }
    if !missing.contains(where: { $0 === device }) { stopConnecting() }
  }

  /// Connects to a device that was just heard, if an app wants it.
  func heardConnectable(_ device: Device) {
    let missing = missing
    guard missing.contains(where: { $0 === device }) else { return }
    guard connecting == nil else {
      // The controller waits for a single device, but another one is here.
      if connecting !== device, missing.count > 1 { stopConnecting() }
      return
    }
    begin(device)
    guard missing.count > 1 else { return }
    after(Self.turn) { [weak self] in if self?.connecting === device { self?.stopConnecting() } }
  }

  private func begin(_ device: Device) {
    let request = ConnectionRequest(
      to: device.address, type: device.addressType, parameters: persona.linkParameters, phys: persona.connectionPHYs)
    do throws(HostRequestError) {
      try stack.perform(.connect(request), at: now, into: &out)
      connecting = device
    } catch {
      // The controller is still ending its previous attempt. `connectionFailed` follows, and then this device gets its turn.
    }
    collect()
  }

  private func stopConnecting() {
    guard !isCancelingConnection else { return }
    isCancelingConnection = true
    perform(.cancelConnecting)
  }

  func connectionFailed(_ status: ErrorCode) {
    (connecting, isCancelingConnection) = (nil, false)
    plan()
  }

  // MARK: - Results

  /// Tells a manager that a device is connected.
  func announce(_ device: Device, to record: ManagerRecord) {
    guard let link = device.link else { return }
    link.users.insert(record.id)
    if device.wanted[record.id]?.alertsToConnection ?? false, record.app.phase == .suspended {
      record.app.alert("\(device.name ?? "An accessory") is connected")
    }
    let peer = AppPeer(manager: record.id, device: device.identifier)
    let mtu = mtu(of: link)
    deliver(peer, "didConnect") { [isAuthorized = link.showsNotifications] peripheral in
      peripheral.currentState = .connected
      peripheral.isANCSAuthorized = isAuthorized
      peripheral.mtu = mtu
      peripheral.commands.reset()
      peripheral.manager.map { $0.delegate?.centralManager($0, didConnect: peripheral) }
    }
  }

  func failToConnect(_ device: Device, _ record: ManagerRecord, _ error: CBError) {
    device.wanted[record.id] = nil
    let peer = AppPeer(manager: record.id, device: device.identifier)
    deliver(peer, "didFailToConnect", ["error": .string(error.localizedDescription)]) { peripheral in
      peripheral.currentState = .disconnected
      peripheral.manager.map { $0.delegate?.centralManager($0, didFailToConnect: peripheral, error: error) }
    }
  }

  /// Tells a manager that a device is no longer connected to it.
  func reportEnd(of device: Device, to id: ManagerID, error: CBError?, isReconnecting: Bool) {
    let peer = AppPeer(manager: id, device: device.identifier)
    if error != nil, let record = record(id), record.app.phase == .suspended,
      device.wanted[id]?.alertsToDisconnection ?? false
    {
      record.app.alert("\(device.name ?? "An accessory") is disconnected")
    }
    let time = persona.clock.secondsSinceReferenceDate(at: now)
    let fields = error.map { ["error": ProfileValue.string($0.localizedDescription)] } ?? [:]
    let isConnecting = isReconnecting || device.next[id] != nil
    deliver(peer, "didDisconnectPeripheral", fields) { peripheral in
      peripheral.currentState = isConnecting ? .connecting : .disconnected
      peripheral.forgetLink()
      peripheral.manager.map { manager in
        manager.delegate?.centralManager(
          manager, didDisconnectPeripheral: peripheral, timestamp: time, isReconnecting: isReconnecting, error: error)
      }
    }
  }
}
