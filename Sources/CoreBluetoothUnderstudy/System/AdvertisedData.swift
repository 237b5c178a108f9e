import BLECore
import BLEGAP
import BLEHCI
import Foundation

/// The data of an advertiser, from its advertisements and scan responses.
struct AdvertisedData: Hashable, Sendable {
  var advertisement: Advertisement?
  var scanResponse: Advertisement?

  /// All structures, those of the advertisement first.
  var structures: [AdvertisingStructure] {
    (advertisement?.data.structures ?? []) + (scanResponse?.data.structures ?? [])
  }

  var name: String? {
    var shortened: String?
    for case .localName(let name, let isComplete) in structures {
      if isComplete { return name }
      shortened = shortened ?? name
    }
    return shortened
  }

  var services: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      if case .services(let uuids, _, _) = structure { uuids } else { [] }
    }
  }

  var solicited: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      if case .solicitation(let uuids, _) = structure { uuids } else { [] }
    }
  }

  /// Returns the services whose bits are set in the overflow area, where a phone in the background advertises. The area is Apple's
  /// manufacturer data of type 0x01, with 128 bits. Bit n is bit n % 8 of octet n / 8.
  func overflowServices(_ services: [BluetoothUUID], bits: [CBUUID: Int]) -> [CBUUID] {
    let areas = structures.compactMap { structure -> [UInt8]? in
      guard case .manufacturerData(0x004C, let data) = structure, data.count == 17, data.first == 0x01 else {
        return nil
      }
      return Array(data.dropFirst())
    }
    return services.map { CBUUID($0) }.filter { service in
      guard let bit = bits[service], 0..<128 ~= bit else { return false }
      return areas.contains { $0[bit / 8] & 1 << (bit % 8) != 0 }
    }
  }

  /// Whether the phone has not received the scan response of a scannable advertiser.
  var lacksScanResponse: Bool { scanResponse == nil && advertisement?.kind.contains(.scannable) ?? false }

  var isConnectable: Bool { advertisement?.isConnectable ?? false }

  /// The signal strength of the latest packet, in dBm; 127 if unknown.
  var rssi: Int { Int((scanResponse ?? advertisement)?.rssi ?? 127) }

  /// Returns the dictionary that an app gets. `overflow` are the services of its scan that are in the overflow area.
  func dictionary(overflow: [CBUUID]) -> [String: Any] {
    var fields: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
    var serviceData: [CBUUID: Data] = [:]
    if let name { fields[CBAdvertisementDataLocalNameKey] = name }
    if !services.isEmpty { fields[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID($0) } }
    if !solicited.isEmpty { fields[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicited.map { CBUUID($0) } }
    for structure in structures {
      switch structure {
      case .transmitPower(let power): fields[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: Int(power))
      case .serviceData(let uuid, _, let data): serviceData[CBUUID(uuid)] = Data(data)
      case .manufacturerData(let company, let data):
        fields[CBAdvertisementDataManufacturerDataKey] = Data([UInt8(company & 0xFF), UInt8(company >> 8)] + data)
      default: break
      }
    }
    if !overflow.isEmpty { fields[CBAdvertisementDataOverflowServiceUUIDsKey] = overflow }
    if !serviceData.isEmpty { fields[CBAdvertisementDataServiceDataKey] = serviceData }
    return fields
  }
}
