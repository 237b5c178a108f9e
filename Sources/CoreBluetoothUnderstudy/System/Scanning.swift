import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import CentralHost
import Foundation

/// Scanning for apps, and for devices that wait to be connected.
extension PhoneSystem {
  /// Sets the scan of a manager; nil stops it.
  func scan(_ scan: AppScan?, for id: ManagerID) {
    guard let record = record(id) else { return }
    record.scan = scan
    record.reported = [:]
    record.heard = [:]
  }

  /// Starts, changes or stops the controller's scan.
  func planScan() {
    let wanted = wantedScan
    guard wanted != activeScan else { return }
    activeScan = wanted
    perform(wanted.map { .scan($0) } ?? .stopScanning)
  }

  private var wantedScan: ScanRequest? {
    let scanning = managers.filter { $0.scan != nil && $0.isAlive && $0.app.mayScan($0.scan) }
    if scanning.contains(where: { $0.app.phase == .foreground }) { return persona.scan(isActive: true, .foreground) }
    if !scanning.isEmpty { return persona.scan(isActive: false, .background) }
    return hasToHearDevices ? persona.scan(isActive: false, .connecting) : nil
  }

  /// Handles an advertisement or a scan response.
  func heard(_ advertisement: Advertisement) {
    // The controller may support more than the phone.
    guard advertisement.kind.contains(.legacy) || persona.features.contains(.extendedScanAndConnect) else { return }
    let device = device(at: advertisement.address, advertisement.addressType)
    if advertisement.isScanResponse {
      device.advertised.scanResponse = advertisement
    } else {
      device.advertised.advertisement = advertisement
    }
    if device.known != shared.devices[device.identifier] { shareDevices() }
    for record in managers { report(device, advertisement, to: record) }
    if advertisement.isConnectable { heardConnectable(device) }
  }

  /// The number of a device's advertisements for which the phone waits for its scan response.
  private static let scanResponsePatience = 5

  /// Reports a device to a manager once in each scan, and again when its scan response arrives. If the app wants duplicates and is in the
  /// foreground, reports each advertisement.
  private func report(_ device: Device, _ advertisement: Advertisement, to record: ManagerRecord) {
    guard let scan = record.scan, record.isAlive, record.app.mayScan(scan) else { return }
    let overflow = device.advertised.overflowServices(scan.services ?? [], bits: persona.overflowBits)
    guard scan.accepts(device.advertised) || !overflow.isEmpty else { return }
    let isInForeground = record.app.phase == .foreground
    record.heard[device.identifier, default: 0] += 1
    // The name is usually in the scan response, which follows soon.
    let awaitsResponse =
      isInForeground && device.advertised.lacksScanResponse
      && record.heard[device.identifier, default: 0] <= Self.scanResponsePatience
    guard !awaitsResponse else { return }
    let data = device.advertised
    let previous = record.reported[device.identifier]
    let isNew = previous.map { $0.lacksScanResponse && data.scanResponse != nil } ?? true
    guard isNew || (scan.allowsDuplicates && isInForeground) else { return }
    record.reported[device.identifier] = data
    let known = device.known
    var fields: [String: ProfileValue] = ["peripheral": .string(known.name ?? known.identifier.uuidString)]
    fields["rssi"] = .int(Int64(data.rssi))
    deliver(to: record, "didDiscover", fields) { manager in
      guard manager.isScanning else { return }
      let peripheral = manager.peripheral(known)
      peripheral.currentName = known.name
      manager.delegate?.centralManager(
        manager, didDiscover: peripheral, advertisementData: data.dictionary(overflow: overflow),
        rssi: NSNumber(value: data.rssi))
    }
  }
}
