import CoreBluetoothUnderstudy

/// An app for the tests of Tests/Interop: commands in, callbacks out.
///
/// `@unchecked Sendable`: everything happens on the main queue.
final class TestApp: NSObject, @unchecked Sendable {
  private lazy var manager = CBCentralManager(delegate: self, queue: nil)
  private var found: [CBPeripheral] = []
  private var peripheral: CBPeripheral?
  private var channel: PhoneChannel?
  /// The numbers to send as writes without response, and the characteristic to write them to.
  private var commands: (characteristic: CBCharacteristic, numbers: Range<UInt16>)?

  override init() {
    super.init()
    _ = manager
  }

  /// Prints one line: the callback, its subject, and its error.
  func tell(_ event: String, _ fields: [String: Any] = [:], _ error: (any Error)? = nil) {
    var line = fields
    line["event"] = event
    switch error {
    case let error as CBError: line["error"] = ["CBError", error.code.rawValue]
    case let error as CBATTError: line["error"] = ["CBATTError", error.code.rawValue]
    case let error?: line["error"] = ["\(error)"]
    case nil: break
    }
    guard let text = try? JSONSerialization.data(withJSONObject: line, options: .sortedKeys) else { exit(1) }
    FileHandle.standardOutput.write(text + Data("\n".utf8))
  }

  // MARK: - Commands

  /// Performs a command, which is words separated by spaces.
  func perform(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    let (verb, names) = (words.first ?? "", Array(words.dropFirst()))
    switch verb {
    case "scan": manager.scanForPeripherals(withServices: uuids(names))
    case "stop": manager.stopScan()
    case "connect": connect(to: names)
    case "disconnect": peripheral.map { manager.cancelPeripheralConnection($0) }
    case "services": peripheral?.discoverServices(uuids(names))
    case "includes": peripheral?.discoverIncludedServices(nil, for: service(names[0]))
    case "characteristics": peripheral?.discoverCharacteristics(nil, for: service(names[0]))
    case "descriptors": peripheral?.discoverDescriptors(for: characteristic(names[0]))
    case "read": peripheral?.readValue(for: characteristic(names[0]))
    case "read-descriptor": peripheral?.readValue(for: descriptor(names[0], names[1]))
    case "write": peripheral?.writeValue(octets(names[1]), for: characteristic(names[0]), type: .withResponse)
    case "write-descriptor": peripheral?.writeValue(octets(names[2]), for: descriptor(names[0], names[1]))
    case "commands":
      commands = (characteristic(names[0]), 0..<(UInt16(names[1]) ?? 0))
      sendCommands()
    case "subscribe": peripheral?.setNotifyValue(true, for: characteristic(names[0]))
    case "unsubscribe": peripheral?.setNotifyValue(false, for: characteristic(names[0]))
    case "rssi": peripheral?.readRSSI()
    case "open": peripheral?.openL2CAPChannel(CBL2CAPPSM(names[0]) ?? 0)
    case "send": channel?.send(octets(names[0]))
    case "close": channel?.close()
    default: fatalError("unknown command: \(line)")
    }
  }

  /// Connects to a peripheral by its identifier, whether discovered or known from earlier.
  private func connect(to names: [String]) {
    let identifiers = names.compactMap { UUID(uuidString: $0) }
    peripheral =
      found.first { identifiers.contains($0.identifier) }
      ?? manager.retrievePeripherals(withIdentifiers: identifiers).first
    guard let peripheral else { return tell("unknown") }
    peripheral.delegate = self
    manager.connect(peripheral)
  }

  /// Sends numbers of two octets while there is room.
  private func sendCommands() {
    while let (characteristic, numbers) = commands, let peripheral {
      guard let number = numbers.first else {
        commands = nil
        return tell("sent")
      }
      guard peripheral.canSendWriteWithoutResponse else { return }
      commands?.numbers.removeFirst()
      let value = Data([UInt8(number >> 8), UInt8(number & 0xFF)])
      peripheral.writeValue(value, for: characteristic, type: .withoutResponse)
    }
  }

  // MARK: - Attributes by their UUIDs

  private func uuids(_ names: [String]) -> [CBUUID]? { names.isEmpty ? nil : names.map { CBUUID(string: $0) } }

  private func service(_ uuid: String) -> CBService {
    let services = peripheral?.services ?? []
    return first(uuid, of: services + services.flatMap { $0.includedServices ?? [] })
  }

  private func characteristic(_ uuid: String) -> CBCharacteristic {
    first(uuid, of: peripheral?.services?.flatMap { $0.characteristics ?? [] } ?? [])
  }

  private func descriptor(_ uuid: String, _ descriptor: String) -> CBDescriptor {
    first(descriptor, of: characteristic(uuid).descriptors ?? [])
  }

  private func first<Attribute: CBAttribute>(_ uuid: String, of attributes: [Attribute]) -> Attribute {
    guard let found = attributes.first(where: { $0.uuid == CBUUID(string: uuid) }) else {
      fatalError("\(uuid) was not discovered")
    }
    return found
  }
}

// MARK: - Central

extension TestApp: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { tell("state", ["state": "\(central.state)"]) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    found.append(peripheral)
    tell(
      "didDiscover",
      [
        "identifier": peripheral.identifier.uuidString, "name": peripheral.name ?? "", "rssi": RSSI,
        "data": advertisementData.mapValues(plain),
      ])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    tell("didConnect", ["longestCommand": peripheral.maximumWriteValueLength(for: .withoutResponse)])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    tell("didFailToConnect", [:], error)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { tell("didDisconnect", [:], error) }
}

// MARK: - Peripheral

extension TestApp: CBPeripheralDelegate {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { tell("didUpdateName", ["name": peripheral.name ?? ""]) }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    tell("didModifyServices", ["services": invalidatedServices.map(\.uuid.uuidString)])
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    tell("didReadRSSI", ["rssi": RSSI], error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    tell("didDiscoverServices", ["services": (peripheral.services ?? []).map(\.uuid.uuidString)], error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?) {
    tell("didDiscoverIncludedServices", ["services": (service.includedServices ?? []).map(\.uuid.uuidString)], error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    let all = (service.characteristics ?? []).map {
      ["uuid": $0.uuid.uuidString, "properties": $0.properties.rawValue]
    }
    tell("didDiscoverCharacteristics", ["service": service.uuid.uuidString, "characteristics": all], error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let all = (characteristic.descriptors ?? []).map(\.uuid.uuidString)
    tell("didDiscoverDescriptors", ["uuid": characteristic.uuid.uuidString, "descriptors": all], error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    tell("didUpdateValue", ["uuid": characteristic.uuid.uuidString, "value": plain(characteristic.value)], error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    tell("didWriteValue", ["uuid": characteristic.uuid.uuidString], error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let isNotifying = characteristic.isNotifying
    tell("didUpdateNotificationState", ["uuid": characteristic.uuid.uuidString, "notifying": isNotifying], error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    tell("didReadDescriptor", ["uuid": descriptor.uuid.uuidString, "value": plain(descriptor.value)], error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    tell("didWriteDescriptor", ["uuid": descriptor.uuid.uuidString], error)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    tell("isReady")
    sendCommands()
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    self.channel = channel.map { PhoneChannel($0, of: self) }
    tell("didOpen", ["psm": channel?.psm ?? 0], error)
  }
}
