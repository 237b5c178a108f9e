import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import Foundation

/// Switching Bluetooth on and off, resets, and failures of the controller.
extension PhoneSystem {
  func switchOn() {
    switch power {
    case .off: restartStack()
    case .stopping: isToRestart = true
    case .starting, .on, .unsupported: break
    }
  }

  /// Switches Bluetooth off: disconnects links, and ends scans and attempts to connect.
  func switchOff() {
    isToRestart = false
    guard power == .on || power == .starting else { return }
    power = .stopping
    setState(.poweredOff)
    forgetActivity()
    stack.shutDown(at: now, into: &out)
    collect()
  }

  /// Restarts the system's Bluetooth service. Links are lost without notice.
  func reset() {
    guard power == .on else { return }
    setState(.resetting)
    forgetActivity()
    loseLinks()
    restartStack()
  }

  func controllerIsReady() {
    guard power == .starting else { return }
    power = .on
    setState(.poweredOn)
  }

  func controllerHasFailed() {
    loseLinks()
    guard power != .off, power != .stopping else { return }
    power = .unsupported
    setState(.unsupported)
  }

  func hasStopped() {
    guard power == .stopping else { return }
    loseLinks()
    power = .off
    if isToRestart { restartStack() }
    isToRestart = false
  }

  private func setState(_ state: CBManagerState) {
    guard shared.state != state else { return }
    shared.state = state
    journal(.object(["event": .string("bluetooth"), "state": .string("\(state)")]))
    for record in managers where record.isAlive { updateState(of: record) }
  }

  /// Ends the scans and connections of apps, as the system does when Bluetooth is switched off.
  private func forgetActivity() {
    (activeScan, soughtName) = (nil, nil)
    (connecting, isCancelingConnection) = (nil, false)
    // Those of preserved managers stay, even when the phone reboots (WWDC 2017 session 712).
    let preserved = Set(managers.filter(\.isPreserved).map(\.id))
    for record in managers where !record.isPreserved { record.scan = nil }
    for device in devices {
      device.wanted = device.wanted.filter { preserved.contains($0.key) }
      device.next = [:]
      device.link?.users.formIntersection(preserved)
    }
    shareDevices()
  }

  private func loseLinks() {
    for device in devices {
      device.link?.channels.values.forEach { $0.end() }
      (device.link, device.bridge) = (nil, nil)
      if device.identity == nil, !device.attributes.isFixed { device.attributes = DeviceAttributes() }
    }
    continuations = [:]
    strengthQuestions = [:]
    media.wanted = [:]
    dismissSheet()
    shareDevices()
  }
}
