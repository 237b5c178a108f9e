import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Foundation

/// The beginning and the end of links.
extension PhoneSystem {
  /// Does what the system does on each new link: encrypts it if there is a bond, exchanges the MTU, and discovers the services.
  func linkMade(_ handle: ConnectionHandle, _ details: ConnectionDetails) {
    guard details.transport == .le else { return classicLinkMade(handle, details) }
    let device = connecting ?? device(at: details.peer, details.peerType)
    (connecting, isCancelingConnection) = (nil, false)
    let link = PhoneLink(handle, to: device)
    device.link = link
    journal(.object(["event": .string("link"), "peripheral": .string(device.name ?? "\(details.peer)")]))
    guard device.wanted.values.contains(where: \.isDue) else { return end(link, .unused) }
    updateNotificationConsent(of: device)
    // An accessory gets notifications of the Notification Center only after it has paired.
    let isToPair = device.wanted.values.contains(where: \.requiresNotificationCenter)
    if device.identity != nil || isToPair { perform(.pair(handle)) }
    perform(.exchangeMTU, on: link) { [unowned self] _ in
      announce(link)
      discoverServices(on: link)
    }
  }

  /// Tells all managers that want the device that it is connected.
  func announce(_ link: PhoneLink) {
    guard !link.isAnnounced, link.end == nil else { return }
    link.isAnnounced = true
    shareDevices()
    for record in managers where link.device.wanted[record.id] != nil { announce(link.device, to: record) }
    reportConnectionEvent(.peerConnected, link.device)
  }

  func linkEnded(_ handle: ConnectionHandle, _ reason: ErrorCode) {
    guard !bridgeEnded(handle), let link = link(handle) else { return }
    let device = link.device
    device.link = nil
    continuations[handle] = nil
    strengthQuestions[handle] = nil
    media.wanted[handle] = nil
    for pipe in link.channels.values { pipe.end() }
    if sheet?.link == handle { dismissSheet() }
    // The system keeps the attributes only of devices that report changes, which are bonded, or that never change.
    if device.identity == nil, !device.attributes.isFixed { device.attributes = DeviceAttributes() }
    shareDevices()
    let error = error(of: link, reason)
    for id in link.users.union(device.wanted.keys).sorted() {
      let isReconnecting = error != nil && link.end == nil && device.wanted[id]?.reconnects ?? false
      // If the app does not know of the link yet, the attempt to connect goes on.
      guard link.users.contains(id) || link.end != nil else { continue }
      reportEnd(of: device, to: id, error: error, isReconnecting: isReconnecting)
      if !isReconnecting { device.wanted[id] = nil }
    }
    let next = device.next
    device.next = [:]
    for (id, request) in next.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      connect(device.identifier, request, for: id)
    }
    reportConnectionEvent(.peerDisconnected, device)
  }

  private func error(of link: PhoneLink, _ reason: ErrorCode) -> CBError? {
    switch link.end {
    case .unused: return nil
    case .forgotten: return CBError(.peripheralDisconnected)
    case .peerRemovedPairing: return CBError(.peerRemovedPairingInformation)
    case nil: break
    }
    return switch reason {
    case .connectionTimeout, .connectionFailedToBeEstablished: CBError(.connectionTimeout)
    case .remoteUserTerminatedConnection, .remoteDeviceTerminatedPowerOff: CBError(.peripheralDisconnected)
    default: CBError(.connectionFailed)
    }
  }

  /// Returns the ATT MTU of a link, in octets.
  func mtu(of link: PhoneLink) -> Int { stack.linkStates.first { $0.handle == link.handle }?.mtu ?? 23 }

  // MARK: - Connection events

  private func reportConnectionEvent(_ event: CBConnectionEvent, _ device: Device) {
    let known = device.known
    let services = Set((device.attributes.services ?? []).map(\.uuid) + device.advertised.services)
    for record in managers {
      guard let wanted = record.events, record.isAlive else { continue }
      let isAny = wanted.services == nil && wanted.devices == nil
      let fits =
        wanted.devices?.contains(device.identifier) ?? false || !services.isDisjoint(with: wanted.services ?? [])
      guard isAny || fits else { continue }
      let fields: [String: ProfileValue] = ["peripheral": .string(known.name ?? known.identifier.uuidString)]
      deliver(to: record, event == .peerConnected ? "peerConnected" : "peerDisconnected", fields) { manager in
        manager.delegate?.centralManager(
          manager, connectionEventDidOccur: event, for: manager.peripheral(known))
      }
    }
  }

  // MARK: - Signal strength

  func readSignalStrength(_ peer: AppPeer) {
    guard let link = device(peer.device)?.link else { return }
    strengthQuestions[link.handle, default: []].append(peer)
    try? stack.askForSignalStrength(of: link.handle, at: now, into: &out)
    collect()
  }

  func signalStrengthRead(_ decibels: Int?, of handle: ConnectionHandle) {
    for peer in strengthQuestions.removeValue(forKey: handle) ?? [] {
      deliver(peer, "didReadRSSI", ["rssi": .int(Int64(decibels ?? 127))]) { peripheral in
        peripheral.delegate?.peripheral(
          peripheral, didReadRSSI: NSNumber(value: decibels ?? 127), error: decibels == nil ? CBError(.unknown) : nil)
      }
    }
  }
}
