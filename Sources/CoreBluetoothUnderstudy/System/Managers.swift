import AccessoryProfile
import BLECore
import BLECryptography
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import Dispatch
import Foundation

/// The managers of apps, and the devices that the phone knows.
extension PhoneSystem {
  // MARK: - Managers

  /// Adds a manager. Tells its delegate what was restored, if anything, and then the state.
  func add(_ manager: CBCentralManager, of app: PhoneApp, showsPowerAlert: Bool) {
    let record = ManagerRecord(manager, of: app)
    if let identifier = record.restoreIdentifier,
      managers.contains(where: { $0.app === app && $0.restoreIdentifier == identifier && $0.isAlive })
    {
      app.misuse("two central managers have the restore identifier \(identifier)")
    }
    managers.append(record)
    if !apps.contains(where: { $0 === app }) { apps.append(app) }
    let held = restore(record)
    if showsPowerAlert, power == .off { app.alert("Turn on Bluetooth to allow \(app.name) to connect to accessories") }
    guard app.permission != .notDetermined else { return askForPermission(app) }
    updateState(of: record)
    deliver(held, to: record)
  }

  /// Removes a manager, and ends its scan and connections.
  func removeManager(_ id: ManagerID) {
    guard let place = managers.firstIndex(where: { $0.id == id }) else { return }
    managers.remove(at: place)
    abandon(id)
  }

  /// Ends a manager's scan and connections.
  func abandon(_ id: ManagerID) {
    record(id)?.scan = nil
    for device in devices where device.wanted[id] != nil { drop(id, from: device) }
  }

  /// Tells a manager's delegate the state if it has changed.
  func updateState(of record: ManagerRecord) {
    let state = state(for: record.app)
    deliver(to: record, "didUpdateState", ["state": .string("\(state)")]) { manager in
      guard manager.currentState != state else { return }
      manager.currentState = state
      if state != .poweredOn { manager.forgetConnections() }
      manager.delegate?.centralManagerDidUpdateState(manager)
    }
  }

  private func state(for app: PhoneApp) -> CBManagerState {
    switch app.permission {
    case .denied, .restricted: .unauthorized
    case .notDetermined: .unknown
    case .allowedAlways: shared.state
    }
  }

  // MARK: - Devices

  func device(_ identifier: UUID) -> Device? { devices.first { $0.identifier == identifier } }

  func link(_ handle: ConnectionHandle) -> PhoneLink? { devices.lazy.compactMap(\.link).first { $0.handle == handle } }

  /// Returns the device with this address, the device whose bond resolves the address, or else a new device.
  func device(at address: DeviceAddress, _ type: AddressType) -> Device {
    let isSame = { (device: Device) in device.address == address && device.addressType == type }
    if let known = devices.first(where: isSame) { return known }
    if let bond = bond(resolving: address, type), let known = devices.first(where: { $0.identity == bond.peer }) {
      known.address = address
      known.addressType = type
      return known
    }
    let device = Device(identifier: UUID(random: &random), address: address, type: type)
    devices.append(device)
    forgetDevices()
    shareDevices()
    return device
  }

  /// The number of devices that a phone remembers. Beyond it, a new device replaces an old one that is not bonded, connected or in use.
  static let deviceLimit = 1000

  /// Forgets the oldest device that nothing needs, so that a flood of addresses does not fill the memory.
  private func forgetDevices() {
    guard devices.count > Self.deviceLimit,
      let oldest = devices.firstIndex(where: { device in
        device.identity == nil && device.link == nil && device.wanted.isEmpty && device !== connecting
          && !managers.contains { $0.manager?.existing(device.identifier) != nil }
      })
    else { return }
    let forgotten = devices.remove(at: oldest).identifier
    for record in managers {
      record.reported[forgotten] = nil
      record.heard[forgotten] = nil
    }
  }

  private func bond(resolving address: DeviceAddress, _ type: AddressType) -> Bond? {
    bonds.first { record in
      record.peer == TypedAddress(address: address, type: type)
        || record.bond.identityResolvingKey.flatMap { IdentityResolvingKey($0) }?.resolves(address) ?? false
    }?.bond
  }

  /// Shows apps the present devices and links.
  func shareDevices() {
    shared.devices = Dictionary(uniqueKeysWithValues: devices.map { ($0.identifier, $0.known) })
    shared.connected = devices.filter { $0.link?.isAnnounced ?? false }.map { device in
      ConnectedDevice(device: device.known, services: Set((device.attributes.services ?? []).map(\.uuid)))
    }
  }
}

extension UUID {
  /// Creates a random identifier (version 4) from a generator, so that the same seed gives the same identifiers.
  init(random: inout some RandomNumberGenerator) {
    var octets = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    self = octets.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
