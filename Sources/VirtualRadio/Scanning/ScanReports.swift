import BLECore
import BLEHCI

extension Advertisement {
  /// Returns the type of this advertisement in a legacy report (Core 5.4 Vol 4 Part E 7.7.65.2).
  func legacyReportType(isScanResponse: Bool) -> AdvertisingReportType {
    if isScanResponse { return .scanResponse }
    if isDirected { return .directed }
    if isConnectable { return .connectableScannable }
    return isScannable ? .scannable : .nonConnectable
  }

  /// Returns the extended report of this advertisement, without data (Core 5.4 Vol 4 Part E 7.7.65.13).
  func extendedReport(_ heard: HeardAdvertisement, isScanResponse: Bool, rssi: Int8) -> ExtendedAdvertisingReport {
    var report = ExtendedAdvertisingReport()
    if isConnectable { report.reportType.insert(.connectable) }
    if isScannable { report.reportType.insert(.scannable) }
    if isDirected { report.reportType.insert(.directed) }
    switch heard.target {
    case .everyone, .someoneElse: break
    case .here(let type, let address): (report.directAddressType, report.directAddress) = (type, address)
    case .unresolved: (report.directAddressType, report.directAddress) = (.unresolved, target)
    }
    if isScanResponse { report.reportType.insert(.scanResponse) }
    if isLegacy { report.reportType.insert(.legacy) }
    report.addressType = heard.peer.type
    report.address = heard.peer.address
    report.primaryPHY = PHY(rawValue: primaryPHY.rawValue)
    report.secondaryPHY = isLegacy ? .none : PHY(rawValue: secondaryPHY.rawValue)
    report.advertisingSID = isLegacy ? 0xFF : sid
    report.txPower = isLegacy ? 127 : transmitPower
    report.rssi = rssi
    return report
  }
}

extension AdvertisingReport {
  static func legacy(
    _ type: AdvertisingReportType, _ heard: HeardAdvertisement, _ data: [UInt8], rssi: Int8
  ) -> AdvertisingReport {
    var report = AdvertisingReport()
    report.reportType = type
    report.addressType = heard.peer.type
    report.address = heard.peer.address
    report.data = data
    report.rssi = rssi
    return report
  }
}

extension DirectedAdvertisingReport {
  static func unresolved(
    _ advertisement: Advertisement, _ heard: HeardAdvertisement, rssi: Int8
  ) -> DirectedAdvertisingReport {
    var report = DirectedAdvertisingReport()
    report.addressType = heard.peer.type
    report.address = heard.peer.address
    report.directAddressType = advertisement.targetType
    report.directAddress = advertisement.target
    report.rssi = rssi
    return report
  }
}
