// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation

/// Shows the heart rate of the first belt that it finds. Reconnects after the belt was out of range, and after the system has relaunched the app.
@MainActor
public final class Belt: NSObject {
  nonisolated private static let heartRate = CBUUID(string: "180D")
  nonisolated private static let measurement = CBUUID(string: "2A37")

  /// Beats per minute; nil while no belt is connected.
  public private(set) var beatsPerMinute: Int?
  private var manager: CBCentralManager?
  private var belt: CBPeripheral?

  public override init() {
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: nil, options: [CBCentralManagerOptionRestoreIdentifierKey: "belt"])
  }

  private func use(_ peripheral: CBPeripheral) {
    belt = peripheral
    peripheral.delegate = self
  }

  private func subscribe(_ peripheral: CBPeripheral) {
    let all = peripheral.services?.flatMap { $0.characteristics ?? [] } ?? []
    guard let measurement = all.first(where: { $0.uuid == Self.measurement }) else {
      return peripheral.discoverServices([Self.heartRate])
    }
    if !measurement.isNotifying { peripheral.setNotifyValue(true, for: measurement) }
  }

  private func take(_ value: Data) {
    guard value.count >= 2 else { return }
    // Bit 0 of the flags: the value has two octets.
    beatsPerMinute = value[0] & 1 == 0 ? Int(value[1]) : value.count > 2 ? Int(value[1]) | Int(value[2]) << 8 : nil
  }
}

// Without its own queue, a manager calls its delegates on the main queue, which is that of the main actor.
extension Belt: CBCentralManagerDelegate {
  public nonisolated func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    MainActor.assumeIsolated { peripherals.first.map(use) }
  }

  public nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) {
    MainActor.assumeIsolated {
      guard central.state == .poweredOn else {
        beatsPerMinute = nil
        return
      }
      guard let belt else { return central.scanForPeripherals(withServices: [Self.heartRate]) }
      if belt.state == .connected { subscribe(belt) } else { central.connect(belt) }
    }
  }

  public nonisolated func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    MainActor.assumeIsolated {
      use(peripheral)
      central.stopScan()
      central.connect(peripheral)
    }
  }

  public nonisolated func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([Self.heartRate])
  }

  public nonisolated func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    MainActor.assumeIsolated { beatsPerMinute = nil }
    // A connection attempt has no time limit: it succeeds when the belt is back.
    central.connect(peripheral)
  }
}

extension Belt: CBPeripheralDelegate {
  public nonisolated func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics([Self.measurement], for: service) }
  }

  public nonisolated func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    MainActor.assumeIsolated { subscribe(peripheral) }
  }

  public nonisolated func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    MainActor.assumeIsolated { characteristic.value.map(take) }
  }
}
