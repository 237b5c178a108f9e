import CoreBluetoothUnderstudy
import Foundation

/// An app's Bluetooth layer that records each callback as a line, and does what a test asks.
final class Recorder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private(set) var manager: CBCentralManager?
  /// The callbacks, in order.
  private(set) var lines: [String] = []
  /// The discovered peripherals, in order.
  private(set) var found: [CBPeripheral] = []
  private(set) var advertisements: [[String: Any]] = []
  private(set) var restored: [CBPeripheral] = []
  private(set) var restoredState: [String: Any] = [:]
  private(set) var channel: CBL2CAPChannel?
  /// Whether it retains the peripherals that it discovers.
  var keepsFound = true
  /// What to do after each callback.
  var then: (String) -> Void = { _ in }

  init(queue: DispatchQueue? = nil, options: [String: Any]? = nil) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  /// Releases the manager, as an app does that no longer needs it.
  func close() { manager = nil }

  /// The peripheral that was discovered first.
  var peripheral: CBPeripheral? { found.first ?? restored.first }

  private func note(_ line: String, _ error: (any Error)? = nil) {
    lines.append(error.map { "\(line): \($0.localizedDescription)" } ?? line)
    then(line)
  }

  /// Releases the peripherals, as an app may do by mistake.
  func forgetPeripherals() { (found, restored) = ([], []) }

  /// Adds a peripheral as if it had been discovered.
  func adopt(_ peripheral: CBPeripheral) {
    if keepsFound { found.append(peripheral) }
    peripheral.delegate = self
  }

  /// Forgets the callbacks so far.
  func clear() { lines = [] }

  // MARK: - Central

  func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state \(central.state)") }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    restoredState = dict
    restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    for peripheral in restored { peripheral.delegate = self }
    note("restore \(restored.map { $0.name ?? "" })")
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    found.append(peripheral)
    if keepsFound { advertisements.append(advertisementData) }
    peripheral.delegate = self
    note("discover \(peripheral.name ?? "")")
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("connect") }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note("fail to connect", error)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { note("disconnect", error) }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { note("event \(event)") }

  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    note("ancs \(peripheral.ancsAuthorized)")
  }

  // MARK: - Peripheral

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name \(peripheral.name ?? "")") }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note("modify \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note("rssi \(RSSI)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note("services \((peripheral.services ?? []).map(\.uuid.uuidString))", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?) {
    note("includes \((service.includedServices ?? []).map(\.uuid.uuidString))", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    note("characteristics \((service.characteristics ?? []).map(\.uuid.uuidString))", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("descriptors \((characteristic.descriptors ?? []).map(\.uuid.uuidString))", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("value \(characteristic.uuid.uuidString)", error) }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("write \(characteristic.uuid.uuidString)", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("notifying \(characteristic.isNotifying)", error) }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("descriptor \(descriptor.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("wrote descriptor \(descriptor.uuid.uuidString)", error)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { note("ready") }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    self.channel = channel
    note("channel \(channel?.psm ?? 0)", error)
  }
}
