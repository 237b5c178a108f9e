// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation

/// A door lock, with async functions over Core Bluetooth's callbacks. The phone pairs when the lock asks for it.
@MainActor
public final class Lock: NSObject {
  /// Why the lock cannot be used.
  public enum Failure: Error { case bluetoothIsOff, unknownLock }

  private static let service = CBUUID(string: "A0000020-7C4D-4B0E-9E4B-1F6E2A1B9C00")
  private static let state = CBUUID(string: "A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00")

  private var manager: CBCentralManager?
  private var lock: CBPeripheral?
  /// The call that waits for the next callback.
  private var waiting: CheckedContinuation<Void, any Error>?

  public override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  /// Connects to the lock, and discovers its service.
  public func connect() async throws {
    guard let manager else { return }
    if manager.state == .unknown { try await callback {} }
    guard manager.state == .poweredOn else { throw Failure.bluetoothIsOff }
    try await callback { manager.scanForPeripherals(withServices: nil) }
    manager.stopScan()
    guard let lock else { throw Failure.unknownLock }
    lock.delegate = self
    try await callback { manager.connect(lock) }
    try await callback { lock.discoverServices([Self.service]) }
    guard let service = lock.services?.first else { throw Failure.unknownLock }
    try await callback { lock.discoverCharacteristics(nil, for: service) }
  }

  /// Returns whether the door is locked.
  public func isLocked() async throws -> Bool {
    let characteristics = lock?.services?.first?.characteristics ?? []
    guard let lock, let state = characteristics.first(where: { $0.uuid == Self.state }) else {
      throw Failure.unknownLock
    }
    try await callback { lock.readValue(for: state) }
    return state.value == Data([0])
  }

  /// Calls `start`, and waits for the next callback.
  private func callback(after start: () -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      waiting = continuation
      start()
    }
  }

  nonisolated private func called(_ error: (any Error)? = nil) {
    MainActor.assumeIsolated {
      let continuation = waiting
      waiting = nil
      if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
  }
}

extension Lock: CBCentralManagerDelegate {
  public nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) { called() }

  public nonisolated func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    // This lock does not advertise its service.
    guard peripheral.name == "Smart Lock" else { return }
    MainActor.assumeIsolated { lock = peripheral }
    called()
  }

  public nonisolated func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { called() }

  public nonisolated func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { called(error ?? CancellationError()) }
}

extension Lock: CBPeripheralDelegate {
  public nonisolated func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    called(error)
  }

  public nonisolated func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { called(error) }

  public nonisolated func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { called(error) }
}
