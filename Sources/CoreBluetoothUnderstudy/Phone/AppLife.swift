import AccessoryProfile
import BLECore
import Dispatch
import Foundation

/// The life cycle of apps.
extension PhoneControls {
  /// Moves an app to the background. This suspends an app without the background mode.
  public func moveToBackground(_ app: PhoneApp) { access.perform { $0.moveToBackground(app) } }

  /// Brings an app to the foreground. A suspended app gets the events that it has missed. An app that does not run is launched.
  public func open(_ app: PhoneApp) { access.perform { $0.open(app) } }

  /// Ends an app in the background, as the system does to free memory. Scans and connections of managers with a restore identifier go on,
  /// and their next event launches the app again.
  public func terminate(_ app: PhoneApp) { access.perform { $0.terminate(app, preserving: true) } }

  /// Closes an app, as the person does in the app switcher. Its scans and connections end.
  public func forceQuit(_ app: PhoneApp) { access.perform { $0.terminate(app, preserving: false) } }

  /// Sets the code that starts the app when the system or `open` launches it. It gets the restore identifiers that iOS passes in launch
  /// options.
  public func whenLaunched(_ app: PhoneApp, _ body: @escaping @Sendable ([String]) -> Void) { app.launch = body }

  /// Answers the system's question for permission, or changes the app's permission in Settings. As on iOS, a change in Settings ends the
  /// app and its connections.
  public func setPermission(_ permission: CBManagerAuthorization, for app: PhoneApp) {
    access.perform { $0.setPermission(permission, for: app) }
  }
}

extension PhoneSystem {
  // MARK: - Launching and ending

  func moveToBackground(_ app: PhoneApp) {
    guard app.phase == .foreground else { return }
    app.phase = app.hasBackgroundMode ? .background : .suspended
    if app.phase == .suspended, persona.endsLinksOfSuspendedApps { endLinks(of: app) }
  }

  func open(_ app: PhoneApp) {
    let wasRunning = app.phase != .terminated
    app.phase = .foreground
    if !wasRunning { launch(app, with: []) }
  }

  func launch(_ app: PhoneApp, with identifiers: [String]) {
    guard let body = app.launch else { return }
    journal(.object(["event": .string("launch"), "app": .string(app.name)]))
    deliveries.append(Delivery(app: app, target: .queue(.main)) { body(identifiers) })
  }

  func terminate(_ app: PhoneApp, preserving: Bool) {
    journal(.object(["event": .string(preserving ? "terminated" : "force-quit"), "app": .string(app.name)]))
    app.phase = .terminated
    dropDeliveries(of: app)
    for record in managers where record.app === app {
      if preserving, record.restoreIdentifier != nil {
        record.preserve(devices)
      } else {
        removeManager(record.id)
      }
    }
  }

  func endLinks(of app: PhoneApp) {
    for record in managers where record.app === app {
      for device in devices where device.wanted[record.id] != nil {
        drop(record.id, from: device)
        reportEnd(of: device, to: record.id, error: nil, isReconnecting: false)
      }
    }
  }

  /// Launches an app that the system has ended, for an event of a preserved manager.
  func wake(_ app: PhoneApp) {
    guard app.phase == .terminated, app.launch != nil else { return }
    app.phase = app.hasBackgroundMode ? .background : .suspended
    launch(app, with: managers.filter { $0.app === app && $0.isPreserved }.compactMap(\.restoreIdentifier))
  }

  /// Hands the scan and the connections of a preserved manager to a new one with the same restore identifier. Returns the callbacks that
  /// were held meanwhile.
  func restore(_ record: ManagerRecord) -> [HeldCallback] {
    guard let identifier = record.restoreIdentifier,
      let earlier = managers.first(where: {
        $0.isPreserved && $0.app === record.app && $0.restoreIdentifier == identifier && $0 !== record
      })
    else { return [] }
    managers.removeAll { $0 === earlier }
    record.scan = earlier.scan
    record.events = earlier.events
    var restored: [RestoredDevice] = []
    for device in devices {
      guard let wanted = device.wanted.removeValue(forKey: earlier.id) else { continue }
      device.wanted[record.id] = wanted
      let isConnected = device.link.map { $0.users.remove(earlier.id) != nil } ?? false
      var subscribed: [UInt16] = []
      if let link = device.link, isConnected {
        link.users.insert(record.id)
        for handle in link.subscribers.keys where link.subscribers[handle]?.remove(earlier.id) != nil {
          link.subscribers[handle]?.insert(record.id)
          subscribed.append(handle)
        }
      }
      restored.append(
        RestoredDevice(
          known: device.known, isConnected: isConnected, mtu: device.link.map { mtu(of: $0) } ?? 23,
          services: earlier.discovered[device.identifier] ?? [], subscribed: subscribed))
    }
    deliverRestoration(restored, to: record)
    return earlier.takeHeld()
  }

  /// Queues the callbacks that were held while the app did not run.
  func deliver(_ held: [HeldCallback], to record: ManagerRecord) {
    for callback in held {
      deliveries.append(
        Delivery(app: record.app, target: .queue(record.queue)) { [weak manager = record.manager] in
          if let manager { callback.body(manager) }
        })
    }
  }

  private func deliverRestoration(_ restored: [RestoredDevice], to record: ManagerRecord) {
    let scan = record.scan
    let fields: [String: ProfileValue] = ["peripherals": .array(restored.map { .string($0.known.name ?? "") })]
    deliver(to: record, "willRestoreState", fields) { manager in
      var state: [String: Any] = [:]
      if !restored.isEmpty {
        state[CBCentralManagerRestoredStatePeripheralsKey] = restored.map { $0.peripheral(of: manager) }
      }
      if let scan {
        state[CBCentralManagerRestoredStateScanServicesKey] = (scan.services ?? []).map { CBUUID($0) }
        state[CBCentralManagerRestoredStateScanOptionsKey] = [
          CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: scan.allowsDuplicates)
        ]
        manager.scanRestored()
      }
      manager.delegate?.centralManager(manager, willRestoreState: state)
    }
  }

  // MARK: - Permission

  /// Shows an alert that asks the person whether an app may use Bluetooth. `setPermission` answers it.
  func askForPermission(_ app: PhoneApp) { app.alert("\(app.name) would like to use Bluetooth") }

  func setPermission(_ permission: CBManagerAuthorization, for app: PhoneApp) {
    let wasDetermined = app.permission != .notDetermined
    app.permission = permission
    guard !wasDetermined else { return terminate(app, preserving: false) }
    for record in managers where record.app === app { updateState(of: record) }
  }
}
