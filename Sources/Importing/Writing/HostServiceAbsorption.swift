import BLECore
import BLEGAP
import BLEGATT

extension ImportedDatabase {
  /// Whether services with 16-bit UUIDs come before all others.
  var isGroupedByUUIDSize: Bool {
    let sizes = services.filter { !$0.belongsToHost }.map(\.uuid.octetCount)
    return sizes == sizes.sorted()
  }

  /// Lets the accessory pair if a permission needs that but the source does not describe pairing.
  mutating func assumeSecurity() {
    let characteristics = services.flatMap(\.characteristics)
    let requirements = characteristics.flatMap { characteristic in
      [characteristic.allowedPermissions.read, characteristic.allowedPermissions.write, characteristic.subscribing]
        + characteristic.descriptors.flatMap { [$0.permissions.read, $0.permissions.write] }
    }
    let protection = requirements.compactMap { $0?.protection }.max() ?? .none
    guard security == nil, protection > .none else { return }
    security = ImportedSecurity(
      pairing: protection == .encrypted ? "just-works" : "display",
      comments: ["Assumed: some permissions need pairing, but the source does not say how the device pairs."])
  }

  /// Returns the database with Generic Access and Generic Attribute turned into keys such as `name` and `gatt`, because the host adds these
  /// services by itself. They stay in the list, empty, because other services refer to positions.
  func absorbingHostServices() -> ImportedDatabase {
    var result = self
    for (position, service) in services.enumerated() where service.belongsToHost {
      for characteristic in service.characteristics {
        var octets: [UInt8]?
        if case .octets(let value) = characteristic.value { octets = value }
        result.absorb(characteristic.uuid, octets)
      }
      result.comments += service.comments
      result.services[position].characteristics = []
      if service.uuid == BluetoothUUID(0x1801), result.gatt.hasServiceChanged == nil {
        result.gatt.hasServiceChanged = service.characteristics.contains { $0.uuid == .serviceChanged }
      }
    }
    return result
  }

  private mutating func absorb(_ uuid: BluetoothUUID, _ octets: [UInt8]?) {
    switch uuid {
    case BluetoothUUID(0x2A00):
      if name == nil, let octets, let text = String(validating: octets, as: UTF8.self), !text.isEmpty { name = text }
    case BluetoothUUID(0x2A01):
      if appearance == nil, let octets, octets.count == 2 {
        appearance = Appearance(rawValue: UInt16(octets[0]) | UInt16(octets[1]) << 8)
      }
    case BluetoothUUID(0x2A04):
      if connection.request == nil, let octets, let request = Self.request(octets) { connection.request = request }
    case .databaseHash:
      if !gatt.hasRobustCaching {
        comments.append("Database Hash adds Client Supported Features and Server Supported Features.")
      }
      gatt.hasRobustCaching = true
    default: break
    }
  }

  /// Returns the request that corresponds to Peripheral Preferred Connection Parameters; nil if they state no preference.
  private static func request(_ octets: [UInt8]) -> ImportedConnection.Request? {
    guard octets.count == 8 else { return nil }
    let words = (0..<4).map { Int(octets[2 * $0]) | Int(octets[2 * $0 + 1]) << 8 }
    // Core 5.4 Vol 3 Part C 12.3: 6...3200 in 1.25 ms, 0...499, 10...3200 in 10 ms.
    guard (6...3200).contains(words[0]), (words[0]...3200).contains(words[1]), words[2] < 500 else { return nil }
    let timeout = (10...3200).contains(words[3]) ? Duration.milliseconds(10 * words[3]) : nil
    return ImportedConnection.Request(
      intervals: .microseconds(1250 * words[0]) ... .microseconds(1250 * words[1]), latency: words[2], timeout: timeout)
  }
}

extension ImportedConnection.Request {
  /// The corresponding value of Peripheral Preferred Connection Parameters (Core 5.4 Vol 3 Part C 12.3).
  var preferredParameters: [UInt8] {
    let intervals = [intervals.lowerBound, intervals.upperBound].map { $0.inMicroseconds / 1250 }
    let timeout = timeout.map { $0.inMicroseconds / 10_000 } ?? 0xFFFF
    return (intervals + [Int64(latency), timeout]).flatMap { word in
      [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
    }
  }
}

extension Duration {
  /// The whole microseconds.
  var inMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}

extension ImportedService {
  /// Whether it is Generic Access or Generic Attribute, which the host adds itself.
  package var belongsToHost: Bool { uuid == BluetoothUUID(0x1800) || uuid == BluetoothUUID(0x1801) }
}
