// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation

/// Reads everything that an accessory sends on the channel whose PSM it publishes.
@MainActor
public final class Download: NSObject {
  nonisolated private static let psm = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)

  /// The octets so far.
  public private(set) var data = Data()
  /// Whether the accessory has closed the channel.
  public private(set) var isComplete = false
  private let service: CBUUID
  private var manager: CBCentralManager?
  private var accessory: CBPeripheral?
  private var channel: CBL2CAPChannel?

  /// Connects to the first accessory with this service.
  public init(from service: CBUUID) {
    self.service = service
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  private func open(_ channel: CBL2CAPChannel) {
    self.channel = channel
    for stream in [channel.inputStream, channel.outputStream] as [Stream?] {
      stream?.delegate = self
      stream?.schedule(in: .main, forMode: .default)
      stream?.open()
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    guard let count = channel?.inputStream?.read(&buffer, maxLength: buffer.count), count > 0 else { return }
    data.append(contentsOf: buffer[..<count])
  }
}

extension Download: StreamDelegate {
  public nonisolated func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    let isInput = aStream is InputStream
    MainActor.assumeIsolated {
      guard isInput else { return }
      if eventCode == .hasBytesAvailable { read() }
      if eventCode == .endEncountered { isComplete = true }
    }
  }
}

extension Download: CBCentralManagerDelegate {
  public nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) {
    MainActor.assumeIsolated {
      if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
    }
  }

  public nonisolated func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    MainActor.assumeIsolated { accessory = peripheral }
    central.stopScan()
    central.connect(peripheral)
  }

  public nonisolated func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    MainActor.assumeIsolated {
      peripheral.delegate = self
      peripheral.discoverServices([service])
    }
  }
}

extension Download: CBPeripheralDelegate {
  public nonisolated func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics([Self.psm], for: service) }
  }

  public nonisolated func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    service.characteristics?.first.map { peripheral.readValue(for: $0) }
  }

  public nonisolated func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let value = characteristic.value, value.count == 2 else { return }
    peripheral.openL2CAPChannel(CBL2CAPPSM(value[0]) | CBL2CAPPSM(value[1]) << 8)
  }

  public nonisolated func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
  {
    MainActor.assumeIsolated { channel.map(open) }
  }
}
